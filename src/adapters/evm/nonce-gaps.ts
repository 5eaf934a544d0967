import { chainLabel, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { Metrics } from '../../ports/metrics.ts';

/** Shows how far transactions of a chain's accounts lie beyond what the chain has taken. */
export interface NonceGaps {
  /**
   * Notes how many nonces of an account are missing before its transaction; 0 where it is the next,
   * or has ended.
   */
  note(address: string, missing: number): void;
}

/** Makes the record of one chain; it holds accounts that lack something, one queue each. */
export function createNonceGaps(chain: Web3ChainId, metrics: Metrics): NonceGaps {
  const missingOf = new Map<string, number>();
  const show = () =>
    metrics.gauge('nonce_gap', Math.max(0, ...missingOf.values()), { chain: chainLabel(chain) });
  show();
  return {
    note(address, missing) {
      if (missing > 0) missingOf.set(address, missing);
      else missingOf.delete(address);
      show();
    },
  };
}
