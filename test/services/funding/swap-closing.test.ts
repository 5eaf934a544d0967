import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { asId, type Address, type SwapId, type TransactionId } from '../../../src/domain/ids.ts';
import { SWAP } from '../../../config/limits/tokens.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import type { TransactionRecord, TransactionState } from '../../../src/domain/transaction.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import { openHold } from '../../../src/services/books/holds.ts';
import { balanceOf, postToLedger } from '../../../src/services/books/record-changes.ts';
import { createSwapClosings } from '../../../src/services/funding/swap-closing.ts';
import { createTransactionBooking } from '../../../src/services/funding/transaction-closing.ts';
import { putSwap, readSwap } from '../../../src/services/swaps/swap-records.ts';
import {
  newTransaction,
  openTransactions,
  putTransaction,
} from '../../../src/services/transactions/transaction-records.ts';
import {
  approveCall,
  callsBody,
  TRANSFER_TOPIC,
} from '../../../src/services/wallets/contract-calls.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { aSwap } from '../../support/fakes/fake-swaps.ts';

const USER = aUserId(1);
const WALLET = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');
const USDC = asId<Address>('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913');
const SPENDER = asId<Address>('0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE');
const word = (hex: string) => `0x${hex.slice(2).toLowerCase().padStart(64, '0')}` as const;

function receiptOf(drawn: bigint): EvmReceipt {
  return {
    transactionHash: '0x01',
    succeeded: true,
    blockNumber: 1,
    confirmations: 3,
    logs: [
      {
        address: USDC,
        topics: [TRANSFER_TOPIC, word(WALLET), word(SPENDER)],
        data: word(`0x${drawn.toString(16)}`),
        blockNumber: 1,
        logIndex: 0,
        transactionHash: '0x01',
      },
    ],
  };
}

/** Ends a swap of 25 USDC; returns what is queued after it. */
async function ended({
  state,
  drawn = null,
  approval = 'done',
}: {
  readonly state: 'done' | 'failed';
  readonly drawn?: bigint | null;
  readonly approval?: TransactionState;
}) {
  const store = createMemoryStore();
  const clock = createVirtualClock(T0);
  const books = createTransactionBooking({
    swaps: createSwapClosings({ clock, marketClock: clock, random: createSeededRandom('s') }),
  });
  const swapId = asId<SwapId>('swp_1');
  const account = { chain: 'BASE', rail: 'evm', address: WALLET } as const;
  await store.write((tx) => {
    const make = (kind: 'swap_approval' | 'swap') =>
      newTransaction(
        tx,
        {
          userId: USER,
          account,
          purpose: { owner: 'swaps', kind, data: { swapId } },
          body: callsBody([approveCall(USDC, SPENDER, 25_000_000n)]),
        },
        { transactionId: asId<TransactionId>(`txn_${kind}`), nowMs: T0 },
      );
    const approved = make('swap_approval');
    putTransaction(tx, { before: null, after: approved });
    putTransaction(tx, { before: approved, after: { ...approved, state: approval } });
    const queued = make('swap');
    putTransaction(tx, { before: null, after: queued });
    const others = newTransaction(
      tx,
      {
        userId: USER,
        account,
        purpose: { owner: 'safe', kind: 'deploy', data: {} },
        body: { kind: 'create_account' },
      },
      { transactionId: asId<TransactionId>('txn_waits'), nowMs: T0 },
    );
    putTransaction(tx, { before: null, after: others });
    const after = { ...queued, state };
    putTransaction(tx, { before: queued, after });
    books.close(tx, after, drawn === null ? null : receiptOf(drawn));
  });
  return openTransactions(store, USER).map(({ purpose, body }) => [purpose.kind, body]);
}

/** Ends a swap as failed, and each transaction that is to take its right back as `states` say. */
async function afterRevocations(states: readonly ('done' | 'failed')[]) {
  const store = createMemoryStore();
  const clock = createVirtualClock(T0);
  const books = createTransactionBooking({
    swaps: createSwapClosings({ clock, marketClock: clock, random: createSeededRandom('s') }),
  });
  const swapId = asId<SwapId>('swp_1');
  const account = { chain: 'BASE', rail: 'evm', address: WALLET } as const;
  const audited: string[] = [];
  await store.write((tx) => {
    const end = (
      kind: 'swap_approval' | 'swap',
      state: 'done' | 'failed',
      given?: TransactionRecord,
    ) => {
      const made =
        given ??
        newTransaction(
          tx,
          {
            userId: USER,
            account,
            purpose: { owner: 'swaps', kind, data: { swapId } },
            body: callsBody([approveCall(USDC, SPENDER, 25_000_000n)]),
          },
          { transactionId: asId<TransactionId>(`txn_${kind}`), nowMs: T0 },
        );
      if (given === undefined) putTransaction(tx, { before: null, after: made });
      const after = { ...made, state };
      putTransaction(tx, { before: made, after });
      books.close(tx, after, null);
    };
    end('swap_approval', 'done');
    end('swap', 'failed');
    for (const state of states) {
      const [open] = openTransactions(tx, USER);
      if (open !== undefined) end('swap_approval', state, open);
    }
  });
  for (const { event } of store.readJournal(0, 100))
    if (event.type === 'audit.recorded') audited.push(event.action);
  return {
    open: openTransactions(store, USER).map(({ purpose, body }) => [purpose.kind, body]),
    audited,
  };
}

