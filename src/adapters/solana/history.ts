import { PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import { SOLANA } from '../../../config/limits/solana.ts';
import type { SolanaHistories, SolanaMovement, SolanaNode } from '../../ports/solana.ts';
import { askingOf, listedTransaction } from './asking.ts';

/** The token programs and the one of associated accounts (web3.md section 8.2). */
const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
].map((address) => new PublicKey(address));
const ASSOCIATED_TOKEN_PROGRAM = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

/** Transactions of an account, as a node lists them. */
export const signatureRows = z.array(
  z.object({
    signature: z.string().min(1).max(100),
    slot: z.int().nonnegative(),
    err: z.unknown(),
    confirmationStatus: z.string().nullish(),
  }),
);
const balances = z
  .array(
    z.object({
      mint: z.string(),
      owner: z.string().nullish(),
      uiTokenAmount: z.object({ amount: z.string().regex(/^\d{1,20}$/) }),
    }),
  )
  .nullish()
  .transform((rows) => rows ?? []);
const transactionSchema = z
  .object({ meta: z.object({ preTokenBalances: balances, postTokenBalances: balances }) })
  .nullable();

type Row = z.infer<typeof signatureRows>[number];

/**
 * Reads the history of the accounts that a wallet keeps a token in: its associated ones, whichever
 * of the token programs the token is of.
 */
export function createSolanaHistories(node: SolanaNode): SolanaHistories {
  const ask = askingOf(node);

  const rowsOf = (account: string, since: string | null): Promise<readonly Row[]> =>
    ask(signatureRows, 'getSignaturesForAddress', [
      account,
      {
        commitment: 'confirmed',
        limit: SOLANA.historyMaximum + 1,
        ...(since === null ? {} : { until: since }),
      },
    ]);

  async function movement(owner: string, mint: string, signature: string): Promise<SolanaMovement> {
    const found = await listedTransaction(ask, transactionSchema, signature);
    const held = (rows: z.infer<typeof balances>): bigint =>
      rows.reduce(
        (sum, row) =>
          row.mint === mint && row.owner === owner ? sum + BigInt(row.uiTokenAmount.amount) : sum,
        0n,
      );
    const { preTokenBalances, postTokenBalances } = found.meta;
    return { signature, units: held(postTokenBalances) - held(preTokenBalances) };
  }

  return {
    async of(owner, mint, since) {
      const lists = await Promise.all(
        associatedAccounts(owner, mint).map((account) => rowsOf(account, since)),
      );
      const newestFirst = [...new Map(lists.flat().map((row) => [row.signature, row])).values()];
      newestFirst.sort((one, other) => other.slot - one.slot);
      if (newestFirst.some(({ confirmationStatus }) => confirmationStatus !== 'finalized'))
        return { kind: 'unsettled' };
      if (newestFirst.length > SOLANA.historyMaximum) return { kind: 'too_long' };
      const movements: SolanaMovement[] = [];
      const landed = newestFirst.filter(({ err }) => err === null || err === undefined);
      for (let from = 0; from < landed.length; from += SOLANA.historyAtOnce)
        movements.push(
          ...(await Promise.all(
            landed
              .slice(from, from + SOLANA.historyAtOnce)
              .map(({ signature }) => movement(owner, mint, signature)),
          )),
        );
      return {
        kind: 'read',
        movements: movements.toReversed().filter(({ units }) => units !== 0n),
        newest: newestFirst[0]?.signature ?? null,
      };
    },
  };
}

/** Returns the associated accounts of a wallet for a token, one of each token program. */
export function associatedAccounts(owner: string, mint: string): readonly string[] {
  return TOKEN_PROGRAMS.map((program) =>
    PublicKey.findProgramAddressSync(
      [new PublicKey(owner).toBytes(), program.toBytes(), new PublicKey(mint).toBytes()],
      ASSOCIATED_TOKEN_PROGRAM,
    )[0].toBase58(),
  );
}
