import { VENUE_A } from '../../../config/limits/venue-a.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { HttpCalls, HttpOutcome } from '../../adapters/wire/http-calls.ts';
import {
  createLaneLimit,
  createRateLimit,
  type RateLimit,
} from '../../adapters/wire/rate-limit.ts';
import { NETWORK, type Transport } from '../../adapters/wire/transport.ts';
import { accountHeaders, type ApiCredentials, type AuthHeaders } from './auth.ts';
import { VENUE_A_ID } from './id.ts';

/** Who calls: anonymous, or an account with its credentials. */
export interface Account {
  readonly address: Address;
  readonly credentials: ApiCredentials;
}

/** Families of calls, each with a rate of its own (venue_a.md section 7.3). */
type CallFamily = 'write' | 'ledger' | 'public' | 'keys' | 'directory' | 'data' | 'site';

/**
 * Who a read is for: orders and what they rest on, what agents search for, or people who browse.
 * Each has a share of the venue's rates.
 */
type CallLane = 'trading' | 'discovery' | 'browsing';

/** A call of the order-book, discovery or data interface, or of the website. */
export interface VenueCall {
  readonly family: CallFamily;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly headers?: AuthHeaders;
  /** Signs the call with the account's key. */
  readonly account?: Account;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Asked when its turn has come: where it says no the call is `unsent`. Absent: it is. */
  readonly isGranted?: (() => boolean) | undefined;
}

/** Calls the venue's HTTP interfaces; unless said otherwise, for trading. */
export interface VenueClient {
  /** One call, no retries. Being refused by our own rate limit is `unsent`. */
  call(call: VenueCall): Promise<HttpOutcome>;
  /**
   * A read whose answer must be JSON. Null for 404. Errors: `venue_unavailable` (retryable),
   * `venue_restricted`, `venue_protocol`, and `overloaded` (retryable) where too many calls of the
   * lane wait for our own rate limit.
   */
  read(call: VenueCall): Promise<unknown>;
  /** The same client, whose reads count for another lane. */
  inLane(lane: CallLane): VenueClient;
  close(): Promise<void>;
}

/** Base URLs, without trailing slashes. */
interface VenueUrls {
  readonly clobRest: string;
  readonly gamma: string;
  readonly dataApi: string;
  readonly site: string;
}

/** Calls to each of the venue's hosts. */
export interface VenueHosts {
  readonly clob: HttpCalls;
  readonly gamma: HttpCalls;
  readonly data: HttpCalls;
  readonly site: HttpCalls;
}

const RATES: Readonly<Record<CallFamily, number>> = {
  write: VENUE_A.writesPerSecond,
  ledger: VENUE_A.ledgerReadsPerSecond,
  public: VENUE_A.publicReadsPerSecond,
  keys: VENUE_A.keyCallsPerSecond,
  directory: VENUE_A.directoryReadsPerSecond,
  data: VENUE_A.dataReadsPerSecond,
  site: VENUE_A.siteReadsPerSecond,
};

const HOST_OF: Readonly<Record<CallFamily, keyof VenueHosts>> = {
  write: 'clob',
  ledger: 'clob',
  public: 'clob',
  keys: 'clob',
  directory: 'gamma',
  data: 'data',
  site: 'site',
};

/**
 * Makes the client: kept-alive connections, and a time-out, a size limit and a rate limit on every
 * call.
 */
export function createVenueClient({
  urls,
  hosts: given,
  transport = NETWORK,
  clock,
  metrics,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  readonly urls: VenueUrls;
  /** Takes the place of connections to `urls`. */
  readonly hosts?: VenueHosts;
  /** Default: the network. */
  readonly transport?: Transport;
}): VenueClient {
  const open = (baseUrl: string): HttpCalls =>
    transport.calls({
      baseUrl,
      connectionsMaximum: VENUE_A.connectionsMaximum,
      keepAliveMs: VENUE_A.keepAliveMs,
      connectTimeoutMs: VENUE_A.handshakeTimeoutMs,
      answerMaximumBytes: VENUE_A.answerMaximumBytes,
      // Default agents of libraries get 403 from the venue's CDN (venue_a.md section 1.1).
      headers: { 'user-agent': 'predictd/0.1' },
    });
  const hosts = given ?? {
    clob: open(urls.clobRest),
    gamma: open(urls.gamma),
    data: open(urls.dataApi),
    site: open(urls.site),
  };
  const limits = rateLimits(clock);
  metrics.beforeRead(() => {
    for (const [family, limit] of Object.entries(limits))
      metrics.gauge('venue_budget_used_ratio', limit.used(), { venue: VENUE_A_ID, family });
  });

  const callIn = async (lane: CallLane, wanted: VenueCall): Promise<HttpOutcome> => {
    try {
      const turn = limits[wanted.family].take(lane);
      if (turn !== null) await turn;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return {
        kind: 'unsent',
        cause: error.message,
        retryAfterMs: error.retryAfterMs ?? VENUE_A.retryAfterDefaultMs,
      };
    }
    if (wanted.signal?.aborted === true || wanted.isGranted?.() === false)
      return { kind: 'unsent', cause: 'given up before its turn' };
    const stopTimer = metrics.startTimer('venue_call_duration_seconds', {
      venue: VENUE_A_ID,
      family: wanted.family,
    });
    const outcome = await hosts[HOST_OF[wanted.family]].send({
      method: wanted.method,
      path: wanted.path + queryText(wanted.query),
      headers: headersOf(wanted, clock.nowMs()),
      ...(wanted.body === undefined ? {} : { body: wanted.body }),
      timeoutMs: wanted.timeoutMs ?? VENUE_A.readTimeoutMs,
      signal: wanted.signal,
    });
    stopTimer();
    metrics.count('venue_calls_total', {
      venue: VENUE_A_ID,
      family: wanted.family,
      outcome: outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : outcome.kind,
    });
    const refusal = refusalOf(outcome);
    if (refusal !== null)
      metrics.count('venue_refusals_total', { venue: VENUE_A_ID, reason: refusal });
    return outcome;
  };
  const inLane = (lane: CallLane): VenueClient => ({
    call: (wanted) => callIn(lane, wanted),
    read: async (wanted) => answerOf(wanted, await callIn(lane, wanted)),
    inLane,
    async close() {
      await Promise.all([
        hosts.clob.close(),
        hosts.gamma.close(),
        hosts.data.close(),
        hosts.site.close(),
      ]);
    },
  });
  return inLane('trading');
}