const waits = ['deploy', { kind: 'create_account' }];
const takenBack = ['swap_approval', callsBody([approveCall(USDC, SPENDER, 0n)])];

describe('the right that a swap was given', () => {
  it('is taken back before anything else of the account where the swap fails', async () => {
    expect(await ended({ state: 'failed' })).toEqual([takenBack, waits]);
  });

  it('is left as it is where the swap used it up', async () => {
    expect(await ended({ state: 'done', drawn: 25_000_000n })).toEqual([waits]);
  });

  it('is taken back where the swap drew less than that', async () => {
    expect(await ended({ state: 'done', drawn: 24_000_000n })).toEqual([takenBack, waits]);
  });

  it('is tried again where taking it back failed, at the same place, and no more once it is done', async () => {
    expect((await afterRevocations(['failed'])).open).toEqual([takenBack]);
    expect((await afterRevocations(['failed', 'done'])).open).toEqual([]);
  });

  it('stays after so many failures, which the audit trail tells', async () => {
    const failures = Array.from({ length: SWAP.revocationsMaximum }, () => 'failed' as const);
    const before = await afterRevocations(failures.slice(1));
    expect([before.open, before.audited.includes('swap_right_left')]).toEqual([[takenBack], false]);
    const after = await afterRevocations(failures);
    expect([after.open, after.audited.includes('swap_right_left')]).toEqual([[], true]);
  });

  it('is absent where its own transaction failed', async () => {
    expect(await ended({ state: 'failed', approval: 'failed' })).toEqual([waits]);
  });
});

describe('a swap whose block was taken back and that fails then', () => {
  /** Ends a swap of 25 USDC of the books, undoes that; returns what is stored after it. */
  async function undone(to: 'BASE' | 'SOLANA', state: 'completed' | 'following') {
    const store = createMemoryStore();
    const clock = createVirtualClock(T0);
    const books = createTransactionBooking({
      swaps: createSwapClosings({ clock, marketClock: clock, random: createSeededRandom('s') }),
    });
    const swapId = asId<SwapId>('swp_1');
    const account = { chain: 'BASE', rail: 'evm', address: WALLET } as const;
    const cash = { userId: USER, cashAccount: 'usdc:base', usdc: usdcMicros(25_000_000) } as const;
    await store.write((tx) => {
      postToLedger(tx, USER, depositEntry({ ...cash, transferId: 'd1', atMs: T0 }));
      const make = (kind: 'swap_approval' | 'swap') => {
        const purpose = { owner: 'swaps', kind, data: { swapId } } as const;
        const body = callsBody([approveCall(USDC, SPENDER, 25_000_000n)]);
        const transactionId = asId<TransactionId>(`txn_${kind}`);
        const draft = { userId: USER, account, purpose, body };
        const made = newTransaction(tx, draft, { transactionId, nowMs: T0 });
        putTransaction(tx, { before: null, after: made });
        const done = { ...made, state: 'done' } as const;
        putTransaction(tx, { before: made, after: done });
        return done;
      };
      make('swap_approval');
      const swapped = make('swap');
      const { transactionId } = swapped;
      const hold = { ...cash, holdId: transactionId };
      openHold(tx, { ...hold, purpose: to === 'BASE' ? 'swap' : 'bridge' }, T0);
      const sell = { chain: 'BASE', address: USDC, symbol: 'USDC', decimals: 6 } as const;
      const swap = aSwap({ swapId, userId: USER, state, transactionId, sell });
      const buy = { ...swap.buy, chain: to };
      putSwap(tx, { before: null, after: { ...swap, buy, received: '7' } });
      books.close(tx, swapped, receiptOf(25_000_000n));
      const after = { ...swapped, state: 'failed', reason: 'undone: reverted' } as const;
      expect(books.undo?.(tx, after)).toBe(true);
    });
    const { state: ended, received } = readSwap(store, USER, swapId);
    return {
      ended,
      received,
      cash: balanceOf(store, USER, 'usdc:base'),
      open: openTransactions(store, USER).map(({ purpose, body }) => [purpose.kind, body]),
    };
  }

  it.each(['completed', 'following'] as const)(
    'L4: is failed where it was %s, what it held is in the books again, and its right is taken back',
    async (state) => {
      expect(await undone('BASE', state)).toEqual({
        ended: 'failed',
        received: null,
        cash: { settled: 25_000_000, provisional: 0 },
        open: [takenBack],
      });
    },
  );

  it('stays completed where a bridge has paid on the other chain', async () => {
    const { ended, received, cash } = await undone('SOLANA', 'completed');
    expect([ended, received, cash.settled]).toEqual(['completed', '7', 25_000_000]);
    expect((await undone('SOLANA', 'following')).ended).toBe('failed');
  });
});
