import { AppError, type ErrorCode } from '../domain/errors.ts';
import { SHARED_LOG } from '../../config/limits/shared-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Lease } from '../ports/lease.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { MarketTime } from '../ports/market-time.ts';
import type { Idempotency } from '../services/idempotency.ts';
import type { RateLimits, Spend } from '../services/rate-limits.ts';
import { bearerToken } from './bearer.ts';
import { isSocketPath } from './live/protocol.ts';
import { assertKeyReaches } from './key-reach.ts';
import { assertHeadersOnce, type Method, type RequestHead } from './guard.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { parseBody } from './parse-body.ts';
import { parseQuery } from './query.ts';
import type { Answer } from './respond.ts';
import type { CallContext, Caller, Route } from './route.ts';
import type { RouteMatch } from './router.ts';
import type { ApiServices } from './services.ts';
import { failure, stored, success } from './route-answer.ts';
import { fingerprint } from './call-fingerprint.ts';

/** A whole request: head, body and who sent it. */
export interface ApiRequest {
  readonly head: RequestHead;
  /** The rows of the path; null for an unknown path. */
  readonly match: RouteMatch | null;
  readonly body: Uint8Array;
  readonly address: string;
  /** Reports whether it is a program on this machine, asking for itself. */
  readonly isLocal: () => boolean;
  /** True of a call from within this process, which needs no secret to be trusted. */
  readonly isInternal?: boolean;
  readonly requestId: string;
  /** Who calls, where that was found out before the body was read. */
  readonly entered?: Entered;
}

