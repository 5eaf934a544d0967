import { Connection, PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import { BRIDGE_MODEL } from '../../../../../config/limits/sandbox-chains.ts';
import type { SeenPayment } from './bridge-evm-watch.ts';

const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
].map((address) => new PublicKey(address));
const accountSchema = z.object({ info: z.object({ mint: z.string() }) });

/**
 * Polls token accounts of deposit addresses on the local Solana; what it reads is confirmed, which
 * nothing can undo there.
 */
export interface SolanaWatch {
  /** Hands over each payment before it is counted as seen, so that a poll cut short loses none. */
  poll(addresses: readonly string[], take: (payment: SeenPayment) => void): Promise<void>;
}

/**
 * Opens a watch. After a restart it reads every history anew: payments have ids, so none counts
 * twice.
 */
export function createSolanaWatch(rpcUrl: string): SolanaWatch {
  const connection = new Connection(rpcUrl, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    fetch: (url, init) =>
      fetch(url, { ...init, signal: AbortSignal.timeout(BRIDGE_MODEL.callTimeoutMs) }),
  });
  /**
   * Newest signature of each token account at the last poll. Not its balance: that is stated before
   * the payment is confirmed, and would hide it then.
   */
  const newest = new Map<string, string>();

  async function pollOwner(owner: string, take: (payment: SeenPayment) => void): Promise<void> {
    const found = await Promise.all(
      TOKEN_PROGRAMS.map(
        async (programId) =>
          (await connection.getParsedTokenAccountsByOwner(new PublicKey(owner), { programId }))
            .value,
      ),
    );
    for (const { pubkey, account } of found.flat()) {
      const { mint } = accountSchema.parse(account.data.parsed).info;
      const name = pubkey.toBase58();
      const until = newest.get(name);
      const signatures = await connection.getSignaturesForAddress(pubkey, {
        limit: BRIDGE_MODEL.signaturesMaximum,
        ...(until === undefined ? {} : { until }),
      });
      for (const { signature, err } of [...signatures].reverse()) {
        const received =
          err === null ? await receivedBy(connection, signature, { owner, mint }) : 0n;
        if (received > 0n)
          take({
            id: `solana:${signature}:${mint}`,
            address: owner,
            token: mint,
            amount: received.toString(),
          });
        newest.set(name, signature);
      }
    }
  }

  return {
    async poll(addresses, take) {
      for (const owner of addresses) await pollOwner(owner, take);
    },
  };
}

/**
 * How much more of a token an owner has after a transaction than before. Errors: a node that lists
 * a transaction and does not tell it yet; it is asked again.
 */
async function receivedBy(
  connection: Connection,
  signature: string,
  { owner, mint }: { readonly owner: string; readonly mint: string },
): Promise<bigint> {
  const transaction = await connection.getParsedTransaction(signature, {
    maxSupportedTransactionVersion: 0,
    commitment: 'confirmed',
  });
  if (transaction === null) throw new Error(`the node lists ${signature} and does not tell it yet`);
  const sum = (
    balances:
      | readonly {
          readonly mint: string;
          readonly owner?: string;
          readonly uiTokenAmount: { readonly amount: string };
        }[]
      | null
      | undefined,
  ): bigint =>
    (balances ?? [])
      .filter((balance) => balance.owner === owner && balance.mint === mint)
      .reduce((total, { uiTokenAmount }) => total + BigInt(uiTokenAmount.amount), 0n);
  return sum(transaction.meta?.postTokenBalances) - sum(transaction.meta?.preTokenBalances);
}
