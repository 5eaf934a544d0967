import type { KeyScope } from '../ports/identity.ts';

/**
 * What a tool does to the world, for people and clients: stated in full, for what is left out has
 * surprising defaults (mcp.md section 7).
 */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * What a call of a tool is counted against beside the key's requests: money tools alone have a
 * budget of their own.
 */
export type ToolBudget = 'calls' | 'money' | 'stops';

/** One tool of the interface: a row of data that points at a route. */
export interface Tool {
  /** As the spec writes it. */
  readonly name: string;
  readonly title: string;
  /** For a model: what it does, in our words alone. */
  readonly description: string;
  /** `operationId` of the route that does the work. */
  readonly operationId: string;
  /** What a key must be allowed; that of the route. */
  readonly scope: KeyScope;
  readonly annotations: ToolAnnotations;
  readonly budget: ToolBudget;
  /** Arguments that are called otherwise than the route's fields: by the field's name. */
  readonly renamed?: Readonly<Record<string, string>>;
  /**
   * `operationId` of the route that says what the call would do; absent where nothing says that.
   */
  readonly preview?: string;
  /**
   * `operationId` of the route that puts the call forward for the person to confirm; absent where
   * nothing does.
   */
  readonly propose?: string;
  /**
   * The list in the route's answer that the tool tells, and what of its entries; absent: all of the
   * answer.
   */
  readonly picked?: { readonly list: string; readonly fields: readonly string[] };
}

/** Looks, at what may change at any time. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};
/** Looks at what is ours and stays. */
export const READS_OWN: ToolAnnotations = { ...READS, openWorldHint: false };
/** Moves money; a repetition with its `clientRequestId` moves none. */
export const MOVES_MONEY: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
};
