import { VENUE_C } from '../../../config/limits/venue-c.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { HttpOutcome } from '../../adapters/wire/http-calls.ts';
import {
  createLaneLimit,
  createRateLimit,
  type RateLimit,
} from '../../adapters/wire/rate-limit.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { accountHeaders, type AccountToken } from './auth.ts';
import { VENUE_C_ID } from './id.ts';

/** Who a read is for: orders and what they rest on, agents that find markets, or people. */
type CallLane = 'trading' | 'discovery' | 'browsing';

/** What a call is counted as: a write, a read of the trading lane, or one of another lane. */
type CallFamily = 'writes' | 'reads' | 'browsing';

/** What is read. */
interface VenueRead {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Signs the call; absent or null for a public one. */
  readonly account?: AccountToken | null;
  readonly signal?: AbortSignal | undefined;
}

/** One call, of any method. */
interface VenueCall extends VenueRead {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Set of a question that is put by POST: it takes nothing of the rate of orders. */
  readonly isRead?: true;
  /** JSON text exactly as it shall travel and be signed. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Asked when its turn has come: where it says no the call is `unsent`. Absent: it is. */
  readonly isGranted?: (() => boolean) | undefined;
}

/** Calls the venue's HTTP interface; unless said otherwise, for trading. Nothing is repeated. */
export interface VenueClient {
  /** One call, whatever its status. Being refused by our own rate limit is `unsent`. */
  send(call: VenueCall): Promise<HttpOutcome>;
  /**
   * A read whose answer must be JSON; null for 404. Errors: those of `answerOf`.
   */
  read(call: VenueRead): Promise<unknown>;
  /** The same client, whose reads count for another lane. */
  inLane(lane: CallLane): VenueClient;
  close(): Promise<void>;
}

/**
 * Makes the client: kept-alive connections, those of trading apart from the others, and a
 * time-out, a size limit and a rate limit on every call.
 */
export function createVenueClient({
  url,
  transport,
  clock,
  wallClock,
  metrics,
}: {
  /** Base address without a trailing slash. */
  readonly url: string;
  readonly transport: Transport;
  /** Market time: rates go by it. */
  readonly clock: Clock;
  /** Wall time: signatures go by it. */
  readonly wallClock: Clock;
  readonly metrics: Metrics;
}): VenueClient {
  const open = (connectionsMaximum: number) =>
    transport.calls({
      baseUrl: url,
      connectionsMaximum,
      keepAliveMs: VENUE_C.keepAliveMs,
      connectTimeoutMs: VENUE_C.handshakeTimeoutMs,
      answerMaximumBytes: VENUE_C.answerMaximumBytes,
      headers: { 'user-agent': 'predictd/0.1' },
    });
  const [trading, browsing] = [open(VENUE_C.tradingConnections), open(VENUE_C.browsingConnections)];
  const prefix = new URL(url).pathname.replace(/\/$/, '');
  const limits = rateLimits(clock);
  metrics.beforeRead(() => {
    for (const [family, limit] of Object.entries(limits))
      metrics.gauge('venue_budget_used_ratio', limit.used(), { venue: VENUE_C_ID, family });
  });

  async function sendIn(lane: CallLane, call: VenueCall): Promise<HttpOutcome> {
    const family = familyOf(lane, call);
    try {
      const turn = limits[family].take(lane);
      if (turn !== null) await turn;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return {
        kind: 'unsent',
        cause: error.message,
        retryAfterMs: error.retryAfterMs ?? VENUE_C.retryAfterDefaultMs,
      };
    }
    if (call.signal?.aborted === true || call.isGranted?.() === false)
      return { kind: 'unsent', cause: 'given up before its turn' };
    const { method, body, account } = call;
    const path = call.path + queryText(call.query);
    const labels = { venue: VENUE_C_ID, family };
    const stopTimer = metrics.startTimer('venue_call_duration_seconds', labels);
    const outcome = await (family === 'browsing' ? browsing : trading).send({
      method,
      path,
      headers: {
        ...call.headers,
        ...(account === undefined || account === null
          ? {}
          : accountHeaders(account, {
              method,
              path: prefix + path,
              body: body ?? '',
              atMs: wallClock.nowMs(),
            })),
      },
      // without a body there is no content type, which the venue refuses there (section 2)
      ...(body === undefined ? {} : { body }),
      timeoutMs: call.timeoutMs ?? TIMEOUTS_MS[family],
      signal: call.signal,
    });
    stopTimer();
    metrics.count('venue_calls_total', {
      ...labels,
      outcome: outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : outcome.kind,
    });
    const refusal = outcome.kind === 'answered' ? REFUSALS[outcome.status] : undefined;
    if (refusal !== undefined)
      metrics.count('venue_refusals_total', { venue: VENUE_C_ID, reason: refusal });
    return outcome;
  }
  const inLane = (lane: CallLane): VenueClient => ({
    send: (call) => sendIn(lane, call),
    async read(given) {
      const call = { ...given, method: 'GET' } as const;
      return answerOf(call, await sendIn(lane, call));
    },
    inLane,
    async close() {
      await Promise.all([trading.close(), browsing.close()]);
    },
  });
  return inLane('trading');
}

