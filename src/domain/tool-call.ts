import type { ErrorCode } from './errors.ts';
import type { UserId } from './ids.ts';

/**
 * One call of an MCP tool with an API key, as it was answered. Holds what was asked and answered,
 * cut short; never the key.
 */
export interface ToolCallRecord {
  readonly userId: UserId;
  readonly keyId: string;
  readonly atMs: number;
  readonly tool: string;
  /** JSON, cut after API_KEYS.recordedChars characters. */
  readonly arguments: string;
  /** Null where it was answered; the code of its refusal otherwise. */
  readonly refusal: ErrorCode | null;
  /** JSON of the answer or the text of the refusal, cut likewise. */
  readonly result: string;
}