interface FamilyLimit {
  take(lane: CallLane): ReturnType<RateLimit['take']>;
  used: RateLimit['used'];
}

/** A rate for each family; lanes share those that people and agents may use up. */
function rateLimits(clock: Clock): Readonly<Record<CallFamily, FamilyLimit>> {
  const { laneShares, callsWaitingMaximum, browsingCallsWaitingMaximum } = VENUE_A;
  const bounds = (family: CallFamily) => ({
    name: `venue_a ${family}`,
    clock,
    perSecond: RATES[family],
    burst: RATES[family],
  });
  const own = (family: CallFamily): FamilyLimit =>
    createRateLimit({ ...bounds(family), waitingMaximum: callsWaitingMaximum });
  const shared = (family: CallFamily): FamilyLimit =>
    createLaneLimit({
      ...bounds(family),
      lanes: [
        { lane: 'trading', share: laneShares.trading, waitingMaximum: callsWaitingMaximum },
        { lane: 'discovery', share: laneShares.discovery, waitingMaximum: callsWaitingMaximum },
        {
          lane: 'browsing',
          share: laneShares.browsing,
          waitingMaximum: browsingCallsWaitingMaximum,
        },
      ],
    });
  return {
    write: own('write'),
    ledger: own('ledger'),
    public: shared('public'),
    keys: own('keys'),
    directory: shared('directory'),
    data: shared('data'),
    site: own('site'),
  };
}

/**
 * A mode or bound of the venue that refused a call (venue_a.md sections 7.2, 7.3 and 8.1); null for
 * every other answer.
 */
function refusalOf(
  outcome: HttpOutcome,
): 'restarting' | 'post_only' | 'cancel_only' | 'disabled' | 'throttled' | 'order_version' | null {
  if (outcome.kind !== 'answered' || outcome.status < 400) return null;
  if (outcome.status === 425) return 'restarting';
  if (outcome.status === 429) return 'throttled';
  const text = errorText(jsonOf(outcome.text)).toLowerCase();
  if (text.includes('order_version_mismatch')) return 'order_version';
  if (outcome.status !== 503) return null;
  if (text.includes('post-only mode') || text.includes('post_only_mode')) return 'post_only';
  if (text.includes('cancel-only')) return 'cancel_only';
  return text.includes('trading is currently disabled') ? 'disabled' : null;
}

/**
 * Parses an answer's body; undefined when it is no JSON: the CDN answers in HTML (venue_a.md
 * section 16).
 */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What a read's answer holds; null for a JSON 404. Errors: `venue_unavailable`, `venue_restricted`,
 * `rate_limited`, `overloaded` where our own rate limit let nothing leave, and `venue_protocol` for
 * a refusal or what is no JSON.
 */
export function answerOf(call: VenueCall, outcome: HttpOutcome): unknown {
  const what = `${call.method} ${call.path}`;
  if (outcome.kind === 'unsent' && outcome.retryAfterMs !== undefined)
    throw new AppError('overloaded', `${what}: ${outcome.cause}`, {
      retryable: true,
      retryAfterMs: outcome.retryAfterMs,
    });
  if (outcome.kind !== 'answered')
    throw new AppError('venue_unavailable', `${what}: ${outcome.cause}`, { retryable: true });
  const { status, text, retryAfterMs } = outcome;
  const value = jsonOf(text);
  if (status === 404 && value !== undefined) return null;
  if (status === 403) throw new AppError('venue_restricted', `${what}: refused with 403`);
  if (status === 429)
    throw new AppError('rate_limited', `${what}: asked for slower calls`, {
      retryable: true,
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
    });
  if (status >= 500 || status === 404 || status === 408 || status === 425)
    throw new AppError('venue_unavailable', `${what}: answered ${status}`, { retryable: true });
  if (status >= 400)
    throw new AppError(
      'venue_protocol',
      `${what}: answered ${status}: ${errorText(value).slice(0, 200)}`,
    );
  if (value === undefined) throw new AppError('venue_protocol', `${what}: the answer is no JSON`);
  return value;
}

/** The venue's own words in an error body; empty when there are none. */
export function errorText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  for (const name of ['error', 'errorMsg', 'error_msg'] as const) {
    const text: unknown = name in value ? Reflect.get(value, name) : undefined;
    if (typeof text === 'string' && text !== '') return text;
  }
  return '';
}

function headersOf(
  { account, method, path, body, headers }: VenueCall,
  nowMs: number,
): AuthHeaders {
  if (account === undefined) return headers ?? {};
  return {
    ...headers,
    ...accountHeaders(account.address, account.credentials, {
      method,
      path,
      body: body ?? '',
      timestampS: Math.floor(nowMs / 1_000),
    }),
  };
}

function queryText(query: Readonly<Record<string, string>> | undefined): string {
  return query === undefined ? '' : `?${new URLSearchParams(query).toString()}`;
}
