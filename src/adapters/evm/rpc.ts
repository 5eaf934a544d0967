import { createClient, http, type EIP1193RequestFn, type PublicRpcSchema } from 'viem';
import { CHAIN } from '../../../config/limits/chain.ts';
import { AppError } from '../../domain/errors.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { revertReason } from './revert.ts';

/** Where a chain is read. */
export interface RpcOptions {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly metrics: Metrics;
  /** Real time one call may take. */
  readonly timeoutMs?: number;
  /** Called after each call: whether the node answered. */
  readonly heard?: (isAnswered: boolean) => void;
}

/** The JSON-RPC methods of a node, typed. */
type RpcRequest = EIP1193RequestFn<PublicRpcSchema>;

/**
 * One node: calls that fail with typed errors, after a check that it serves the chain it should.
 */
export interface Rpc {
  /** Errors: `chain_unavailable` (retryable); `chain_reverted` when a contract refused the call. */
  ask<T>(what: (request: RpcRequest) => Promise<T>): Promise<T>;
}

/**
 * Opens a node. Nothing is repeated inside: the caller knows whether asking again makes sense. A
 * node of another chain is `chain_unavailable` for every call, since its answers would be about
 * other money.
 */
export function createRpc({
  chainId,
  rpcUrl,
  metrics,
  timeoutMs = CHAIN.callTimeoutMs,
  heard = () => undefined,
}: RpcOptions): Rpc {
  // For the operator's log alone, without path and query: node addresses carry keys.
  const place = new Error(`the node at ${new URL(rpcUrl).host}`);
  const client = createClient({ transport: http(rpcUrl, { timeout: timeoutMs, retryCount: 0 }) });
  // A client made without a schema serves the public methods; its type says less than that.
  const request = client.request as RpcRequest;
  let isChecked = false;

  const run = async <T>(what: (request: RpcRequest) => Promise<T>): Promise<T> => {
    const stopTimer = metrics.startTimer('chain_call_duration_seconds', { chain: String(chainId) });
    try {
      const answer = await what(request);
      heard(true);
      metrics.count('chain_calls_total', { chain: String(chainId), outcome: 'answered' });
      return answer;
    } catch (cause) {
      const reason = revertReason(cause);
      heard(reason !== null);
      metrics.count('chain_calls_total', {
        chain: String(chainId),
        outcome: reason === null ? 'failed' : 'reverted',
      });
      if (reason !== null)
        throw new AppError('chain_reverted', `chain ${chainId} refused the call: ${reason}`);
      // The library's messages hold the whole request: neither they nor the cause go into logs.
      throw new AppError(
        'chain_unavailable',
        `chain ${chainId} does not answer: ${cause instanceof Error ? cause.name : 'unknown failure'}`,
        { retryable: true, cause: place },
      );
    } finally {
      stopTimer();
    }
  };
  return {
    async ask(what) {
      if (!isChecked) {
        const reported = Number(await run((ask) => ask({ method: 'eth_chainId' })));
        if (reported !== chainId)
          throw new AppError(
            'chain_unavailable',
            `the node serves chain ${reported}, not ${chainId}`,
            { retryable: true, cause: place },
          );
        isChecked = true;
      }
      return run(what);
    },
  };
}
