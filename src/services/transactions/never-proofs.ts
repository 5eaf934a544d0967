import { TRANSACTION } from '../../../config/limits/funds.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { NeverProof } from '../../domain/transaction.ts';
import type { Clock } from '../../ports/clock.ts';

/**
 * Since when the chain has said of transactions that their nonce is used and no block has them.
 * These are two answers: of two nodes behind one address, one of which is behind, or of one node
 * before and after a block was taken back. At one moment they prove nothing, and what was signed
 * anew on them would be carried out beside the first. Those of a Safe and of Solana wait for blocks
 * by themselves (their rails).
 */
export interface NeverProofs {
  /** Notes the answer; true once it has been the same for TRANSACTION.neverProvenMs. */
  isProven(transactionId: TransactionId, proof: NeverProof): boolean;
  /** Another answer came. */
  forget(transactionId: TransactionId): void;
}

/** Makes the memory of them; lost at a restart, which costs the wait once more. */
export function createNeverProofs(clock: Pick<Clock, 'nowMs'>): NeverProofs {
  const sinceMs = new BoundedMap<TransactionId, number>(TRANSACTION.neverRemembered);
  return {
    isProven(transactionId, { kind }) {
      if (kind !== 'nonce_used') return true;
      const firstMs = sinceMs.get(transactionId) ?? clock.nowMs();
      sinceMs.set(transactionId, firstMs);
      return clock.nowMs() - firstMs >= TRANSACTION.neverProvenMs;
    },
    forget: (transactionId) => void sinceMs.delete(transactionId),
  };
}
