import { z } from 'zod';
import { SOLANA } from '../../../config/limits/solana.ts';
import { AppError } from '../../domain/errors.ts';
import type { SolanaAccount, SolanaNode, SolanaTrials } from '../../ports/solana.ts';
import { askingOf } from './asking.ts';

const account = z
  .object({
    lamports: z.number().int().nonnegative(),
    owner: z.string(),
    data: z.tuple([z.base64(), z.literal('base64')]),
  })
  .nullable();
const accountsSchema = z.object({ value: z.array(account) });
const trialSchema = z.object({
  value: z.object({ err: z.unknown(), accounts: z.array(account).nullish() }),
});
const aliveSchema = z.object({ value: z.boolean() });
const feeSchema = z.object({ value: z.int().nonnegative().nullable() });

/** Looks at transactions through one node (web3.md section 8.2). */
export function createSolanaTrials(node: SolanaNode): SolanaTrials {
  const ask = askingOf(node);
  return {
    async accounts(addresses) {
      const { value } = await ask(accountsSchema, 'getMultipleAccounts', [
        addresses,
        { encoding: 'base64', commitment: 'confirmed' },
      ]);
      if (value.length !== addresses.length)
        throw new AppError('chain_unavailable', 'Solana answered with other accounts', {
          retryable: true,
        });
      return value.map(accountOf);
    },
    async trial(transaction, watched) {
      const { value } = await ask(trialSchema, 'simulateTransaction', [
        Buffer.from(transaction).toString('base64'),
        {
          encoding: 'base64',
          sigVerify: false,
          replaceRecentBlockhash: false,
          commitment: 'confirmed',
          accounts: { encoding: 'base64', addresses: watched },
        },
      ]);
      if (value.err !== null && value.err !== undefined)
        return {
          failure: JSON.stringify(value.err).slice(0, SOLANA.reasonMaximumChars),
          after: [],
        };
      const after = (value.accounts ?? []).map(accountOf);
      if (after.length !== watched.length)
        throw new AppError('chain_unavailable', 'Solana answered with other accounts', {
          retryable: true,
        });
      return { failure: null, after };
    },
    async isAlive(blockhash) {
      const { value } = await ask(aliveSchema, 'isBlockhashValid', [
        blockhash,
        { commitment: 'finalized' },
      ]);
      return value;
    },
    async fee(message) {
      const { value } = await ask(feeSchema, 'getFeeForMessage', [
        Buffer.from(message).toString('base64'),
        { commitment: 'confirmed' },
      ]);
      return value === null ? null : BigInt(value);
    },
  };
}

function accountOf(wire: z.infer<typeof account>): SolanaAccount | null {
  if (wire === null) return null;
  const { lamports, owner, data } = wire;
  return { lamports: BigInt(lamports), program: owner, data: Buffer.from(data[0], 'base64') };
}
