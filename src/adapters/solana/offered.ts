import type { Solana, SolanaOffered, SolanaTrials } from '../../ports/solana.ts';
import { checkTransactionBound, readTransaction } from './transaction-bound.ts';

/** Takes the place of the blockhash: 32 zero bytes. */
const NO_BLOCKHASH = '11111111111111111111111111111111';

/** Tries out offered transactions on one node; they may call the programs given, base58. */
export function createSolanaOffered({
  solana,
  trials,
  programs,
}: {
  readonly solana: Pick<Solana, 'latestBlockhash'>;
  readonly trials: SolanaTrials;
  readonly programs: readonly string[];
}): SolanaOffered {
  const known = new Set(programs);
  return {
    async bounded(base64, bound) {
      const transaction = readTransaction(base64);
      if (transaction === null) return { kind: 'refused', fault: 'cannot be read' };
      const { message } = transaction;
      // others have signed over its blockhash, which is too old when it is our turn
      if (message.header.numRequiredSignatures !== 1)
        return { kind: 'refused', fault: 'wants more signatures than yours' };
      message.recentBlockhash = (await solana.latestBlockhash()).blockhash;
      const checked = await checkTransactionBound({ trials, programs: known }, transaction, bound);
      if (checked.kind === 'faulty') return { kind: 'refused', fault: checked.fault };
      if (checked.kind === 'failing')
        return { kind: 'refused', fault: `would fail: ${checked.failure}` };
      message.recentBlockhash = NO_BLOCKHASH;
      return { kind: 'bounded', base64: Buffer.from(message.serialize()).toString('base64') };
    },
    async fee(base64) {
      const message = readTransaction(base64)?.message;
      if (message === undefined) return null;
      message.recentBlockhash = (await solana.latestBlockhash()).blockhash;
      return trials.fee(message.serialize());
    },
  };
}
