import { Connection, PublicKey, SendTransactionError, type TokenBalance } from '@solana/web3.js';
import { z } from 'zod';
import { SOLANA } from '../../../config/limits/solana.ts';
import { assert, AppError } from '../../domain/errors.ts';
import type {
  Solana,
  SolanaChanges,
  SolanaSendOutcome,
  SolanaTokenAccount,
} from '../../ports/solana.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { SolanaCalls } from './calls.ts';

/** The token program and its successor (web3.md section 8.2). */
const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
].map((address) => new PublicKey(address));

/** What a node tells of a token account; more is fine. */
const tokenAccountSchema = z.object({
  info: z.object({
    mint: z.string(),
    tokenAmount: z.object({
      amount: z.string().regex(/^\d{1,20}$/),
      decimals: z.int().min(0).max(255),
    }),
  }),
});
const mintSchema = z.object({
  type: z.literal('mint'),
  info: z.object({ decimals: z.int().min(0).max(255) }),
});

/**
 * Speaks to one Solana node through the network's own client library, over our bounded calls.
 * Source: web3.md section 8.2.
 */
export function createSolana(calls: SolanaCalls, metrics: Metrics): Solana & SolanaChanges {
  const head = followHead(metrics);
  const connection = new Connection('http://node.invalid', {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    httpAgent: false,
    fetch: fetchThrough(calls),
  });
  const final = (signature: string) =>
    reading(() =>
      connection.getTransaction(signature, {
        commitment: 'finalized',
        maxSupportedTransactionVersion: 0,
      }),
    );
  return {
    lamports: (owner) => reading(async () => BigInt(await connection.getBalance(keyOf(owner)))),
    async tokenAccounts(owner) {
      const key = keyOf(owner);
      const found = await Promise.all(
        TOKEN_PROGRAMS.map((programId) =>
          reading(
            async () => (await connection.getParsedTokenAccountsByOwner(key, { programId })).value,
          ),
        ),
      );
      return found
        .flat()
        .map(({ pubkey, account }) => readTokenAccount(pubkey.toBase58(), account.data.parsed))
        .filter(({ amount }) => amount > 0n);
    },
    async tokenDecimals(mint) {
      const key = keyOf(mint);
      const account = (await reading(() => connection.getParsedAccountInfo(key))).value;
      if (
        account === null ||
        !TOKEN_PROGRAMS.some((program) => program.equals(account.owner)) ||
        !('parsed' in account.data)
      )
        return null;
      return mintSchema.safeParse(account.data.parsed).data?.info.decimals ?? null;
    },
    latestBlockhash: () => reading(() => connection.getLatestBlockhash()),
    async blockHeight(commitment = 'confirmed') {
      const height = await reading(() => connection.getBlockHeight(commitment));
      if (commitment === 'confirmed') head.seen(height);
      return height;
    },
    send: (transaction, options) => send(connection, transaction, options?.skipsTrial ?? false),
    async status(signature) {
      const status = (
        await reading(() =>
          connection.getSignatureStatus(signature, { searchTransactionHistory: true }),
        )
      ).value;
      if (status === null) return { kind: 'absent' };
      return {
        kind: 'landed',
        slot: status.slot,
        commitment: status.confirmationStatus ?? 'processed',
        failure:
          status.err === null
            ? null
            : JSON.stringify(status.err).slice(0, SOLANA.reasonMaximumChars),
      };
    },
    async feePaid(signature) {
      const meta = (await final(signature))?.meta ?? null;
      return meta === null ? null : BigInt(meta.fee);
    },
    async change(signature, owner, mint) {
      const found = await final(signature);
      const meta = found?.meta ?? null;
      if (found === null || meta === null) return null;
      if (meta.err !== null) return 0n;
      if (mint !== null)
        return held(meta.postTokenBalances, owner, mint) - held(meta.preTokenBalances, owner, mint);
      const keys = found.transaction.message.staticAccountKeys;
      const at = keys.findIndex((key) => key.toBase58() === owner);
      const grown = BigInt((meta.postBalances[at] ?? 0) - (meta.preBalances[at] ?? 0));
      return at === 0 ? grown + BigInt(meta.fee) : grown;
    },
    async taken(signature, owner) {
      const found = await final(signature);
      const meta = found?.meta ?? null;
      if (found === null || meta === null) return null;
      const { staticAccountKeys } = found.transaction.message;
      // balances are of the named accounts, then of those that tables loaded
      const { writable = [], readonly: shown = [] } = meta.loadedAddresses ?? {};
      const at = [...staticAccountKeys, ...writable, ...shown].findIndex(
        (key) => key.toBase58() === owner,
      );
      return BigInt((meta.preBalances[at] ?? 0) - (meta.postBalances[at] ?? 0));
    },
  };
}

