import type { z } from 'zod';
import { TOKEN_DATA } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { createHttpCalls } from '../wire/http-calls.ts';
import { readAnswer } from '../wire/read-answer.ts';

/** Asks one source of token data. */
export interface TokenDataCalls {
  /** Null on 404. Errors: `token_data_unavailable`, `rate_limited`, each retryable. */
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema> | null>;
  close(): Promise<void>;
}

/** Makes the calls; `source` is its name in metrics and sentences. */
export function createTokenDataCalls({
  source,
  baseUrl,
  headers,
  metrics,
}: {
  readonly source: 'gecko_terminal' | 'dex_screener';
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metrics: Metrics;
}): TokenDataCalls {
  const { connectionsMaximum, keepAliveMs, connectTimeoutMs, answerMaximumBytes, callTimeoutMs } =
    TOKEN_DATA;
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum,
    keepAliveMs,
    connectTimeoutMs,
    answerMaximumBytes,
    headers,
  });
  return {
    close: () => calls.close(),
    async get(path, schema) {
      const outcome = await calls.send({ method: 'GET', path, timeoutMs: callTimeoutMs });
      const read = readAnswer(outcome, schema);
      metrics.count('token_data_calls_total', {
        source,
        outcome: read.kind === 'unread' ? 'failed' : 'answered',
      });
      if (read.kind === 'absent') return null;
      if (read.kind === 'read') return read.value;
      if (outcome.kind === 'answered' && outcome.status === 429)
        throw new AppError('rate_limited', `${source} asks for slower calls`, {
          retryable: true,
          ...(outcome.retryAfterMs === null ? {} : { retryAfterMs: outcome.retryAfterMs }),
        });
      throw new AppError('token_data_unavailable', `${source} ${read.why}`, { retryable: true });
    },
  };
}
