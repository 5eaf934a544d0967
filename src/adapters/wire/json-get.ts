import { Pool } from 'undici';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** Bounds of the calls to one base URL. */
export interface JsonGetOptions {
  /** Without a trailing slash; may hold a path such as "/v2". */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maximumBytes: number;
  readonly connectionsMaximum: number;
  /** Calls that may start within one second of the clock; more are refused with `rate_limited`. */
  readonly callsPerSecond: number;
}

/** One call. */
export interface JsonGetRequest {
  /** Path and query exactly as they shall travel, behind the base URL's own path. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** An answer of the server that is JSON, whatever its status below 500 and other than 429. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Reads JSON by GET from one base URL, bounded in time, size and rate. */
export interface JsonGet {
  /**
   * Errors: `venue_unavailable` (retryable) on a lost connection, a time-out, a 5xx or a body that is no JSON;
   * `rate_limited` (retryable) on 429 and 418, or when our own rate is used up; `venue_restricted` on 403 and 451 without JSON;
   * `venue_protocol` on a body over the limit.
   */
  get(request: JsonGetRequest): Promise<JsonAnswer>;
  /** The path in front of every request's path, as signatures need it: "/v2" or "". */
  readonly pathPrefix: string;
  close(): Promise<void>;
}

/** Makes a reader for one base URL. */
export function createJsonGet(options: JsonGetOptions): JsonGet {
  const url = new URL(options.baseUrl);
  const pathPrefix = url.pathname.replace(/\/$/, '');
  const pool = new Pool(url.origin, { connections: options.connectionsMaximum, connect: { timeout: options.timeoutMs } });
  const takeTurn = createPace(options.clock, options.callsPerSecond);
  return {
    pathPrefix,
    close: () => pool.close(),
    async get({ path, headers, signal }) {
      takeTurn(url.host);
      const deadline = AbortSignal.timeout(options.timeoutMs);
      const answer = await pool
        .request({ method: 'GET', path: pathPrefix + path, headers: { accept: 'application/json', ...headers }, signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]) })
        .then(async ({ statusCode, headers: answered, body }) => ({ statusCode, retryAfter: answered['retry-after'], text: await readText(body, options.maximumBytes) }))
        .catch((cause: unknown) => {
          throw cause instanceof AppError ? cause : unavailable(`${url.host} did not answer`, cause);
        });
      return judge(url.host, answer.statusCode, answer.text, retryAfterMs(answer.retryAfter));
    },
  };
}

function judge(host: string, status: number, text: string, waitMs: number | null): JsonAnswer {
  if (status === 429 || status === 418) {
    throw new AppError('rate_limited', `${host} asks for slower calls (${status})`, waitMs === null ? { retryable: true } : { retryable: true, retryAfterMs: waitMs });
  }
  if (status >= 500) throw unavailable(`${host} answered ${status}`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    if (status === 403 || status === 451) throw new AppError('venue_restricted', `${host} refuses this place (${status})`, { cause });
    throw unavailable(`${host} answered ${status} with a body that is no JSON`, cause);
  }
  return { status, body };
}

async function readText(body: AsyncIterable<Buffer> & { destroy(): unknown }, maximumBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maximumBytes) {
      body.destroy();
      throw new AppError('venue_protocol', `an answer over ${maximumBytes} bytes`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function retryAfterMs(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
}

/** Refuses more than `perSecond` starts within any window of a second. */
function createPace(clock: Clock, perSecond: number): (host: string) => void {
  let starts: number[] = [];
  return (host) => {
    const nowMs = clock.nowMs();
    starts = starts.filter((atMs) => nowMs - atMs < 1_000);
    const oldest = starts[0];
    if (oldest !== undefined && starts.length >= perSecond) {
      throw new AppError('rate_limited', `more than ${perSecond} calls a second to ${host}`, { retryable: true, retryAfterMs: oldest + 1_000 - nowMs });
    }
    starts.push(nowMs);
  };
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('venue_unavailable', message, cause === undefined ? { retryable: true } : { retryable: true, cause });
}