/** A caller who may make a call, and what is said of their budget. */
export interface Entered {
  readonly caller: Caller | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DispatchDeps {
  readonly services: ApiServices;
  readonly rateLimits: RateLimits;
  readonly idempotency: Idempotency;
  /** Market time, in which books are stamped and orders end. */
  readonly nowMs: () => number;
  /** The wall's, in which callers speak and are answered. */
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly marketTime: MarketTime;
  readonly log: Log;
  /** Whether this process owns the log of commits: what changes something needs that. */
  readonly lease: Lease;
  /** True where anybody may read the metrics. */
  readonly isMetricsOpen: boolean;
  readonly metrics: Pick<Metrics, 'count'>;
}

/** An answer and the row it came from, null where no row matched: the row labels the metrics. */
export interface Dispatched {
  readonly answer: Answer;
  readonly route: Route | null;
}

/**
 * Answers one request: finds the row, the user, the budget, the input, and runs the call once.
 * Never rejects.
 */
export async function dispatch(deps: DispatchDeps, request: ApiRequest): Promise<Dispatched> {
  const headers: Record<string, string> = {
    'X-Request-Id': request.requestId,
    ...request.entered?.headers,
  };
  let route: Route | null = null;
  try {
    const { match } = request;
    if (match === null) {
      takeBudget(deps, 'reads', request.address, headers);
      if (isSocketPath(request.head.path)) throw notUpgraded(headers);
      throw new AppError('not_found', `no route for ${nameOf(request.head)}`);
    }
    if (request.head.method === 'OPTIONS')
      return {
        answer: { status: 204, headers: { ...headers, Allow: allowed(match) }, body: null },
        route,
      };
    route = routeFor(match, request.head.method);
    if (route === null) {
      takeBudget(deps, 'reads', request.address, headers);
      headers.Allow = allowed(match);
      throw new AppError('method_not_allowed', `this path takes ${headers.Allow}`);
    }
    assertOwner(deps.lease, route);
    return { answer: await answerCall(deps, request, route, match, headers), route };
  } catch (error) {
    return { answer: failure(deps, error, request, headers), route };
  }
}

/**
 * Finds out who calls and takes their budget before the body is read; gives the refusal where they
 * may not. Never rejects.
 */
export async function enter(
  deps: DispatchDeps,
  request: ApiRequest,
  route: Route,
): Promise<Entered | { readonly refusal: Answer }> {
  const headers: Record<string, string> = { 'X-Request-Id': request.requestId };
  try {
    return { caller: await callerOf(deps, route, request, headers), headers };
  } catch (error) {
    return { refusal: failure(deps, error, request, headers) };
  }
}

/**
 * A request to the sockets' path that asks for no socket gets here, since the gateway leaves it to
 * the calls.
 */
function notUpgraded(headers: Record<string, string>): AppError {
  headers.Upgrade = 'websocket';
  headers.Connection = 'Upgrade';
  return new AppError(
    'upgrade_required',
    'open a WebSocket here: GET with "Connection: Upgrade", "Upgrade: websocket" and "Sec-WebSocket-Key" (RFC 6455)',
  );
}

/** What only reads is answered by whoever has the data. */
function assertOwner(lease: Lease, { method }: Route): void {
  if (method === 'GET' || lease.isHeld()) return;
  throw new AppError('not_owner', 'this process does not own the log of commits at this moment', {
    retryable: true,
    retryAfterMs: SHARED_LOG.renewMs,
  });
}

/** The row of a method; null when the path has none for it. */
export function routeFor(match: RouteMatch, method: Method): Route | null {
  const wanted = method === 'HEAD' ? 'GET' : method;
  return wanted === 'OPTIONS' || wanted === 'PATCH' ? null : (match.routes.get(wanted) ?? null);
}

function allowed(match: RouteMatch): string {
  const methods = [...match.routes.keys()];
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

async function answerCall(
  deps: DispatchDeps,
  request: ApiRequest,
  route: Route,
  match: RouteMatch,
  headers: Record<string, string>,
): Promise<Answer> {
  const caller =
    request.entered === undefined
      ? await callerOf(deps, route, request, headers)
      : request.entered.caller;
  const call = route.prepare(
    {
      params: match.params,
      query: parseQuery(request.head.query),
      body: parseBody(request.head.headers, request.body, route),
    },
    caller?.userId ?? null,
  );
  const context: CallContext = {
    services: deps.services,
    requestId: request.requestId,
    address: request.address,
    header: (name) => request.head.headers.get(name) ?? null,
    answerWith: (name, value) => void (headers[name] = value),
    idempotencyKey: null,
    nowMs: deps.nowMs(),
    wallNowMs: deps.clock.nowMs(),
    marketTime: deps.marketTime,
  };
  const key = route.movesMoney
    ? idempotencyKeyOf(request.head.headers.get('idempotency-key') ?? null)
    : null;
  if (key === null || caller === null)
    return success(route, await call.run(context, caller), headers);
  const fresh: { answer: Answer | null } = { answer: null };
  const { answer, isReplay } = await deps.idempotency.run(
    { userId: caller.userId, key, fingerprint: fingerprint(route, call.input) },
    async (attemptKey) => {
      try {
        fresh.answer = success(
          route,
          await call.run({ ...context, idempotencyKey: attemptKey }, caller),
          headers,
        );
        return { answer: stored(fresh.answer), keep: true };
      } catch (error) {
        fresh.answer = failure(deps, error, request, headers);
        return { answer: stored(fresh.answer), keep: false };
      }
    },
  );
  // what is kept has no headers of its moment, such as when to come back
  if (!isReplay && fresh.answer !== null) return fresh.answer;
  deps.metrics.count('idempotent_replays_total');
  return {
    status: answer.status,
    headers: { ...headers, 'Content-Type': answer.contentType, 'Idempotency-Replayed': 'true' },
    body: answer.body,
  };
}

async function callerOf(
  deps: DispatchDeps,
  route: Route,
  request: ApiRequest,
  headers: Record<string, string>,
): Promise<Caller | null> {
  if (request.head.repeated !== null) takeBudget(deps, 'reads', request.address, headers);
  assertHeadersOnce(request.head);
  if (route.auth === 'public') {
    takeBudget(deps, route.budget, request.address, headers);
    return null;
  }
  if (route.auth === 'internal') {
    assertInternal(deps, request, headers);
    return null;
  }
  if (route.auth === 'operator') {
    assertOperator(deps, request, headers);
    return null;
  }
  try {
    const session = await deps.services.sessions.authenticate(bearerToken(request.head.headers));
    takeBudget(deps, route.budget, session.userId, headers);
    if (
      session.scopes !== null &&
      (route.scope === 'session' || !session.scopes.includes(route.scope))
    ) {
      throw new AppError(
        'forbidden',
        route.scope === 'session'
          ? 'an API key cannot do this; sign in'
          : `this API key may not ${route.scope}`,
      );
    }
    if (route.auth === 'user' && deps.services.accounts.profile(session.userId).username === null) {
      throw new AppError(
        'username_required',
        'choose a username by PUT /api/user/profile before anything else',
      );
    }
    const keyId = session.method === 'apikey' ? session.sessionId : null;
    if (keyId !== null) assertKeyReaches(deps.services, request, { ...session, keyId });
    return { ...session, keyId };
  } catch (error) {
    if (error instanceof AppError && AUTH_FAILURES.includes(error.code))
      deps.metrics.count('auth_failures_total', { reason: error.code });
    // a caller without a valid token is counted by address, so that guessing tokens is limited too
    if (error instanceof AppError && NO_CALLER.includes(error.code))
      takeBudget(deps, 'reads', request.address, headers);
    throw error;
  }
}

/**
 * Lets only services in that know the secret; where none is set there is nothing to call. Wrong
 * ones are counted by address, and tell nothing.
 */
function assertInternal(
  { services, log, rateLimits, metrics }: DispatchDeps,
  { head, address, requestId }: ApiRequest,
  headers: Record<string, string>,
): void {
  if (!services.internal.isOpen) throw new AppError('not_found', `no route for ${nameOf(head)}`);
  if (services.internal.isRight(head.headers.get('x-internal-secret') ?? '')) return;
  log.warn({ requestId, address }, 'internal.secret_refused');
  metrics.count('auth_failures_total', { reason: 'internal_secret' });
  takeBudget({ rateLimits }, 'sign_in_check', address, headers);
  throw new AppError('unauthenticated', 'this call is for services that know the internal secret');
}

function nameOf({ method, path }: ApiRequest['head']): string {
  return `${method} ${path.slice(0, 200)}`;
}

/** Codes of calls whose caller was not found. */
const NO_CALLER: readonly ErrorCode[] = [
  'unauthenticated',
  'token_invalid',
  'token_expired',
  'api_key_invalid',
];
/** The same, and callers who may not. */
const AUTH_FAILURES: readonly ErrorCode[] = [...NO_CALLER, 'forbidden'];

/** What a bucket counts, as the refusal says it. */
const COUNTED: Readonly<Record<Exclude<Route['budget'], 'none'>, string>> = {
  reads: 'reads a minute',
  writes: 'changes a minute, cancels and stops not counted,',
  stops: 'cancels and stops a minute',
  sign_in: 'codes and sign-ins an hour, of a user or from one address,',
  sign_in_check: 'checks of codes and secrets an hour from one address',
};

/**
 * Lets programs of this machine in, and those that know the internal secret; anybody where that is
 * configured.
 */
function assertOperator(
  deps: DispatchDeps,
  { head, address, isLocal }: ApiRequest,
  headers: Record<string, string>,
): void {
  const {
    services: { internal },
  } = deps;
  if (
    deps.isMetricsOpen ||
    isLocal() ||
    (internal.isOpen && internal.isRight(head.headers.get('x-internal-secret') ?? ''))
  )
    return;
  deps.metrics.count('auth_failures_total', { reason: 'operator' });
  takeBudget(deps, 'sign_in_check', address, headers);
  throw new AppError(
    'forbidden',
    'this is for programs on the same machine, and for those that show X-Internal-Secret',
  );
}

function takeBudget(
  deps: Pick<DispatchDeps, 'rateLimits'>,
  budget: Route['budget'],
  who: string,
  headers: Record<string, string>,
): void {
  if (budget === 'none') return;
  const spend: Spend = deps.rateLimits.spend(budget, who);
  headers['RateLimit-Limit'] = String(spend.limit);
  headers['RateLimit-Remaining'] = String(spend.remaining);
  headers['RateLimit-Reset'] = String(Math.ceil(spend.resetMs / 1_000));
  if (spend.allowed) return;
  throw new AppError(
    'rate_limited',
    `${spend.limit} ${COUNTED[budget]} are allowed; wait ${Math.ceil(spend.retryAfterMs / 1_000)} s`,
    {
      retryable: true,
      retryAfterMs: spend.retryAfterMs,
    },
  );
}