/**
 * Follows the height: the age of the newest block is at least the time since it was first seen, for
 * a height comes without the time of its block.
 */
function followHead(metrics: Metrics): { seen(height: number): void } {
  let newest = 0;
  let sinceMs = performance.now();
  return {
    seen(height) {
      const nowMs = performance.now();
      if (height > newest) [newest, sinceMs] = [height, nowMs];
      metrics.gauge('chain_head_age_seconds', (nowMs - sinceMs) / 1_000, { chain: 'solana' });
    },
  };
}

/** What a wallet has of a token, in all its accounts that a transaction names. */
function held(
  balances: readonly TokenBalance[] | null | undefined,
  owner: string,
  mint: string,
): bigint {
  return (balances ?? [])
    .filter((balance) => balance.owner === owner && balance.mint === mint)
    .reduce((sum, { uiTokenAmount }) => sum + BigInt(uiTokenAmount.amount), 0n);
}

/**
 * The library repeats nothing of its own: it hands over the bytes once and tells what came of it.
 */
async function send(
  connection: Connection,
  transaction: Uint8Array,
  skipPreflight: boolean,
): Promise<SolanaSendOutcome> {
  assert(
    transaction.length <= SOLANA.transactionMaximumBytes,
    `a transaction of at most ${SOLANA.transactionMaximumBytes} bytes, not ${transaction.length}`,
  );
  try {
    await connection.sendRawTransaction(transaction, {
      maxRetries: 0,
      skipPreflight,
      preflightCommitment: 'confirmed',
    });
    return { kind: 'accepted' };
  } catch (error) {
    if (!(error instanceof SendTransactionError)) return { kind: 'unknown', cause: nameOf(error) };
    const reason = error.transactionError.message
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, SOLANA.reasonMaximumChars);
    // The network has these very bytes: as good as taken.
    if (/already been processed/i.test(reason)) return { kind: 'accepted' };
    return { kind: 'refused', reason, isExpired: /blockhash not found/i.test(reason) };
  }
}

function readTokenAccount(account: string, parsed: unknown): SolanaTokenAccount {
  const { info } = tokenAccountSchema.parse(parsed);
  return {
    account,
    mint: info.mint,
    amount: BigInt(info.tokenAmount.amount),
    decimals: info.tokenAmount.decimals,
  };
}

/**
 * Whatever else goes wrong in a read, the node's answer could not be used. The library's messages
 * hold whole answers, so only their kind is reported.
 */
async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      'chain_unavailable',
      `Solana answered what cannot be used: ${nameOf(error)}`,
      { retryable: true },
    );
  }
}

function keyOf(text: string): PublicKey {
  try {
    return new PublicKey(text);
  } catch {
    throw new AppError('invalid_request', 'not an address of Solana: 32 bytes in base58');
  }
}

function nameOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  return error instanceof Error ? error.name : 'unknown failure';
}

function fetchThrough(calls: SolanaCalls): typeof fetch {
  return async (_url, init) => {
    assert(typeof init?.body === 'string', 'the library sends JSON text');
    return new Response(await calls.post(init.body), { status: 200 });
  };
}
