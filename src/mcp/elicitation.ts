import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { member } from './tool-errors.ts';
import type { JsonValue } from '../domain/json-value.ts';

/** What a request of the modern generation says beside its arguments. */
export interface RequestSaid {
  readonly envelope?: Readonly<Record<string, unknown>>;
  readonly inputResponses?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the question that takes the person to where they confirm an order, for clients that open
 * pages; null for a client that cannot be asked, or was. The answer of the client is no
 * confirmation: it says at most that the page was opened, and whoever holds the key may say so.
 */
export function pageQuestion(
  { structuredContent }: CallToolResult,
  { envelope = {}, inputResponses }: RequestSaid,
  page: string | null,
): InputRequiredResult | null {
  // what a tool answers is JSON, made a moment ago
  const answer = (structuredContent ?? null) as JsonValue;
  const confirmation = member(answer, 'confirmation');
  const id = member(confirmation, 'confirmationId');
  if (
    page === null ||
    inputResponses !== undefined ||
    member(answer, 'outcome') !== 'awaiting_confirmation' ||
    member(confirmation, 'state') !== 'asked' ||
    typeof id !== 'string' ||
    !opensPages(envelope[CLIENT_CAPABILITIES_META_KEY])
  )
    return null;
  return inputRequired({
    inputRequests: {
      confirmation: inputRequired.elicitUrl({
        url: `${page}?order=${encodeURIComponent(id)}`,
        message:
          'Your assistant put an order forward. Open the page to see it, and to confirm or refuse it there; nothing is done otherwise.',
      }),
    },
  });
}

function opensPages(capabilities: unknown): boolean {
  const { url } = Object(Object(capabilities).elicitation);
  return typeof url === 'object' && url !== null;
}
