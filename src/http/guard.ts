import { API } from '../../config/limits/api.ts';
import { AppError } from '../domain/errors.ts';
import type { HttpRequest } from './listener/listener.ts';

/**
 * Methods the API knows, compared with the case they were sent in. No call takes PATCH, but who
 * tries it is answered what a path takes.
 */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
/**
 * Headers that hold one value, of those read here: two would be joined and taken for one. `Host`
 * and `Content-Length` are refused earlier; lists (`Accept`, `Prefer`, those of proxies) may come
 * in several.
 */
const SINGLE: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'cookie',
  'idempotency-key',
  'origin',
  'sec-fetch-site',
  'sec-websocket-key',
  'user-agent',
  'x-challenge-id',
  'x-internal-secret',
  'x-mcp-tool',
  'x-one-time-code',
]);

/** A method that passes the guard. */
export type Method = (typeof METHODS)[number];

/** A request copied out of the server's memory: valid after the handler returned. */
export interface RequestHead {
  readonly method: Method;
  /** Path as sent, still percent-encoded. */
  readonly path: string;
  /** Text after the question mark, empty without one. */
  readonly query: string;
  /** Values by lower-case name; repeated ones joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  /** Name of a header of one value that came more than once; null where none did. */
  readonly repeated: string | null;
  /** Null when the request names no length. */
  readonly contentLength: number | null;
}

/** Why a request's head is refused and its connection closed. Fixed set: it labels a counter. */
export type GuardRefusal =
  | 'duplicate_content_length'
  | 'duplicate_host'
  | 'missing_host'
  | 'bad_content_length'
  | 'transfer_encoding'
  | 'too_many_headers'
  | 'headers_too_large'
  | 'unknown_method'
  | 'malformed'
  | 'control_character';

/**
 * Copies a request and checks what the server's lenient parser lets through. On a refusal the
 * caller hands the response to `refuseHead` and does not answer within this turn: a pipelined
 * second request would still run (local-stack.md, "HTTP and WebSocket").
 */
export function guardRequest(request: HttpRequest): RequestHead | GuardRefusal {
  const headers = new Map<string, string>();
  let count = 0;
  let bytes = 0;
  let lengths = 0;
  let hosts = 0;
  let hasControl = false;
  let repeated: string | null = null;
  request.forEach((name, value) => {
    count += 1;
    bytes += name.length + value.length;
    if (name === 'content-length') lengths += 1;
    if (name === 'host') hosts += 1;
    hasControl ||= hasControlCharacter(value);
    const earlier = headers.get(name);
    if (earlier !== undefined && SINGLE.has(name)) repeated = name;
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`);
  });
  if (count > API.headersMaximum) return 'too_many_headers';
  if (bytes > API.headerBytesMaximum) return 'headers_too_large';
  if (headers.has('transfer-encoding')) return 'transfer_encoding';
  if (lengths > 1) return 'duplicate_content_length';
  if (hosts > 1) return 'duplicate_host';
  if (hosts === 0) return 'missing_host';
  if (hasControl) return 'control_character';
  const length = headers.get('content-length');
  if (length !== undefined && !/^\d{1,12}$/.test(length)) return 'bad_content_length';
  const sent = request.getCaseSensitiveMethod();
  const method = METHODS.find((known) => known === sent);
  if (method === undefined) return 'unknown_method';
  // a target of another form than that of calls to an origin (RFC 9112, section 3.2.1)
  if (!request.getUrl().startsWith('/')) return 'malformed';
  return {
    method,
    path: request.getUrl(),
    query: request.getQuery() ?? '',
    headers,
    repeated,
    contentLength: length === undefined ? null : Number(length),
  };
}

/**
 * Checks that no header of one value came twice. Errors: `invalid_request` with the header's path.
 */
export function assertHeadersOnce({ repeated }: Pick<RequestHead, 'repeated'>): void {
  if (repeated === null) return;
  const message = 'given more than once';
  throw new AppError('invalid_request', `the header ${repeated} is ${message}`, {
    fields: [{ path: `/header/${repeated}`, message }],
  });
}

/**
 * True when `text` holds a character that may not stand in a header value: all controls but the
 * tab.
 */
export function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((code < 32 && code !== 9) || code === 127) return true;
  }
  return false;
}
