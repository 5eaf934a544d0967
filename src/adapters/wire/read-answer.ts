import type { z } from 'zod';
import type { HttpOutcome } from './http-calls.ts';

/** What an answer of JSON comes to, held to a shape. */
export type ReadAnswer<T> =
  | { readonly kind: 'read'; readonly value: T }
  /** The status is 404. */
  | { readonly kind: 'absent' }
  /** `why` goes on from the name of whoever was asked. */
  | { readonly kind: 'unread'; readonly why: string };

/** Reads an answer with a status below 300 by a shape. */
export function readAnswer<Schema extends z.ZodType>(
  outcome: HttpOutcome,
  schema: Schema,
): ReadAnswer<z.output<Schema>> {
  if (outcome.kind !== 'answered')
    return { kind: 'unread', why: `did not answer: ${outcome.cause}` };
  if (outcome.status === 404) return { kind: 'absent' };
  if (outcome.status >= 300) return { kind: 'unread', why: `answered ${outcome.status}` };
  const read = schema.safeParse(parsed(outcome.text));
  return read.success
    ? { kind: 'read', value: read.data }
    : { kind: 'unread', why: 'answered in an unexpected format' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
