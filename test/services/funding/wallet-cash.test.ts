import { describe, expect, it } from 'vitest';
import { WALLET } from '../../../config/limits/funds.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { chainAccountOf, type CashAccount } from '../../../src/domain/cash.ts';
import { asId, type SwapId, type UserId } from '../../../src/domain/ids.ts';
import { departureEntry } from '../../../src/domain/ledger-entries.ts';
import type { TransactionRecord } from '../../../src/domain/transaction.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { WalletHistory, WalletMovement } from '../../../src/ports/venue.ts';
import { openHold } from '../../../src/services/books/holds.ts';
import { balanceOf, postToLedger } from '../../../src/services/books/record-changes.ts';
import { RESTORES } from '../../../src/services/books/tables.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { ARRIVALS } from '../../../src/services/funding/tables.ts';
import { notificationOf } from '../../../src/services/notifications/notification-facts.ts';
import { putSwap } from '../../../src/services/swaps/swap-records.ts';
import { SWAPS } from '../../../src/services/swaps/tables.ts';
import type { SwapRecord } from '../../../src/domain/swap.ts';
import { aSwap } from '../../support/fakes/fake-swaps.ts';
import { createWalletCash } from '../../../src/services/funding/wallet-cash.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import {
  newTransaction,
  putTransaction,
} from '../../../src/services/transactions/transaction-records.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const USER = asId<UserId>('usr_ada');
const BOOKED = {
  userId: USER,
  cashAccount: 'usdc:solana',
  usdc: usdcMicros(2_000_000),
  atMs: T0,
} as const;

function begin(store = createMemoryStore(), cashAccount: CashAccount = 'usdc:solana') {
  const clock = createVirtualClock(T0);
  const log = createKeptLog();
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  const chain = {
    movements: [] as WalletMovement[],
    /** What the balance shows before the history does. */
    ahead: 0,
    answer: null as WalletHistory | null,
    asked: [] as (string | null)[],
    onHoldings: () => undefined as void,
  };
  const cash = createWalletCash({
    store,
    commit,
    clock,
    marketClock: clock,
    log,
    cashAccount,
    askAgain: async () => false,
    wallet: {
      async holdings() {
        chain.onHoldings();
        const sum = chain.movements.reduce((all, { micros }) => all + micros, chain.ahead);
        return { usdc: usdcMicros(sum), tokens: new Map() };
      },
      async history(_userId, _tokenId, since) {
        chain.asked.push(since);
        const from = chain.movements.findIndex((one) => one.transactionHash === since) + 1;
        return (
          chain.answer ?? {
            kind: 'read',
            movements: chain.movements.slice(from),
            newest: chain.movements.at(-1)?.transactionHash ?? null,
          }
        );
      },
    },
  });
  const move = (transactionHash: string, micros: number) =>
    void chain.movements.push({ transactionHash, micros });
  const booked = () => balanceOf(store, USER, cashAccount).settled;
  const lines = () => store.range(ARRIVALS).map(({ value }) => value);
  return { store, commit, clock, log, chain, cash, move, booked, lines };
}

