import { API } from '../../config/limits/api.ts';
import type { RequestHead } from './guard.ts';
import type { Answer } from './respond.ts';

/** What a page of another origin may send. */
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-Challenge-Id, X-One-Time-Code, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID';
/** What such a page may read beyond the body. */
const EXPOSED_HEADERS =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id, X-Wall-Time-Ms, X-Market-Time-Ms, Idempotency-Replayed, Preference-Applied, ETag, Date, WWW-Authenticate, Mcp-Session-Id';

/** Lets pages of other origins read an answer, where their origin was configured. */
export type Cors = (head: RequestHead, answer: Answer) => Answer;

/**
 * Makes the rule of cross-origin calls (fetch.spec.whatwg.org, "CORS protocol") for exact origins
 * such as "https://app.example.com". Their callers show a bearer token, never a cookie, so
 * credentials are not allowed to anybody and `*` does not exist here. Without origins answers stay
 * as they are.
 */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins);
  if (allowed.size === 0) return (_head, answer) => answer;
  return (head, answer) => {
    const origin = head.headers.get('origin');
    const vary = answer.headers['Vary'];
    const headers = { ...answer.headers, Vary: vary === undefined ? 'Origin' : `${vary}, Origin` };
    if (origin === undefined || !allowed.has(origin)) return { ...answer, headers };
    const isPreflight =
      head.method === 'OPTIONS' && head.headers.has('access-control-request-method');
    return {
      ...answer,
      headers: {
        ...headers,
        'Access-Control-Allow-Origin': origin,
        ...(isPreflight ? preflight(answer) : { 'Access-Control-Expose-Headers': EXPOSED_HEADERS }),
      },
    };
  };
}

/**
 * An answer to OPTIONS carries the methods of its path; an unknown path has none, and
 * the page may not call.
 */
function preflight({ headers }: Answer): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': headers['Allow'] ?? '',
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': String(API.preflightKeptSeconds),
  };
}
