import { z } from 'zod';
import { SOLANA } from '../../../config/limits/solana.ts';
import type { SolanaArrival, SolanaArrivals, SolanaNode } from '../../ports/solana.ts';
import { askingOf, listedTransaction } from './asking.ts';
import { signatureRows } from './history.ts';

/** Of all accounts of a transaction: those of others may be beyond what a number holds exactly. */
const lamports = z.array(z.number().nonnegative());
const holdings = z
  .array(
    z.object({
      accountIndex: z.int().nonnegative(),
      owner: z.string().nullish(),
      uiTokenAmount: z.object({ amount: z.string() }),
    }),
  )
  .nullish()
  .transform((rows) => rows ?? []);
const transactionSchema = z
  .object({
    transaction: z.object({
      message: z.object({
        accountKeys: z.array(z.string()),
        header: z.object({ numRequiredSignatures: z.int().nonnegative() }),
      }),
    }),
    meta: z.object({
      preBalances: lamports,
      postBalances: lamports,
      preTokenBalances: holdings,
      postTokenBalances: holdings,
      loadedAddresses: z
        .object({ writable: z.array(z.string()), readonly: z.array(z.string()) })
        .nullish(),
    }),
  })
  .nullable();

/**
 * Reads what brought SOL to wallets from their own history (web3.md section 8.2). What an owner
 * signed is no arrival, whatever it brought.
 */
export function createSolanaArrivals(node: SolanaNode): SolanaArrivals {
  const ask = askingOf(node);

  async function arrival(owner: string, signature: string): Promise<SolanaArrival | null> {
    const found = await listedTransaction(ask, transactionSchema, signature);
    const { transaction, meta } = found;
    const { accountKeys, header } = transaction.message;
    const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
    const at = [...accountKeys, ...writable, ...readonly].indexOf(owner);
    const grown = (meta.postBalances[at] ?? 0) - (meta.preBalances[at] ?? 0);
    if (at < header.numRequiredSignatures || grown <= 0) return null;
    const held = (rows: z.output<typeof holdings>): string =>
      rows
        .filter((row) => row.owner === owner)
        .map(({ accountIndex, uiTokenAmount }) => `${accountIndex}:${uiTokenAmount.amount}`)
        .sort()
        .join();
    return {
      signature,
      lamports: BigInt(grown),
      movesTokens: held(meta.preTokenBalances) !== held(meta.postTokenBalances),
    };
  }

  return {
    async since(owner, since, isKnown) {
      const rows = await ask(signatureRows, 'getSignaturesForAddress', [
        owner,
        {
          commitment: 'confirmed',
          limit: SOLANA.arrivalsMaximum,
          ...(since === null ? {} : { until: since }),
        },
      ]);
      const final = rows.filter(({ confirmationStatus }) => confirmationStatus === 'finalized');
      const strangers = final
        .filter(({ err, signature }) => (err ?? null) === null && !isKnown(signature))
        .reverse();
      const arrivals: (SolanaArrival | null)[] = [];
      for (let from = 0; from < strangers.length; from += SOLANA.historyAtOnce)
        arrivals.push(
          ...(await Promise.all(
            strangers
              .slice(from, from + SOLANA.historyAtOnce)
              .map(({ signature }) => arrival(owner, signature)),
          )),
        );
      return {
        arrivals: arrivals.filter((one) => one !== null),
        newest: final[0]?.signature ?? null,
        isUnsettled: rows.some(
          ({ confirmationStatus, signature }) =>
            confirmationStatus !== 'finalized' && !isKnown(signature),
        ),
        isWhole: rows.length < SOLANA.arrivalsMaximum,
      };
    },
  };
}
