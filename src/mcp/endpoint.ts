import { hostHeaderValidationResponse } from '@modelcontextprotocol/server';
import { MCP } from '../../config/limits/mcp.ts';
import { BoundedMap } from '../domain/bounded-map.ts';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import type { Runtime } from '../ports/runtime.ts';
import { preferredType } from '../http/accept.ts';
import type { Endpoint, EndpointRequest } from '../http/endpoint.ts';
import { ERROR_RESPONSES } from '../http/errors.ts';
import type { RequestHead } from '../http/guard.ts';
import type { Answer } from '../http/respond.ts';
import type { RateLimits, Spend } from '../services/rate-limits.ts';
import type { Backend, KeyAccess } from './backend.ts';
import { createActiveKeys, type ActiveKeys } from './active-keys.ts';
import { connectPage, originOf } from './connect-page.ts';
import type { Protocol } from './protocol.ts';

/** `/mcp`: what does not reach it is refused in its own protocol too. */
export type McpEndpoint = Endpoint & Required<Pick<Endpoint, 'refuse'>>;

export interface EndpointDeps extends Pick<Runtime, 'clock' | 'log' | 'metrics'> {
  readonly backend: Backend;
  readonly protocol: Protocol;
  readonly rateLimits: RateLimits;
  /** Host names clients may ask for, without ports. */
  readonly hosts: readonly string[];
  /** Origins whose pages may call, beside those of this machine and the one that is asked for. */
  readonly origins: readonly string[];
  /** Tools that are counted apart, for a stop is never one call too many. */
  readonly stopTools: ReadonlySet<string>;
  /** Where people confirm orders, on the same host; null where that page is not served here. */
  readonly confirmPath: string | null;
}

/**
 * Code of "too many requests": outside of what JSON-RPC and the protocol keep for themselves
 * (mcp.md section 6).
 */
const RATE_LIMITED = -31_029;
/** Code of all other refusals at the gate: what this server cannot be asked (mcp.md section 2). */
const REFUSED = -32_000;

/**
 * Makes `/mcp`: who is no client of it, shows no key that holds, or asks too often, is refused
 * before the protocol is spoken.
 */
export function createMcpEndpoint(deps: EndpointDeps): McpEndpoint {
  const keys = createActiveKeys(deps);
  const holders = new BoundedMap<string, UserId>(MCP.activeKeysMaximum);
  return {
    path: '/mcp',
    recognize: (head) => holders.get(keyOf(head)) ?? null,
    async answer(request) {
      try {
        return await answerOne(deps, request, { keys, holders });
      } catch (error) {
        deps.log.error({ requestId: request.requestId, error: String(error) }, 'mcp.failed');
        return refusal(deps, request, { code: 'internal' });
      }
    },
    refuse: (request, refused) =>
      refused.code === 'overloaded'
        ? refusal(deps, request, {
            code: refused.code,
            headers: { 'Retry-After': String(refused.retryAfterSeconds) },
            data: { retryAfterSeconds: refused.retryAfterSeconds },
          })
        : refusal(deps, request, refused),
    close: () => deps.protocol.close(),
  };
}

/** Who has called of late. */
interface Callers {
  readonly keys: ActiveKeys;
  /** By their key. */
  readonly holders: BoundedMap<string, UserId>;
}

async function answerOne(
  deps: EndpointDeps,
  request: EndpointRequest,
  { keys, holders }: Callers,
): Promise<Answer> {
  const { head } = request;
  const asked = requestOf(request);
  const foreign = hostHeaderValidationResponse(asked, [...deps.hosts]);
  if (foreign !== undefined) {
    deps.metrics.count('mcp_refused_total', { reason: 'host' });
    return answerOf(foreign, request);
  }
  if (!isOwnOrigin(deps, head)) return refusal(deps, request, { code: 'forbidden' });
  if (head.method !== 'POST') return answerOtherMethod(deps, request);
  if (head.repeated !== null) return refusal(deps, request, { code: 'invalid_request' });
  const access = await accessOf(deps, request);
  const key = keyOf(head);
  if ('status' in access) {
    holders.delete(key);
    return access;
  }
  keys.called(access.keyId);
  holders.set(key, access.userId);
  const body = parsed(request.body);
  if (messagesIn(body) > MCP.requestsPerMinute)
    return refusal(deps, request, {
      code: 'invalid_request',
      data: { messages: messagesIn(body), limit: MCP.requestsPerMinute, windowSeconds: 60 },
    });
  const spend = spendAll(deps, access, body);
  const limits = limitHeaders(spend);
  if (!spend.allowed) return tooOften(deps, request, spend);
  const { requestId } = request;
  const origin = originOf(head.headers.get('host') ?? 'localhost');
  const confirmPage = deps.confirmPath === null ? null : `${origin}${deps.confirmPath}`;
  const answer = await deps.protocol.answer(asked, body, { access, requestId, confirmPage });
  return answerOf(answer, request, limits);
}

/**
 * The key of a request; or the answer to one that shows none that holds: the same whatever is wrong
 * with it.
 */
