import { AppError } from '../domain/errors.ts';
import { EventStream } from './event-stream.ts';
import { Page } from './page.ts';
import { PROBLEM_TYPE, problemOf } from './problem.ts';
import { refusalAnswer, type Answer } from './respond.ts';
import type { Route } from './route.ts';
import type { ApiRequest, DispatchDeps } from './dispatch.ts';

/** The answer to a call that succeeded; a `Page` and a stream say their own media type. */
export function success(
  route: Route,
  value: unknown,
  headers: Readonly<Record<string, string>>,
): Answer {
  if (route.status === 204) return { status: 204, headers, body: null };
  const shown = { ...headers, 'Cache-Control': route.cacheControl };
  if (value instanceof EventStream)
    return {
      status: route.status,
      headers: { ...shown, 'Content-Type': 'text/event-stream' },
      body: null,
      stream: value,
    };
  if (value instanceof Page)
    return {
      status: route.status,
      headers: { ...shown, 'Content-Type': value.contentType, ...value.headers },
      body: value.body,
    };
  return {
    status: route.status,
    headers: { ...shown, 'Content-Type': 'application/json' },
    body: textOf(value),
  };
}

const texts = new WeakMap<object, string>();

/** Returns the JSON of a value; of a frozen one, a document, it is made once. */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value))
    return JSON.stringify(value);
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/**
 * Refusals that anybody can have repeated without end; they are counted, and a line for each would
 * fill the disk.
 */
const UNLOGGED_CODES: ReadonlySet<string> = new Set(['not_ready', 'overloaded']);

/** The answer to a call that failed, and its line in the log. */
export function failure(
  deps: DispatchDeps,
  error: unknown,
  request: ApiRequest,
  headers: Readonly<Record<string, string>>,
): Answer {
  const problem = problemOf(error, request.requestId);
  if (problem.status >= 500 && !UNLOGGED_CODES.has(problem.code)) {
    // a retryable failure is a warning: it passes by itself
    const isPassing = error instanceof AppError && error.retryable;
    deps.log[isPassing ? 'warn' : 'error'](
      {
        requestId: request.requestId,
        code: problem.code,
        status: problem.status,
        error: String(error),
      },
      'http.call_failed',
    );
  }
  return refusalAnswer(error, request.requestId, headers);
}

/** What is kept of an answer for a repetition with the same Idempotency-Key. */
export function stored(answer: Answer): {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
} {
  return {
    status: answer.status,
    contentType: answer.headers['Content-Type'] ?? PROBLEM_TYPE,
    body: typeof answer.body === 'string' ? answer.body : '',
  };
}