describe('USDC in a wallet of the user', () => {
  it('L4: is booked as it arrives, each transaction under its own name', async () => {
    const { cash, move, booked, lines } = begin();
    move('Sig1', 5_000_000);
    move('Sig2', 2_000_000);
    expect([await cash.read(USER), await cash.read(USER), booked()]).toEqual([
      { arrived: 2, rest: 'nothing' },
      { arrived: 0, rest: 'nothing' },
      7_000_000,
    ]);
    expect(lines().map(({ usdc, transactionHash }) => [usdc, transactionHash])).toEqual([
      [5_000_000, 'Sig1'],
      [2_000_000, 'Sig2'],
    ]);
  });

  it('L9: is booked once whatever was forgotten of it, and read from there on', async () => {
    const { store, cash, move } = begin();
    move('Sig1', 5_000_000);
    await cash.read(USER);
    const again = begin(store.crash());
    again.chain.movements.push({ transactionHash: 'Sig1', micros: 5_000_000 });
    again.move('Sig2', 1_000_000);
    await again.cash.read(USER);
    expect([again.booked(), again.chain.asked]).toEqual([6_000_000, ['Sig1']]);
  });

  it('is booked once however many read it at a time', async () => {
    const { cash, move, booked } = begin();
    move('Sig1', 5_000_000);
    const found = await Promise.all([cash.read(USER), cash.read(USER), cash.read(USER)]);
    expect([found.reduce((sum, { arrived }) => sum + arrived, 0), booked()]).toEqual([
      1, 5_000_000,
    ]);
  });

  it("leaves the books with what its owner's key has moved, and operators hear of it", async () => {
    const { cash, move, booked, log } = begin();
    move('Sig1', 5_000_000);
    await cash.read(USER);
    move('Sig2', -3_000_000);
    move('Sig3', 500_000);
    expect([await cash.read(USER), booked()]).toEqual([{ arrived: 1, rest: 'nothing' }, 2_500_000]);
    expect(log.lines.map(({ event }) => event)).toContain('money.departed');
  });

  it('waits for what is not final yet', async () => {
    const { cash, chain, move, booked } = begin();
    move('Sig1', 5_000_000);
    chain.answer = { kind: 'unsettled' };
    for (let looks = 0; looks < 5; looks += 1) await cash.read(USER);
    expect(booked()).toBe(0);
    chain.answer = null;
    await cash.read(USER);
    expect(booked()).toBe(5_000_000);
  });

  it('is one sum where no transaction explains it through several looks, and an error says so', async () => {
    const { cash, chain, clock, booked, lines, log } = begin();
    chain.ahead = 4_000_000;
    for (let looks = 1; looks < WALLET.readingsUnexplained; looks += 1) {
      expect(await cash.read(USER)).toEqual({ arrived: 0, rest: 'unexplained' });
      await clock.advance(WALLET.againMs);
    }
    expect(booked()).toBe(0);
    await cash.read(USER);
    expect([booked(), lines().map(({ transactionHash }) => transactionHash)]).toEqual([
      4_000_000,
      [null],
    ]);
    expect(log.lines.map(({ event }) => event)).toContain('money.unexplained');
  });

  it('is no sum of its own while many read at one moment, before the history has it', async () => {
    const { cash, chain, move, booked, lines, log } = begin();
    chain.ahead = 4_000_000;
    for (let looks = 0; looks <= WALLET.readingsUnexplained; looks += 1) await cash.read(USER);
    expect(booked()).toBe(0);
    chain.ahead = 0;
    move('Sig1', 4_000_000);
    await cash.read(USER);
    expect(lines().map(({ transactionHash }) => transactionHash)).toEqual(['Sig1']);
    expect(log.lines.map(({ level }) => level)).not.toContain('error');
  });

  it('is booked where an own swap has brought it, and not where an own transfer took it', async () => {
    const { store, cash, move, booked, lines } = begin();
    const sent = (transactionHash: string) =>
      ({
        userId: USER,
        account: { chain: 'SOLANA' },
        purpose: { owner: 'swaps', kind: 'swap', data: {} },
        attempts: [],
        transactionHash,
      }) as unknown as TransactionRecord; // what is read of one
    await store.write((tx) => {
      tx.put(TRANSACTIONS, [USER, 'one'], sent('Swap1'));
      tx.put(TRANSACTIONS, [USER, 'two'], sent('Send1'));
    });
    move('Swap1', 5_000_000);
    move('Sig0', 2_000_000);
    move('Send1', -2_000_000);
    expect([await cash.read(USER), booked()]).toEqual([{ arrived: 0, rest: 'unexplained' }, 0]);
    await store.write((tx) => {
      postToLedger(tx, USER, departureEntry({ ...BOOKED, transferId: 'sent' }));
    });
    await cash.read(USER);
    expect([booked(), lines().map(({ transactionHash }) => transactionHash)]).toEqual([
      5_000_000,
      ['Sig0', 'Swap1'],
    ]);
  });

  it('is not booked while it changes as it is looked at', async () => {
    const { cash, chain, move, booked } = begin();
    move('Sig1', 5_000_000);
    let looks = 0;
    chain.onHoldings = () => {
      looks += 1;
      if (looks === 2) move('Sig2', 1_000_000);
    };
    expect([await cash.read(USER), booked()]).toEqual([{ arrived: 0, rest: 'nothing' }, 0]);
  });

  it('is not booked while an own transaction is on its way out of it', async () => {
    const { cash, move, booked, commit } = begin();
    move('Sig1', 5_000_000);
    await cash.read(USER);
    const hold = {
      userId: USER,
      holdId: 'h1',
      purpose: 'transfer',
      cashAccount: 'usdc:solana',
      usdc: usdcMicros(1_000_000),
    } as const;
    await commit((tx) => openHold(tx, hold, T0));
    move('Sig2', -1_000_000);
    expect([await cash.read(USER), booked()]).toEqual([{ arrived: 0, rest: 'moving' }, 5_000_000]);
  });

  it.each<readonly [CashAccount, CashAccount]>([
    ['usdc:solana', 'usdc:base'],
    ['usdc:base', 'usdc:solana'],
  ])(
    'of %s is not booked while a transaction is on its way on its own chain, whatever is on that of %s',
    async (own, other) => {
      const { store, cash, move, booked, lines } = begin(undefined, own);
      const read = () => cash.read(USER);
      const open = (account: CashAccount, place: number) =>
        store.write((tx) => {
          const record = newTransaction(
            tx,
            {
              userId: USER,
              account: chainAccountOf(account, `wallet of ${account}`),
              purpose: { owner: 'swaps', kind: 'swap', data: { swapId: asId('swp_1') } },
              body: { kind: 'calls', calls: [] },
            },
            { transactionId: asId(`txn_${place}`), nowMs: T0 },
          );
          putTransaction(tx, { before: null, after: record });
          return record;
        });
      await open(other, 1);
      move('Tx1', 5_000_000);
      await read();
      expect([booked(), lines().map(({ transferId }) => transferId)]).toEqual([
        5_000_000,
        [`${chainAccountOf(own, '').chain}:Tx1`],
      ]);
      const record = await open(own, 2);
      move('Tx2', -1_000_000);
      expect([await read(), booked()]).toEqual([{ arrived: 0, rest: 'moving' }, 5_000_000]);
      await store.write((tx) =>
        putTransaction(tx, { before: record, after: { ...record, state: 'failed' } }),
      );
      await read();
      expect(booked()).toBe(4_000_000);
    },
  );

  it('that a bridge gave back is booked, and notified by the end of the bridge alone', async () => {
    const { store, cash, move, booked } = begin();
    const swap = { userId: USER, cashAccount: 'usdc:solana', amount: '14000000' } as const;
    const open = aSwap({ ...swap, state: 'following', receivedHash: null, received: null });
    const put = (record: SwapRecord) =>
      store.write((tx) => tx.put(SWAPS, [USER, record.swapId], record));
    await put(open);
    move('Refund1', 14_000_000);
    move('Another', 3_000_000);
    await cash.read(USER);
    await put({ ...open, state: 'refunded', receivedHash: 'Refund2', received: '13000000' });
    move('Refund2', 13_000_000);
    move('Same sum', 14_000_000);
    await cash.read(USER);
    expect(booked()).toBe(44_000_000);
    const notified = store
      .readJournal(0, 100)
      .flatMap(({ event }) => notificationOf(store, event)?.facts ?? [])
      .map((facts) => [facts.kind, 'usdc' in facts && facts.usdc]);
    expect(notified).toEqual([
      ['deposit_booked', 3_000_000],
      ['deposit_booked', 14_000_000],
    ]);
  });

  it.each([
    ['refunded', 'Refund1', ['Same sum']],
    ['completed', 'Elsewhere', ['Refund1', 'Same sum']],
  ] as const)(
    'of exactly the sum of a bridge is notified once the bridge has ended, where it was not what that gave back: %s',
    async (state, receivedHash, deposits) => {
      const { store, commit, cash, move } = begin();
      const swap = { userId: USER, cashAccount: 'usdc:solana', amount: '14000000' } as const;
      const open = aSwap({ ...swap, state: 'following', receivedHash: null, received: null });
      const other = { ...open, swapId: asId<SwapId>('swp_other') };
      const notified = () =>
        store
          .readJournal(0, 100)
          .flatMap(({ event }) => notificationOf(store, event)?.facts ?? [])
          .flatMap((facts) => (facts.kind === 'deposit_booked' ? [facts.transactionHash] : []));
      await commit((tx) => {
        putSwap(tx, { before: null, after: open });
        putSwap(tx, { before: null, after: other });
      });
      move('Refund1', 14_000_000);
      move('Same sum', 14_000_000);
      await cash.read(USER);
      expect(notified()).toEqual([]);
      await commit((tx) => putSwap(tx, { before: open, after: { ...open, state, receivedHash } }));
      // the other one may have given it back
      expect(notified()).toEqual([]);
      await commit((tx) =>
        putSwap(tx, { before: other, after: { ...other, state: 'completed', receivedHash: null } }),
      );
      expect(notified().toSorted()).toEqual([...deposits]);
    },
  );

  it.each([
    ['completed', 'completed', []],
    ['following', 'completed', []],
    ['queued', 'completed', []],
    ['queued', 'failed', ['Bought']],
    ['following', 'partial', ['Bought']],
  ] as const)(
    'that a swap brought is notified by the end of the swap alone: it came while that was %s, which then %s',
    async (state, end, deposits) => {
      const { store, commit, cash, move, booked } = begin();
      const notified = () =>
        store
          .readJournal(0, 100)
          .flatMap(({ event }) => notificationOf(store, event)?.facts ?? [])
          .flatMap((facts) => (facts.kind === 'deposit_booked' ? [facts.transactionHash] : []));
      const queued = aSwap({
        userId: USER,
        cashAccount: null,
        receivingAccount: 'usdc:solana',
        minimumOut: '9900000',
        state: 'queued',
        receivedHash: null,
        received: null,
      });
      const hashes = { completed: 'Bought', failed: null, partial: 'Other token' } as const;
      const ended = { ...queued, state: end, receivedHash: hashes[end] };
      const underWay = { ...queued, state: state === 'completed' ? 'queued' : state } as const;
      const close = () => commit((tx) => putSwap(tx, { before: underWay, after: ended }));
      await commit((tx) => putSwap(tx, { before: null, after: underWay }));
      if (state === 'completed') await close();
      move('Bought', 10_000_000);
      move('Too little', 3_000_000);
      await cash.read(USER);
      expect(notified()).toEqual(['Too little']);
      if (state !== 'completed') await close();
      expect([notified(), booked()]).toEqual([['Too little', ...deposits], 13_000_000]);
    },
  );

  it.each([
    ['before it ended', 'partial', ['Deposit']],
    ['after it ended', 'partial', ['Deposit']],
    ['before it ended', 'completed', ['Deposit', 'Paid']],
  ] as const)(
    'that a bridge paid instead of what was bought is notified by its end alone: read %s, %s',
    async (read, state, deposits) => {
      const { store, commit, cash, move, booked } = begin(undefined, 'usdc:base');
      const notified = () =>
        store
          .readJournal(0, 100)
          .flatMap(({ event }) => notificationOf(store, event)?.facts ?? [])
          .flatMap((facts) => (facts.kind === 'deposit_booked' ? [facts.transactionHash] : []));
      const open = aSwap({ userId: USER, state: 'following', receivedHash: null, received: null });
      const ended =
        state === 'completed'
          ? { ...open, state, receivedHash: 'Ether', received: '12462500000000000' }
          : {
              ...open,
              state,
              receivedHash: 'Paid',
              received: '20000000',
              receivedToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
            };
      const close = () => commit((tx) => putSwap(tx, { before: open, after: ended }));
      await commit((tx) => putSwap(tx, { before: null, after: open }));
      if (read === 'after it ended') await close();
      move('Deposit', 20_000_000);
      move('Paid', 20_000_000);
      await cash.read(USER);
      if (read === 'before it ended') {
        expect(notified()).toEqual([]);
        await close();
      }
      expect([notified().toSorted(), booked()]).toEqual([deposits, 40_000_000]);
    },
  );

  it.each([
    [
      'on another chain',
      { buy: { chain: 'ARBITRUM', address: null, symbol: 'ETH', decimals: 18 } },
    ],
    ['of one chain', { sell: { chain: 'BASE', address: '0x1', symbol: 'DAI', decimals: 18 } }],
  ] as const)(
    'is notified at once while a swap is under way that cannot bring it: %s',
    async (_, sides) => {
      const { store, commit, cash, move } = begin(undefined, 'usdc:base');
      const open = aSwap({ userId: USER, state: 'queued', receivedHash: null, ...sides });
      await commit((tx) => putSwap(tx, { before: null, after: open }));
      move('Deposit', 20_000_000);
      await cash.read(USER);
      const notified = store
        .readJournal(0, 100)
        .flatMap(({ event }) => notificationOf(store, event)?.facts ?? []);
      expect(notified).toContainEqual(expect.objectContaining({ transactionHash: 'Deposit' }));
    },
  );

  it('after a restore is booked while that is adopted alone, by its transactions, and no user is alarmed', async () => {
    const { store, cash, move, booked, chain, log } = begin();
    await store.write((tx) =>
      tx.put(RESTORES, ['newest'], { upToMs: T0, madeAtMs: T0, adoptedAtMs: null }),
    );
    move('Sig1', 5_000_000);
    move('Sig2', -2_000_000);
    expect(await cash.read(USER)).toEqual({ arrived: 0, rest: 'unexplained' });
    expect(booked()).toBe(0);
    expect(await cash.read(USER, 'adopting')).toEqual({ arrived: 1, rest: 'nothing' });
    expect(booked()).toBe(3_000_000);
    chain.ahead = -1;
    for (let times = 0; times < WALLET.readingsUnexplained * 2; times += 1)
      expect((await cash.read(USER, 'adopting')).rest).toBe('unexplained');
    expect(booked()).toBe(3_000_000);
    expect(log.lines.map(({ event }) => event)).not.toContain('money.departed');
    expect(store.readJournal(0, 100)).toContainEqual(
      expect.objectContaining({
        event: expect.objectContaining({
          detail: '2 USDC left the Solana wallet: adopted after a restore',
        }),
      }),
    );
  });
});