const TIMEOUTS_MS: Readonly<Record<CallFamily, number>> = {
  writes: VENUE_C.writeTimeoutMs,
  reads: VENUE_C.readTimeoutMs,
  browsing: VENUE_C.browsingTimeoutMs,
};

/** Statuses that refuse a call whatever it asked for, by their names (venue_c.md section 13). */
const REFUSALS: Readonly<Partial<Record<number, string>>> = {
  425: 'restarting',
  429: 'throttled',
};

function familyOf(lane: CallLane, { method, isRead }: VenueCall): CallFamily {
  if (method !== 'GET' && isRead !== true) return 'writes';
  return lane === 'trading' ? 'reads' : 'browsing';
}

interface FamilyLimit {
  take(lane: CallLane): ReturnType<RateLimit['take']>;
  used: RateLimit['used'];
}

/** A rate for each family; agents and people share one. */
function rateLimits(clock: Clock): Readonly<Record<CallFamily, FamilyLimit>> {
  const { callsBurst: burst, callsWaitingMaximum: waitingMaximum, laneShares } = VENUE_C;
  const own = (family: CallFamily, perSecond: number): FamilyLimit =>
    createRateLimit({ name: `${VENUE_C_ID} ${family}`, clock, perSecond, burst, waitingMaximum });
  const browsing = createLaneLimit<CallLane>({
    name: `${VENUE_C_ID} browsing`,
    clock,
    perSecond: VENUE_C.browsingPerSecond,
    burst: VENUE_C.browsingBurst,
    lanes: [
      { lane: 'discovery', share: laneShares.discovery, waitingMaximum },
      {
        lane: 'browsing',
        share: laneShares.browsing,
        waitingMaximum: VENUE_C.browsingCallsWaitingMaximum,
      },
    ],
  });
  return {
    writes: own('writes', VENUE_C.writesPerSecond),
    reads: own('reads', VENUE_C.readsPerSecond),
    browsing,
  };
}

/**
 * What a read's answer holds; null for 404. Errors: `overloaded` where our own rate limit let
 * nothing leave, `rate_limited`, `venue_unavailable` (all retryable), `venue_restricted`, and
 * `venue_protocol` for another refusal and for what is no JSON.
 */
export function answerOf(call: VenueCall, outcome: HttpOutcome): unknown {
  const what = `${VENUE_C_ID} ${call.method} ${call.path}`;
  if (outcome.kind === 'unsent' && outcome.retryAfterMs !== undefined)
    throw new AppError('overloaded', `${what}: ${outcome.cause}`, {
      retryable: true,
      retryAfterMs: outcome.retryAfterMs,
    });
  if (outcome.kind !== 'answered')
    throw new AppError('venue_unavailable', `${what}: ${outcome.cause}`, { retryable: true });
  const { status, text } = outcome;
  const failure = failureOf(what, outcome);
  if (failure !== null) throw failure;
  const value = jsonOf(text);
  if (status === 404 && value !== undefined) return null; // in HTML it is the edge's
  if (status >= 400)
    throw new AppError('venue_protocol', `${what}: answered ${status}: ${refusalText(value)}`);
  if (value === undefined) throw new AppError('venue_protocol', `${what}: the answer is no JSON`);
  return value;
}

/**
 * Returns what an answer says of the venue and not of what was asked: too fast (its edge says so in
 * HTML), not from here, not now; null where it says nothing of the kind.
 */
function failureOf(
  what: string,
  { status, retryAfterMs }: { readonly status: number; readonly retryAfterMs: number | null },
): AppError | null {
  if (status === 429)
    return new AppError('rate_limited', `${what}: asked for slower calls`, {
      retryable: true,
      retryAfterMs: Math.min(
        retryAfterMs ?? VENUE_C.retryAfterDefaultMs,
        VENUE_C.retryAfterMaximumMs,
      ),
    });
  if (status === 401 || status === 403)
    return new AppError('venue_restricted', `${what}: refused with ${status}`);
  if (status >= 500 || status === 408 || status === 425)
    return new AppError('venue_unavailable', `${what}: answered ${status}`, { retryable: true });
  return null;
}

/** Longest part of the venue's own words that is shown. */
const REASON_CHARS = 200;

/**
 * Returns the venue's words in a refusal (venue_c.md section 13), cut and in plain characters;
 * empty where there are none.
 */
export function refusalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const said = ['message', 'error', 'msg', 'errors'].flatMap((name) => {
    const words: unknown = Reflect.get(value, name);
    return typeof words === 'string'
      ? [words]
      : Array.isArray(words)
        ? [JSON.stringify(words)]
        : [];
  });
  return (said[0] ?? '').replace(/[^\x20-\x7e]/g, '?').slice(0, REASON_CHARS);
}

/** Parses an answer's body; undefined where it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function queryText(query: Readonly<Record<string, string>> | undefined): string {
  return query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
}