async function accessOf(deps: EndpointDeps, request: EndpointRequest): Promise<KeyAccess | Answer> {
  const { backend, rateLimits } = deps;
  try {
    return await backend.authenticate(keyOf(request.head));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== 'api_key_invalid') return refusal(deps, request, { code: error.code });
    const spend = rateLimits.spend('mcp_unauthenticated', request.address);
    if (!spend.allowed) return tooOften(deps, request, spend);
    return refusal(deps, request, {
      code: 'api_key_invalid',
      headers: {
        ...limitHeaders(spend),
        'WWW-Authenticate': 'Bearer realm="mcp", error="invalid_token"',
      },
    });
  }
}

function keyOf({ headers }: RequestHead): string {
  return /^Bearer +(\S{1,256}) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
}

/**
 * Reports whether a page may call: browsers say where it is from, with scheme and port, and another
 * port is another page. Pages of this machine may, wherever they are served.
 */
function isOwnOrigin({ origins }: EndpointDeps, { headers }: RequestHead): boolean {
  const origin = headers.get('origin');
  if (origin === undefined || origins.includes(origin)) return true;
  const from = URL.canParse(origin) ? new URL(origin) : null;
  return (
    from !== null && (LOOPBACK.has(from.hostname) || from.host === (headers.get('host') ?? ''))
  );
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Counts every message of a POST: an older client may send several in one, no more than a minute
 * allows.
 */
function spendAll(
  { rateLimits, stopTools }: EndpointDeps,
  { keyId }: KeyAccess,
  body: unknown,
): Spend {
  const { method, params } = Object(body);
  if (method === 'tools/call' && stopTools.has(String(Object(params).name)))
    return rateLimits.spend('mcp_stops', keyId);
  const messages = messagesIn(body);
  let spend = rateLimits.spend('mcp', keyId);
  for (let more = 1; more < messages && spend.allowed; more += 1)
    spend = rateLimits.spend('mcp', keyId);
  return spend;
}

function messagesIn(body: unknown): number {
  return Array.isArray(body) ? body.length : 1;
}

/** Undefined for what is no JSON: the protocol has its own answer to that. */
function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}

function answerOtherMethod(deps: EndpointDeps, request: EndpointRequest): Answer {
  const { head, requestId } = request;
  const allow = { Allow: 'POST' };
  if (head.method === 'OPTIONS')
    return { status: 204, headers: { ...allow, 'X-Request-Id': requestId }, body: null };
  const isRead = head.method === 'GET' || head.method === 'HEAD';
  const accept = head.headers.get('accept') ?? null;
  if (isRead && preferredType(accept, ['application/json', 'text/html']) === 'text/html') {
    const { contentType, body, headers } = connectPage(head.headers.get('host') ?? 'localhost');
    return {
      status: 200,
      headers: { ...headers, 'Content-Type': contentType, 'X-Request-Id': requestId },
      body,
    };
  }
  return refusal(deps, request, { code: 'method_not_allowed', headers: allow });
}

/** The key stays here: nothing behind needs it. */
function requestOf({ head, body }: EndpointRequest): Request {
  const headers = [...head.headers].filter(([name]) => name !== 'authorization');
  const hasBody = head.method === 'POST' || head.method === 'PUT';
  return new Request('http://localhost/mcp', {
    method: head.method,
    headers,
    ...(hasBody ? { body: Buffer.from(body) } : {}),
  });
}

async function answerOf(
  response: Response,
  { requestId }: EndpointRequest,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const headers: Record<string, string> = { 'X-Request-Id': requestId, ...more };
  for (const name of ['content-type', 'allow', 'x-accel-buffering']) {
    const value = response.headers.get(name);
    if (value !== null) headers[name.replace(/(^|-)\w/g, (start) => start.toUpperCase())] = value;
  }
  return { status: response.status, headers, body: await response.text() };
}

function tooOften(deps: EndpointDeps, request: EndpointRequest, spend: Spend): Answer {
  const retryAfterSeconds = Math.max(1, Math.ceil(spend.retryAfterMs / 1_000));
  return refusal(deps, request, {
    code: 'rate_limited',
    headers: { ...limitHeaders(spend), 'Retry-After': String(retryAfterSeconds) },
    data: { limit: spend.limit, windowSeconds: 60, retryAfterSeconds },
  });
}

function limitHeaders({ limit, remaining, resetMs }: Spend): Readonly<Record<string, string>> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(Math.ceil(resetMs / 1_000)),
  };
}

/** What a refusal at the gate says. */
interface Refusal {
  readonly code: ErrorCode;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A refusal as clients of either generation read it: neither takes it for a sign of the other. */
function refusal(
  { metrics }: Pick<EndpointDeps, 'metrics'>,
  { requestId }: Pick<EndpointRequest, 'requestId'>,
  { code, headers = {}, data = {} }: Refusal,
): Answer {
  metrics.count('mcp_refused_total', { reason: code });
  const response = ERROR_RESPONSES[code];
  return {
    status: response.status,
    headers: { ...headers, 'X-Request-Id': requestId, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: code === 'rate_limited' ? RATE_LIMITED : REFUSED,
        message: response.title,
        data: { code, requestId, ...data },
      },
    }),
  };
}
