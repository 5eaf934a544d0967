import { solanaMessages } from '../../../src/adapters/solana/messages.ts';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { ONE_DOLLAR } from '../../../src/domain/token-price.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { balanceOf, postToLedger } from '../../../src/services/books/record-changes.ts';
import { createSendClosings } from '../../../src/services/funding/send-closing.ts';
import { createSolanaTransfers } from '../../../src/services/funding/solana-transfers.ts';
import {
  createTokenTransfers,
  type TokenTransfers,
} from '../../../src/services/funding/token-transfers.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { createTransactions } from '../../../src/services/transactions/transactions.ts';
import { openRuntime } from '../../services/sign-in/identity-runtime.ts';
import { FakeSolanaRail } from '../fakes/fake-rails.ts';
import { fakePrices } from '../fakes/fake-token-data.ts';
import { createKeptLog, createKeptMetrics } from '../quiet.ts';

/** A wallet outside. */
const TO = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB';
const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** Dollars of Solana. */
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
/** What is asked for where a test does not say. */
export const REQUEST = { chain: 'SOLANA', token: 'USDC', amount: '5', to: TO } as const;

type Request = Parameters<TokenTransfers['transfer']>[1];

/**
 * A user with a phone, so much SOL, and so much USDC on chain and in the books, and the real
 * transfers of Solana for them over a rail in memory.
 */
export async function aSender({
  lamports = 1_000_000_000n,
  usdc = 20_000_000_000n,
  runtime: given,
}: {
  readonly lamports?: bigint;
  readonly usdc?: bigint;
  readonly runtime?: Awaited<ReturnType<typeof openRuntime<MemoryStore>>>;
} = {}) {
  const runtime = given ?? (await openRuntime());
  const { store, commit, clock, codes, vault, sessions, sent } = runtime;
  const { challengeId } = await sessions.requestCode('+14155552672');
  const { userId } = await sessions.verifyCode(challengeId, sent.at(-1)?.code ?? '');
  const wallet = runtime.accounts.profile(userId).wallets.solana;
  const rail = new FakeSolanaRail(clock);
  await commit((tx) =>
    postToLedger(
      tx,
      userId,
      depositEntry({
        userId,
        cashAccount: 'usdc:solana',
        transferId: 'd1',
        usdc: usdcMicros(Number(usdc)),
        atMs: clock.nowMs(),
      }),
    ),
  );
  const transactions = createTransactions({
    store,
    commit,
    rails: [rail],
    books: createTransactionBooking({ send: createSendClosings(clock) }),
    clock,
    random: runtime.random,
    log: createKeptLog(),
    metrics: createKeptMetrics(),
  });
  const transfers = createTokenTransfers({
    store,
    commit,
    transactions,
    codes,
    vault,
    prices: fakePrices((_chain, token) =>
      token === null ? { priceE18: 150n * 10n ** 18n, atMs: 1 } : ONE_DOLLAR,
    ),
    clock,
    marketClock: clock,
    chains: [
      createSolanaTransfers({
        cashAccountOf: () => 'usdc:solana',
        messages: solanaMessages,
        addressOf: () => wallet,
        accounts: {
          accounts: async ([address]) => [
            address === USDC ? { lamports: 1n, program: TOKENS, data: new Uint8Array() } : null,
          ],
        },
        solana: {
          lamports: async (owner) => (owner === wallet ? lamports : 0n),
          tokenAccounts: async (owner) =>
            owner === wallet ? [{ account: 'a', mint: USDC, amount: usdc, decimals: 6 }] : [],
        },
      }),
    ],
  });
  const codeFor = async (request: Request = REQUEST) => ({
    ...(await transfers.requestCode(userId, request)),
    code: sent.at(-1)?.code ?? '',
  });
  /** With a code of its own; waits until the chain has it for good. */
  const send = async (request: Request = REQUEST, key?: string) => {
    const proof = await codeFor(request);
    const sending = transfers.transfer(userId, request, {
      ...proof,
      waitMs: 8_000,
      ...(key === undefined ? {} : { key }),
    });
    sending.catch(() => undefined);
    await clock.advance(60_000);
    return sending;
  };
  const balance = () => balanceOf(store, userId, 'usdc:solana');
  return { ...runtime, userId, wallet, rail, transfers, codeFor, send, balance };
}
