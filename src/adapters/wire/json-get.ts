import { FEEDS } from '../../../config/limits/market-data.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { createHttpCalls } from './http-calls.ts';

/** One call. */
interface JsonGetRequest {
  /** Path and query exactly as they shall travel, behind the base URL's own path. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** An answer of the server that is JSON, whatever its status below 500 and other than 429. */
interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Reads JSON by GET from one base URL, bounded in time, size and rate. */
export interface JsonGet {
  /**
   * Errors: `venue_unavailable` (retryable) on a lost connection, a time-out, a 5xx or a body that
   * is no JSON; `rate_limited` (retryable) on 429 and 418, or when our own rate is used up;
   * `venue_restricted` on 403 and 451 without JSON; `venue_protocol` on a body over the limit.
   */
  get(request: JsonGetRequest): Promise<JsonAnswer>;
  /** The path in front of every request's path, as signatures need it: "/v2" or "". */
  readonly pathPrefix: string;
  close(): Promise<void>;
}

/** Makes a reader for one base URL. */
export function createJsonGet({
  baseUrl,
  clock,
  timeoutMs,
  maximumBytes,
  connectionsMaximum,
  callsPerSecond,
}: {
  /** Without a trailing slash; may hold a path such as "/v2". */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maximumBytes: number;
  readonly connectionsMaximum: number;
  /** Calls that may start within one second of the clock; more are refused with `rate_limited`. */
  readonly callsPerSecond: number;
}): JsonGet {
  const url = new URL(baseUrl);
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum,
    keepAliveMs: FEEDS.keepAliveMs,
    connectTimeoutMs: timeoutMs,
    answerMaximumBytes: maximumBytes,
  });
  const takeTurn = createPace(clock, callsPerSecond);
  return {
    pathPrefix: url.pathname.replace(/\/$/, ''),
    close: () => calls.close(),
    async get({ path, headers, signal }) {
      takeTurn(url.host);
      const outcome = await calls.send({
        method: 'GET',
        path,
        timeoutMs,
        signal,
        ...(headers === undefined ? {} : { headers }),
      });
      if (outcome.kind === 'answered')
        return judge(url.host, outcome.status, outcome.text, outcome.retryAfterMs);
      if (outcome.kind === 'lost' && outcome.isOversized === true)
        throw new AppError('venue_protocol', outcome.cause);
      throw unavailable(`${url.host} did not answer: ${outcome.cause}`);
    },
  };
}

function judge(host: string, status: number, text: string, waitMs: number | null): JsonAnswer {
  if (status === 429 || status === 418) {
    throw new AppError(
      'rate_limited',
      `${host} asks for slower calls (${status})`,
      waitMs === null ? { retryable: true } : { retryable: true, retryAfterMs: waitMs },
    );
  }
  if (status >= 500) throw unavailable(`${host} answered ${status}`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    if (status === 403 || status === 451)
      throw new AppError('venue_restricted', `${host} refuses this place (${status})`, { cause });
    throw unavailable(`${host} answered ${status} with a body that is no JSON`, cause);
  }
  return { status, body };
}

/** Refuses more than `perSecond` starts within any window of a second. */
function createPace(clock: Clock, perSecond: number): (host: string) => void {
  let starts: number[] = [];
  return (host) => {
    const nowMs = clock.nowMs();
    starts = starts.filter((atMs) => nowMs - atMs < 1_000);
    const oldest = starts[0];
    if (oldest !== undefined && starts.length >= perSecond) {
      throw new AppError('rate_limited', `more than ${perSecond} calls a second to ${host}`, {
        retryable: true,
        retryAfterMs: oldest + 1_000 - nowMs,
      });
    }
    starts.push(nowMs);
  };
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError(
    'venue_unavailable',
    message,
    cause === undefined ? { retryable: true } : { retryable: true, cause },
  );
}
