import { SOLANA_SANDBOX } from '../../../../config/limits/sandbox-chains.ts';
import type { SolanaChain } from './chain.ts';

/**
 * A chain as a node sees it that has fallen behind: slots, heights and transactions of a while ago.
 * What accounts hold is the newest there is, since the past of accounts is kept nowhere.
 */
export function behind(chain: SolanaChain): SolanaChain {
  const { behindSlots } = SOLANA_SANDBOX;
  const isSeen = ({ slot }: { readonly slot: number }): boolean =>
    slot <= chain.time.slot() - behindSlots;
  return {
    ...chain,
    time: {
      ...chain.time,
      slot: () => chain.time.slot() - behindSlots,
      blockHeight: () => chain.time.blockHeight() - behindSlots,
      latestBlockhash(commitment) {
        const { blockhash, lastValidBlockHeight } = chain.time.latestBlockhash(commitment);
        return { blockhash, lastValidBlockHeight: lastValidBlockHeight - behindSlots };
      },
    },
    transaction(signature) {
      const transaction = chain.transaction(signature);
      return transaction !== null && isSeen(transaction) ? transaction : null;
    },
    *transactionsOf(key) {
      for (const transaction of chain.transactionsOf(key))
        if (isSeen(transaction)) yield transaction;
    },
  };
}
