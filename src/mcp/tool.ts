import type { z } from 'zod';
import type { JsonValue } from '../domain/json-value.ts';
import type { VenueId } from '../domain/ids.ts';
import type { KeyScope } from '../ports/identity.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * What a tool does to the world, for people and clients: stated in full where it changes something,
 * for what is left out has surprising defaults (mcp.md section 7); of one that reads, the protocol
 * gives two of the hints no meaning.
 */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/**
 * What a call of a tool is counted against beside the key's requests: money tools have a budget of
 * their own beside it, stops one of their own instead.
 */
type ToolBudget = 'calls' | 'money' | 'stops';

/** Makes the few members that decide of an object of a route's answer. */
export type Row = (entry: JsonValue, venue: VenueId | null) => JsonValue;

/** What a tool tells of the answer of its route. */
interface ToolAnswer {
  /** The list in the route's answer; absent: `data`, where there is one. */
  readonly list?: string;
  /** Of each entry of the list, or of an answer without a list; absent: all of it. */
  readonly row?: Row;
  /** Members beside the list that decide nothing. */
  readonly drops?: readonly string[];
  /** Of the members beside the list, in the place of all of them. */
  readonly others?: Row;
  /** Puts rows that say the same of one thing together. */
  readonly folded?: (rows: readonly JsonValue[]) => readonly JsonValue[];
  /** False where `fields: "all"` is not offered. */
  readonly hasAll?: boolean;
  /** Names of members whose text is kept at length (MCP.longTextChars). */
  readonly longText?: readonly string[];
  /** The shape of `row`, listed where money moves. */
  readonly shape?: z.ZodObject;
}

/** A second route that a tool calls: for a dry run, or to read the state of something. */
interface SecondRoute {
  readonly operationId: string;
  readonly row: Row;
  /** Listed where it is there. */
  readonly shape?: z.ZodObject;
}

/** One tool of the interface: a row of data that points at a route. */
export interface Tool {
  /** As the spec writes it. */
  readonly name: string;
  readonly title: string;
  /** For a model: what it does, in our words alone. */
  readonly description: string;
  /**
   * `operationId` of the route that does the work; with `venue`, what the names of the routes of
   * all venues begin with.
   */
  readonly operationId: string;
  /**
   * Set where each venue has a route of its own: the argument `venue` chooses it, and this is it
   * where it is left out.
   */
  readonly venue?: VenueId;
  /** The one venue of a tool that does not choose. */
  readonly onlyVenue?: VenueId;
  /** What a key must be allowed; that of the route. */
  readonly scope: KeyScope;
  readonly annotations: ToolAnnotations;
  readonly budget: ToolBudget;
  /** Arguments that are called otherwise than the route's fields: by the field's name. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** What arguments are, in fewer words than the route's own, or whole schemas: by their names. */
  readonly says?: Readonly<Record<string, string | JsonSchema>>;
  /** Arguments that are not those of the route where they are left out. */
  readonly usual?: Readonly<Record<string, JsonValue>>;
  /** Arguments that are taken and not listed. */
  readonly unlisted?: readonly string[];
  /** `Prefer: wait`, in seconds: the route answers with the end of what it begins if it comes. */
  readonly waitsSeconds?: number;
  readonly answer?: ToolAnswer;
  /** Says what the call would do; absent where nothing says that. */
  readonly preview?: SecondRoute;
  /** Puts the call forward for the person to confirm; absent where nothing does. */
  readonly propose?: SecondRoute;
  /**
   * Shows the state of what was made, where a repetition finds the first answer: `id` is the member
   * of that answer that names it.
   */
  readonly follow?: { readonly operationId: string; readonly id: string };
}

/** Looks, at what may change at any time. */
export const READS: ToolAnnotations = { readOnlyHint: true };
/** Looks at what is ours and stays. */
export const READS_OWN: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Moves money; a repetition with its `clientRequestId` moves none. */
export const MOVES_MONEY: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
};
/** Changes what is ours; a repetition changes nothing. */
export const CHANGES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** Ends something; a repetition ends nothing more. */
export const ENDS: ToolAnnotations = { ...MOVES_MONEY };
