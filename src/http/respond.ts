import { AppError } from '../domain/errors.ts';
import type { EventStream } from './event-stream.ts';
import { hasControlCharacter } from './guard.ts';
import { PROBLEM_TYPE, problemOf, type Problem } from './problem.ts';
import { ASSERTION_HEADER, SLOT_HEADER } from './redirect-headers.ts';
import type { HttpResponse } from './listener/listener.ts';

/** An answer before it is written. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for an answer without a body. */
  readonly body: string | Uint8Array | null;
  /** Events that follow the head, in the place of a body. */
  readonly stream?: EventStream;
}

/** Reason phrases of the statuses this API uses (RFC 9110, section 15). */
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  304: 'Not Modified',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  421: 'Misdirected Request',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** Statuses whose answers end with their head (RFC 9110, sections 15.3.5 and 15.4.5). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Returns the reason phrase of a status this API uses; "Unknown" for others. */
export function reasonOf(status: number): string {
  return REASONS[status] ?? 'Unknown';
}

/**
 * Headers of every answer: nothing here is a page, nothing may be framed, sniffed, cached or
 * referred to.
 */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];

/** The answer that carries a problem. */
export function problemAnswer(problem: Problem, headers: Readonly<Record<string, string>>): Answer {
  return {
    status: problem.status,
    headers: { ...headers, 'Content-Type': PROBLEM_TYPE },
    body: JSON.stringify(problem),
  };
}

/**
 * The answer to a call that failed: its problem and number, when to come back where that is known,
 * and how to sign in where that was missing.
 */
export function refusalAnswer(
  error: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const problem = problemOf(error, requestId);
  const retryAfterMs = error instanceof AppError ? error.retryAfterMs : null;
  const redirect = error instanceof AppError ? error.redirect : null;
  return problemAnswer(problem, {
    'X-Request-Id': requestId,
    ...headers,
    ...(retryAfterMs === null
      ? {}
      : { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }),
    ...(redirect === null
      ? {}
      : {
          [SLOT_HEADER]: String(redirect.slot),
          ...(redirect.assertion === null ? {} : { [ASSERTION_HEADER]: redirect.assertion }),
        }),
    ...(problem.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
  });
}

/**
 * Writes one answer, corked. The caller made sure that the request was not aborted and has not been
 * answered. `HEAD` gets the headers of the answer and its length only. A header value with a
 * control character is a programmer's error and becomes a plain 500: the server would let it split
 * the answer.
 */
export function writeAnswer(
  response: HttpResponse,
  answer: Answer,
  isHead: boolean,
  closeConnection: boolean,
): void {
  const headers = [
    ...SECURITY_HEADERS.filter(([name]) => !(name in answer.headers)),
    ...Object.entries(answer.headers),
  ];
  const isClean = headers.every(
    ([name, value]) => !hasControlCharacter(name) && !hasControlCharacter(value),
  );
  response.cork(() => {
    if (!isClean) {
      response.writeStatus('500 Internal Server Error').end('', true);
      return;
    }
    response.writeStatus(`${answer.status} ${reasonOf(answer.status)}`);
    for (const [name, value] of headers) response.writeHeader(name, value);
    if (!('Cache-Control' in answer.headers)) response.writeHeader('Cache-Control', 'no-store');
    if (isHead || BODILESS.has(answer.status)) endBodiless(response, answer, closeConnection);
    else response.end(answer.body ?? '', closeConnection);
  });
}

/** Writes the head of an answer that goes on; corked by the caller, own headers alone. */
export function writeHead(response: HttpResponse, answer: Answer): void {
  response.writeStatus(`${answer.status} ${reasonOf(answer.status)}`);
  for (const [name, value] of [...SECURITY_HEADERS, ...Object.entries(answer.headers)])
    if (!hasControlCharacter(value)) response.writeHeader(name, value);
}

/**
 * Ends an answer that has no body. Any argument of `endWithoutBody`, `undefined` too, is written as
 * the length of one and waited for: the connection would be cut at its next request. So it gets
 * none, and a HEAD's length goes out as an own header.
 */
function endBodiless(
  response: HttpResponse,
  { status, body }: Answer,
  closeConnection: boolean,
): void {
  if (closeConnection) {
    response.end('', true);
    return;
  }
  if (!BODILESS.has(status))
    response.writeHeader('Content-Length', String(Buffer.byteLength(body ?? '')));
  response.endWithoutBody();
}
