import { Connection, PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import { BRIDGE_MODEL } from '../../../config/sandbox-limits/bridge.ts';
import type { SeenPayment } from './bridge-evm-watch.ts';

const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'].map((address) => new PublicKey(address));
const accountSchema = z.object({ info: z.object({ mint: z.string(), tokenAmount: z.object({ amount: z.string() }) }) });

/** Looks at token accounts of deposit addresses on the local Solana; what it reads is confirmed, which nothing can undo there. */
export interface SolanaWatch {
  /** Hands over each payment before it is counted as seen, so that a look cut short loses none. */
  look(addresses: readonly string[], take: (payment: SeenPayment) => void): Promise<void>;
}

/** Opens a watch. After a restart it reads every history anew: payments have ids, so none counts twice. */
export function createSolanaWatch(rpcUrl: string): SolanaWatch {
  const connection = new Connection(rpcUrl, { commitment: 'confirmed', disableRetryOnRateLimit: true, fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(BRIDGE_MODEL.callTimeoutMs) }) });
  /** Balance and newest signature of each token account at the last look. */
  const known = new Map<string, { readonly amount: string; readonly signature: string | null }>();

  async function lookAt(owner: string, take: (payment: SeenPayment) => void): Promise<void> {
    const found = await Promise.all(TOKEN_PROGRAMS.map(async (programId) => (await connection.getParsedTokenAccountsByOwner(new PublicKey(owner), { programId })).value));
    for (const { pubkey, account } of found.flat()) {
      const { mint, tokenAmount: { amount } } = accountSchema.parse(account.data.parsed).info;
      const name = pubkey.toBase58();
      const before = known.get(name);
      if (before?.amount === amount) continue;
      const since = before?.signature ?? null;
      const signatures = await connection.getSignaturesForAddress(pubkey, { limit: BRIDGE_MODEL.signaturesMaximum, ...(since === null ? {} : { until: since }) });
      for (const { signature, err } of [...signatures].reverse()) {
        const received = err === null ? await receivedBy(connection, signature, { owner, mint }) : 0n;
        if (received > 0n) take({ id: `solana:${signature}:${mint}`, address: owner, token: mint, amount: received.toString() });
      }
      known.set(name, { amount, signature: signatures[0]?.signature ?? since });
    }
  }

  return {
    async look(addresses, take) {
      for (const owner of addresses) await lookAt(owner, take);
    },
  };
}

/** How much more of a token an owner has after a transaction than before. */
async function receivedBy(connection: Connection, signature: string, { owner, mint }: { readonly owner: string; readonly mint: string }): Promise<bigint> {
  const transaction = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0, commitment: 'confirmed' });
  const sum = (balances: readonly { readonly mint: string; readonly owner?: string; readonly uiTokenAmount: { readonly amount: string } }[] | null | undefined): bigint =>
    (balances ?? []).filter((balance) => balance.owner === owner && balance.mint === mint).reduce((total, { uiTokenAmount }) => total + BigInt(uiTokenAmount.amount), 0n);
  return sum(transaction?.meta?.postTokenBalances) - sum(transaction?.meta?.preTokenBalances);
}
