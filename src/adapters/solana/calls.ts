import { SOLANA } from '../../../config/limits/solana.ts';
import { AppError } from '../../domain/errors.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { createHttpCalls, type HttpOutcome } from '../wire/http-calls.ts';
import type { Transport } from '../wire/transport.ts';

/** JSON-RPC of one node over kept-alive connections. */
export interface SolanaCalls {
  /**
   * Gives the answer's text. Errors: `chain_unavailable`, `rate_limited` on 429, both retryable.
   * Neither holds the address, which may carry a key.
   */
  post(body: string): Promise<string>;
  close(): Promise<void>;
}

/** Opens a node. Nothing is repeated inside: the caller knows whether asking again makes sense. */
export function createSolanaCalls({
  rpcUrl,
  metrics,
  timeoutMs = SOLANA.callTimeoutMs,
  heard = () => undefined,
  open = createHttpCalls,
}: {
  /** May hold a path and a query: nodes take their keys there. */
  readonly rpcUrl: string;
  readonly metrics: Metrics;
  /** Real time one call may take. */
  readonly timeoutMs?: number;
  /** Called after each call: whether the node answered. */
  readonly heard?: (isAnswered: boolean) => void;
  /** How the node is reached; absent: over the network. */
  readonly open?: Transport['calls'];
}): SolanaCalls {
  const { pathname, search, origin } = new URL(rpcUrl);
  const calls = open({
    baseUrl: origin,
    connectionsMaximum: SOLANA.connectionsMaximum,
    keepAliveMs: SOLANA.keepAliveMs,
    connectTimeoutMs: SOLANA.connectTimeoutMs,
    answerMaximumBytes: SOLANA.answerMaximumBytes,
  });
  return {
    close: () => calls.close(),
    async post(body) {
      const stopTimer = metrics.startTimer('chain_call_duration_seconds', { chain: 'solana' });
      const outcome = await calls.send({
        method: 'POST',
        path: `${pathname}${search}`,
        body,
        timeoutMs,
      });
      stopTimer();
      const isAnswered = outcome.kind === 'answered' && outcome.status === 200;
      // One that asks for slower calls is there.
      heard(isAnswered || (outcome.kind === 'answered' && outcome.status === 429));
      metrics.count('chain_calls_total', {
        chain: 'solana',
        outcome: isAnswered ? 'answered' : 'failed',
      });
      if (isAnswered) return outcome.text;
      throw failureOf(outcome);
    },
  };
}

function failureOf(outcome: HttpOutcome): AppError {
  if (outcome.kind !== 'answered')
    return new AppError('chain_unavailable', `Solana does not answer: ${outcome.cause}`, {
      retryable: true,
    });
  const { status, retryAfterMs } = outcome;
  if (status !== 429)
    return new AppError('chain_unavailable', `Solana answered ${status}`, { retryable: true });
  return new AppError(
    'rate_limited',
    'Solana asks for slower calls',
    retryAfterMs === null ? { retryable: true } : { retryable: true, retryAfterMs },
  );
}
