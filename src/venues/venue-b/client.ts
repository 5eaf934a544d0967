import { VENUE_B } from '../../../config/limits/venue-b.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { HttpCalls, HttpOutcome } from '../../adapters/wire/http-calls.ts';
import {
  createLaneLimit,
  createRateLimit,
  type RateLimit,
} from '../../adapters/wire/rate-limit.ts';
import type { Transport } from '../../adapters/wire/transport.ts';
import { VENUE_B_ID } from './id.ts';

/**
 * Families of calls: markets and books, orders, how orders stand, whether a wallet's person is
 * verified.
 */
type CallFamily = 'metadata' | 'quote' | 'status' | 'identity';

/**
 * Who a read of metadata is for: orders and what they rest on, what agents search for, or people
 * who browse.
 */
type CallLane = 'trading' | 'discovery' | 'browsing';

/** One call. */
export interface VenueCall {
  readonly family: CallFamily;
  /** Behind the base address of the family; of metadata, behind its version. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; without one the call is a GET. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** What the venue answered: any status, with its JSON; undefined where it was none. */
export interface VenueAnswer {
  readonly status: number;
  readonly value: unknown;
  readonly retryAfterMs: number | null;
}

/**
 * Calls the venue's HTTP interfaces; unless said otherwise, for trading. Nothing is repeated
 * inside.
 */
export interface VenueClient {
  /**
   * One call, whatever its status. Errors: `venue_unavailable` where no answer came, `overloaded`
   * where too many calls wait for our own rate limit; both retryable.
   */
  call(call: VenueCall): Promise<VenueAnswer>;
  /**
   * A read whose answer must be JSON; null for 404. Errors: as `call`, `rate_limited`,
   * `venue_restricted`, `venue_unavailable`, `venue_protocol`.
   */
  read(call: VenueCall): Promise<unknown>;
  /** The same client, whose reads of metadata count for another lane. */
  inLane(lane: CallLane): VenueClient;
  close(): Promise<void>;
}

/** Base addresses without trailing slashes. */
interface VenueUrls {
  readonly metadataUrl: string;
  readonly tradeUrl: string;
  readonly proofUrl: string;
}

type Host = 'metadata' | 'trade' | 'proof';

const HOST_OF: Readonly<Record<CallFamily, Host>> = {
  metadata: 'metadata',
  quote: 'trade',
  status: 'trade',
  identity: 'proof',
};

/** Version of the metadata interface, before each of its paths (venue_b.md section 7). */
const METADATA_VERSION = '/api/v1';

/**
 * Makes the client: kept-alive connections, and a time-out, a size limit and a rate limit on every
 * call.
 */
export function createVenueClient({
  urls: { metadataUrl, tradeUrl, proofUrl },
  apiKey,
  transport,
  clock,
  metrics,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  readonly urls: VenueUrls;
  /**
   * What both interfaces take; null where none is asked for (venue_b.md section 3.1: the keyless
   * tier, a sandbox).
   */
  readonly apiKey: string | null;
  readonly transport: Transport;
}): VenueClient {
  const open = (baseUrl: string, key: string | null): HttpCalls =>
    transport.calls({
      baseUrl,
      connectionsMaximum: VENUE_B.connectionsMaximum,
      keepAliveMs: VENUE_B.keepAliveMs,
      connectTimeoutMs: VENUE_B.handshakeTimeoutMs,
      answerMaximumBytes: VENUE_B.answerMaximumBytes,
      headers: { 'user-agent': 'predictd/0.1', ...(key === null ? {} : { 'x-api-key': key }) },
    });
  const hosts: Readonly<Record<Host, HttpCalls>> = {
    metadata: open(`${metadataUrl}${METADATA_VERSION}`, apiKey),
    trade: open(tradeUrl, apiKey),
    // Public: it is asked without the key (venue_b.md section 11).
    proof: open(proofUrl, null),
  };
  const limits = rateLimits(clock);
  metrics.beforeRead(() => {
    for (const [family, limit] of Object.entries(limits))
      metrics.gauge('venue_budget_used_ratio', limit.used(), { venue: VENUE_B_ID, family });
  });

  async function send(lane: CallLane, { family, path, query, body, signal }: VenueCall) {
    const turn = limits[family].take(lane);
    if (turn !== null) await turn;
    const stopTimer = metrics.startTimer('venue_call_duration_seconds', {
      venue: VENUE_B_ID,
      family,
    });
    const outcome = await hosts[HOST_OF[family]].send({
      method: body === undefined ? 'GET' : 'POST',
      path: path + queryText(query),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: family === 'quote' ? VENUE_B.quoteTimeoutMs : VENUE_B.readTimeoutMs,
      signal,
    });
    stopTimer();
    metrics.count('venue_calls_total', {
      venue: VENUE_B_ID,
      family,
      outcome: outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : outcome.kind,
    });
    if (outcome.kind === 'answered' && outcome.status === 429)
      metrics.count('venue_refusals_total', { venue: VENUE_B_ID, reason: 'throttled' });
    return outcome;
  }
  const inLane = (lane: CallLane): VenueClient => ({
    call: async (call) => answerOf(call, await send(lane, call)),
    read: async (call) => valueOf(call, answerOf(call, await send(lane, call))),
    inLane,
    async close() {
      await Promise.all(Object.values(hosts).map((host) => host.close()));
    },
  });
  return inLane('trading');
}

interface FamilyLimit {
  take(lane: CallLane): ReturnType<RateLimit['take']>;
  used: RateLimit['used'];
}

/**
 * A rate for each family; lanes share that of the metadata. Too many that wait are `overloaded`:
 * the bound is ours.
 */
function rateLimits(clock: Clock): Readonly<Record<CallFamily, FamilyLimit>> {
  const { laneShares, callsWaitingMaximum: waitingMaximum, browsingCallsWaitingMaximum } = VENUE_B;
  const bounds = (family: CallFamily, perSecond: number) => ({
    name: `${VENUE_B_ID} ${family}`,
    clock,
    perSecond,
    burst: perSecond,
  });
  const own = (family: CallFamily, perSecond: number): FamilyLimit =>
    createRateLimit({ ...bounds(family, perSecond), waitingMaximum });
  const shared = createLaneLimit({
    ...bounds('metadata', VENUE_B.metadataReadsPerSecond),
    lanes: [
      { lane: 'trading', share: laneShares.trading, waitingMaximum },
      { lane: 'discovery', share: laneShares.discovery, waitingMaximum },
      {
        lane: 'browsing',
        share: laneShares.browsing,
        waitingMaximum: browsingCallsWaitingMaximum,
      },
    ],
  });
  return {
    metadata: orOverloaded(shared),
    quote: orOverloaded(own('quote', VENUE_B.quotesPerSecond)),
    status: orOverloaded(own('status', VENUE_B.statusReadsPerSecond)),
    identity: orOverloaded(own('identity', VENUE_B.identityReadsPerSecond)),
  };
}

function orOverloaded({ take, used }: FamilyLimit): FamilyLimit {
  return {
    used,
    take(lane) {
      try {
        return take(lane);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        throw new AppError('overloaded', error.message, {
          retryable: true,
          retryAfterMs: error.retryAfterMs ?? VENUE_B.retryAfterDefaultMs,
        });
      }
    },
  };
}

function answerOf(call: VenueCall, outcome: HttpOutcome): VenueAnswer {
  if (outcome.kind !== 'answered')
    throw new AppError('venue_unavailable', `${nameOf(call)}: ${outcome.cause}`, {
      retryable: true,
    });
  const { status, text, retryAfterMs } = outcome;
  return { status, value: jsonOf(text), retryAfterMs };
}

function valueOf(call: VenueCall, answer: VenueAnswer): unknown {
  const { status, value } = answer;
  if (status === 404) return null;
  const failure = failureOf(call, answer);
  if (failure !== null) throw failure;
  if (status >= 400)
    throw new AppError('venue_protocol', `${nameOf(call)}: ${status} ${refusalText(value)}`);
  if (value === undefined)
    throw new AppError('venue_protocol', `${nameOf(call)}: the answer is no JSON`);
  return value;
}

/**
 * Returns what an answer says of the venue and not of what was asked: too fast, not from here, not
 * now; null where it says nothing of the kind.
 */
export function failureOf(
  call: VenueCall,
  { status, retryAfterMs }: Pick<VenueAnswer, 'status' | 'retryAfterMs'>,
): AppError | null {
  if (status === 429)
    return new AppError('rate_limited', `${nameOf(call)}: asked for slower calls`, {
      retryable: true,
      retryAfterMs: Math.min(
        retryAfterMs ?? VENUE_B.retryAfterDefaultMs,
        VENUE_B.retryAfterMaximumMs,
      ),
    });
  if (status === 401 || status === 403)
    return new AppError('venue_restricted', `${nameOf(call)}: refused with ${status}`);
  if (status >= 500 || status === 408 || status === 425)
    return new AppError('venue_unavailable', `${nameOf(call)}: answered ${status}`, {
      retryable: true,
    });
  return null;
}

/** Longest part of the venue's own words that is shown. */
const REASON_CHARS = 200;

/**
 * Returns the venue's words in a refusal, cut and in plain characters; empty where there are none.
 */
export function refusalText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const parts = ['code', 'msg', 'error', 'message'].flatMap((name) => {
    const text: unknown = Reflect.get(value, name);
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
  return parts
    .join(': ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, REASON_CHARS);
}

function nameOf({ family, path }: VenueCall): string {
  return `${VENUE_B_ID} ${family} ${path}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function queryText(query: Readonly<Record<string, string>> | undefined): string {
  return query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
}
