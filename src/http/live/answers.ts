import { AppError, type ErrorCode, type FieldError } from '../../domain/errors.ts';
import { problemOf } from '../problem.ts';
import { CLOSE_CODES, type MessageId } from './protocol.ts';

/** A topic that was not taken, and why. */
export interface RefusedTopic {
  readonly topic: string;
  readonly code: ErrorCode;
  readonly detail: string;
  /** True where the same may be asked again later. */
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
}

/** What is said of a message that was refused. */
export interface ErrorMessage extends Readonly<Record<string, unknown>> {
  readonly op: 'error';
  readonly code: ErrorCode;
  readonly title: string;
  readonly errors: readonly FieldError[];
}

/**
 * Reports whether an error is the client's doing. What comes from our own bounds, from the venue or
 * from an internal error, all of it better a moment later, is not, nor that a market has ended; no
 * socket is closed for it.
 */
export function isClientFault(error: unknown): boolean {
  if (!(error instanceof AppError) || error.retryable || error.code === 'market_closed')
    return false;
  return problemOf(error, '').status < 500;
}

/**
 * Returns the message that tells of an error, with the id of what it answers and the topics it is
 * about.
 */
export function errorMessage(
  error: unknown,
  id: MessageId | undefined,
  refused?: readonly RefusedTopic[],
): ErrorMessage {
  const { code, title, detail, errors } = problemOf(error, '');
  return {
    op: 'error',
    ...(id === undefined ? {} : { id }),
    code,
    title,
    detail,
    ...retryOf(error),
    errors,
    ...(refused === undefined ? {} : { refused }),
  };
}

/** Returns a topic with the reason why it was not taken. */
export function refusedTopic(topic: string, error: unknown): RefusedTopic {
  const { code, detail } = problemOf(error, '');
  return { topic, code, detail, ...retryOf(error) };
}

/** Returns the code to close a socket with whose token was refused. */
export function closeCodeOf(error: unknown): number {
  const { code } = problemOf(error, '');
  if (code === 'username_required' || code === 'forbidden') return CLOSE_CODES.forbidden;
  return code === 'limit_reached' ? CLOSE_CODES.tooMany : CLOSE_CODES.unauthenticated;
}

/** What is not an AppError is an internal error, which may be gone a moment later. */
function retryOf(error: unknown): { readonly retryable: boolean; readonly retryAfterMs?: number } {
  if (!(error instanceof AppError)) return { retryable: true };
  return {
    retryable: error.retryable,
    ...(error.retryAfterMs === null ? {} : { retryAfterMs: error.retryAfterMs }),
  };
}

/** Returns what is said to a topic of no kind there is. */
export function noTopic(): AppError {
  return new AppError(
    'not_found',
    'a topic is orders, positions, agents, notifications, transfers, orderbook:<venue>:<token>, prices:<venue>:<token> or prices:<asset>',
  );
}
