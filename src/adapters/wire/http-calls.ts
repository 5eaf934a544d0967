import { Pool } from 'undici';

/** Bounds of the calls to one base URL. */
export interface HttpCallsOptions {
  /** Without a trailing slash; may hold a path. */
  readonly baseUrl: string;
  readonly connectionsMaximum: number;
  readonly keepAliveMs: number;
  readonly connectTimeoutMs: number;
  readonly answerMaximumBytes: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One call. */
export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query exactly as they shall travel, behind the base URL's own path. */
  readonly path: string;
  /** A `content-type` here replaces that of JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Real time from the call to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What became of a call. `unsent` is certain: no connection came about, so the peer knows nothing
 * of it. `lost` is all that is left: time-outs, resets, aborts, answers over the limit; a write may
 * have been taken in (L2).
 */
export type HttpOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly text: string;
      readonly retryAfterMs: number | null;
    }
  | {
      readonly kind: 'unsent';
      readonly cause: string /** Set where our own rate limit let nothing leave: when to come back. */;
      readonly retryAfterMs?: number;
    }
  | { readonly kind: 'lost'; readonly cause: string; readonly isOversized?: true };

/**
 * Calls one base URL over kept-alive connections and never throws for what the network does.
 * Nothing is repeated inside.
 */
export interface HttpCalls {
  send(call: HttpCall): Promise<HttpOutcome>;
  close(): Promise<void>;
}

/** Failures that mean no connection was made, hence nothing was written. */
const UNSENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Makes calls to one base URL. */
export function createHttpCalls(options: HttpCallsOptions): HttpCalls {
  const url = new URL(options.baseUrl);
  const prefix = url.pathname.replace(/\/$/, '');
  const pool = new Pool(url.origin, {
    connections: options.connectionsMaximum,
    pipelining: 1,
    keepAliveTimeout: options.keepAliveMs,
    keepAliveMaxTimeout: options.keepAliveMs,
    connect: { timeout: options.connectTimeoutMs },
  });
  return {
    close: () => pool.close(),
    async send({ method, path, headers, body, timeoutMs, signal }) {
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await pool.request({
          method,
          path: prefix + path,
          headers: {
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...options.headers,
            ...headers,
          },
          body: body ?? null,
          signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        });
        const text = await readText(answer.body, options.answerMaximumBytes);
        if (text === null)
          return {
            kind: 'lost',
            cause: `an answer over ${options.answerMaximumBytes} bytes`,
            isOversized: true,
          };
        return {
          kind: 'answered',
          status: answer.statusCode,
          text,
          retryAfterMs: readRetryAfter(answer.headers['retry-after']),
        };
      } catch (error) {
        const code = codeOf(error);
        return UNSENT_CODES.has(code)
          ? { kind: 'unsent', cause: code }
          : { kind: 'lost', cause: deadline.aborted ? `no answer in ${timeoutMs} ms` : code };
      }
    },
  };
}

/** Reads a body as text; null, and the connection given up, beyond the limit. */
export async function readText(
  body: AsyncIterable<Buffer> & { destroy(): unknown },
  maximumBytes: number,
): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maximumBytes) {
      body.destroy();
      return null;
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/**
 * Milliseconds of a Retry-After in whole seconds; its date form is not used by the services called
 * here.
 */
export function readRetryAfter(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
}

/** True for a failure that means no connection was made, hence nothing was written. */
export function isNeverSent(error: unknown): boolean {
  return UNSENT_CODES.has(codeOf(error));
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
