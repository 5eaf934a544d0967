import { expect, it } from 'vitest';
import { TRANSACTION, WALLET } from '../../../config/limits/funds.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createEvmWalletReads } from '../../../src/adapters/evm/wallet-reads.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { notificationAbout } from '../../../src/domain/notification-table.ts';
import { asId, type Address, type TradeId } from '../../../src/domain/ids.ts';
import { departureEntry, depositEntry } from '../../../src/domain/ledger-entries.ts';
import { usdcMicros, priceTicks, shareMicros } from '../../../src/domain/units.ts';
import type { Hex } from '../../../src/ports/evm.ts';
import type { TransactionStanding, WalletReads } from '../../../src/ports/venue.ts';
import { balanceOf, postToLedger, putOrder } from '../../../src/services/books/record-changes.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { pageOfDeposits } from '../../../src/services/funding/deposit-list.ts';
import {
  createUndoneMovements,
  createUndoneSettlements,
} from '../../../src/services/funding/undone-bookings.ts';
import { createWalletCash } from '../../../src/services/funding/wallet-cash.ts';
import { notificationOf } from '../../../src/services/notifications/notification-facts.ts';
import { aUserId, T0, aMarket, aTokenId } from '../../support/builders.ts';
import { FakeChain } from '../../support/fakes/fake-chain.ts';
import { EXCHANGE, hashOf, transferLog } from '../../support/fakes/fake-chain-logs.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { CONTRACTS } from '../../support/worlds/money-world.ts';
import { bookFill } from '../../../src/services/books/fill-booking.ts';
import { FILLS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import { aSignedOrder, at, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const WALLET_ADDRESS = asId<Address>(`0x${'ab'.repeat(20)}`);
const USDC = CONTRACTS.collateral;
const TERMS = { rules: { feeOf: () => usdcMicros(0) }, traits: at().traits };

/** A wallet on Base with 7 USDC in the books, the last 5 by a block that may be taken back. */
async function aDeposit() {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const chain = new FakeChain(clock, CONTRACTS);
  const log = createKeptLog();
  /** What the chain shows of the last one, where that is not what it has of it. */
  const shown: { standing: TransactionStanding | null } = { standing: null };
  const reads = createEvmWalletReads({
    evm: chain,
    walletOf: async () => WALLET_ADDRESS,
    usdc: USDC,
    conditionalTokens: CONTRACTS.conditionalTokens,
    exchanges: [EXCHANGE],
  });
  let came: Hex = '0x';
  const wallet: WalletReads = {
    ...reads,
    standing: async (hash, block) =>
      (hash === came ? shown.standing : null) ?? (await reads.standing?.(hash, block)) ?? 'final',
  };
  const parts = {
    store,
    commit: createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() }),
    cashAccount: 'usdc:base',
    wallet,
    clock,
    marketClock: clock,
    log,
  } as const;
  const mine = (blocks: number) => {
    for (let block = 0; block < blocks; block += 1) chain.mine();
  };
  const cash = createWalletCash({ ...parts, askAgain: createUndoneMovements(parts) });
  const read = async () => (await cash.read(USER)).rest;
  chain.mint(USDC, WALLET_ADDRESS, 2_000_000n);
  mine(3);
  await read();
  const bring = () =>
    chain.send((state, emit) => {
      state.addToken(USDC, WALLET_ADDRESS, 5_000_000n);
      emit(transferLog(USDC, EXCHANGE, { to: WALLET_ADDRESS, amount: 5_000_000n }));
    }, 'the deposit');
  came = bring();
  mine(4);
  await read();
  /** The chain takes back the block of the last one; what others do there goes on. */
  const takeBack = () => {
    chain.reorganise(4, 'lost');
    mine(5);
  };
  const booked = () => balanceOf(store, USER, 'usdc:base').settled;
  const notified = () =>
    store
      .readJournal(0, 1_000)
      .flatMap(({ event }) => notificationOf(store, event)?.facts.kind ?? []);
  const hashes = () =>
    store.readJournal(0, 1_000).flatMap(({ event }) => {
      const facts = notificationOf(store, event)?.facts;
      return facts === undefined ? [] : [notificationAbout(facts)['transactionHash']];
    });
  const lines = () =>
    pageOfDeposits(store, USER, { limit: 9, cursor: null }).data.flatMap((line) =>
      line.kind === 'arrival' ? [[line.arrival.usdc, line.arrival.takenBackAtMs ?? null]] : [],
    );
  const events = () => log.lines.map(({ event }) => event);
  /** A spend whose transaction the books do not name. */
  const spend = (micros: number) =>
    parts.commit((tx) => {
      const named = { userId: USER, cashAccount: parts.cashAccount, transferId: 'spent' } as const;
      postToLedger(tx, USER, departureEntry({ ...named, usdc: usdcMicros(micros), atMs: T0 }), {
        isToldByTransfer: true,
      });
    });
  const leave = () =>
    chain.send((state, emit) => {
      state.addToken(USDC, WALLET_ADDRESS, -3_000_000n);
      emit(transferLog(USDC, WALLET_ADDRESS, { to: EXCHANGE, amount: 3_000_000n }));
    }, 'by the exported key');
  return {
    clock,
    chain,
    shown,
    bring,
    leave,
    spend,
    mine,
    read,
    takeBack,
    booked,
    notified,
    hashes,
    lines,
    events,
  };
}

it('L4: a deposit that no block has any more is taken back after a while, and its owner is not warned of a stolen key', async () => {
  const { clock, read, takeBack, booked, notified, lines, events } = await aDeposit();
  expect(booked()).toBe(7_000_000);
  takeBack();
  for (let waitedMs = 0; waitedMs < WALLET.absentMs; waitedMs += WALLET.absentMs / 4) {
    expect([await read(), booked()]).toEqual(['unsettled', 7_000_000]);
    await clock.advance(WALLET.absentMs / 4);
  }
  expect([await read(), booked(), await read()]).toEqual(['unsettled', 2_000_000, 'nothing']);
  expect(notified()).toEqual(['deposit_booked', 'deposit_booked', 'deposit_taken_back']);
  expect(lines()).toContainEqual([5_000_000, clock.nowMs()]);
  expect(lines()).toContainEqual([2_000_000, null]);
  expect(events()).toContain('money.deposit_taken_back');
});

it('L4: one whose transaction failed when it was carried out again is taken back at once', async () => {
  const { shown, read, takeBack, booked } = await aDeposit();
  takeBack();
  shown.standing = 'failed';
  expect([await read(), booked(), await read()]).toEqual(['unsettled', 2_000_000, 'nothing']);
});

it('L2: one that came so long ago that a node may have forgotten its block is not called taken back', async () => {
  const { clock, read, takeBack, lines, events } = await aDeposit();
  await clock.advance(TRANSACTION.absenceProvesForMs + 1);
  takeBack();
  for (let reads = 0; reads < 3; reads += 1) {
    await read();
    await clock.advance(WALLET.absentMs);
  }
  expect(lines()).toContainEqual([5_000_000, null]);
  expect(events()).not.toContain('money.deposit_taken_back');
});

it('L2: one whose block the node has pruned is not called taken back, nor is what left', async () => {
  const { clock, chain, mine, read, lines, events } = await aDeparture();
  chain.oldestBlock = chain.blockNumber + 1;
  // a difference that no event explains: the chain is asked again
  chain.send((state) => state.addToken(USDC, WALLET_ADDRESS, -1_000_000n));
  mine(1);
  for (let reads = 0; reads < 3; reads += 1) {
    await read();
    await clock.advance(WALLET.absentMs);
  }
  expect(lines()).toContainEqual([5_000_000, null]);
  expect(events().filter((event) => event.endsWith('_taken_back'))).toEqual([]);
});

it('waits while its transaction is in a block again that is not final', async () => {
  const { clock, shown, read, takeBack, booked } = await aDeposit();
  takeBack();
  shown.standing = 'open';
  await read();
  await clock.advance(WALLET.absentMs);
  expect([await read(), booked()]).toEqual(['unsettled', 7_000_000]);
});

it('L4: what comes again after it was taken back is booked again, under a name of its own', async () => {
  const { clock, bring, mine, read, takeBack, booked, notified } = await aDeposit();
  takeBack();
  await read();
  await clock.advance(WALLET.absentMs);
  await read();
  expect(booked()).toBe(2_000_000);
  bring();
  mine(3);
  expect([await read(), booked(), await read()]).toEqual(['nothing', 7_000_000, 'nothing']);
  expect(notified().at(-1)).toBe('deposit_booked');
});

it('L4: what was spent of it before stays a difference where that is in no books to be undone, and is no deposit', async () => {
  const { clock, chain, mine, read, booked, spend, notified } = await aDeposit();
  await spend(6_000_000);
  expect(booked()).toBe(1_000_000);
  chain.reorganise(4, 'lost');
  mine(5);
  await read();
  await clock.advance(WALLET.absentMs);
  await read();
  for (let looks = 0; looks <= WALLET.readingsUnexplained; looks += 1) {
    expect([await read(), booked()]).toEqual(['unexplained', -4_000_000]);
    await clock.advance(WALLET.againMs);
  }
  expect(notified().at(-1)).toBe('deposit_taken_back');
});

/** A wallet on Base with 4 USDC in the books, 3 having left by its owner's key. */
async function aDeparture() {
  const world = await aDeposit();
  world.leave();
  world.mine(4);
  await world.read();
  expect(world.notified().at(-1)).toBe('money_departed');
  return world;
}

it("L4: what left by its owner's key, and no block has any more, is in the books again after a while, and is no deposit", async () => {
  const { clock, read, takeBack, booked, notified, lines, events } = await aDeparture();
  expect(booked()).toBe(4_000_000);
  takeBack();
  for (let waitedMs = 0; waitedMs < WALLET.absentMs; waitedMs += WALLET.absentMs / 4) {
    expect([await read(), booked()]).toEqual(['unsettled', 4_000_000]);
    await clock.advance(WALLET.absentMs / 4);
  }
  expect([await read(), booked(), await read()]).toEqual(['unsettled', 7_000_000, 'nothing']);
  expect(notified().slice(2)).toEqual(['money_departed', 'departure_taken_back']);
  expect(lines()).toHaveLength(2);
  expect(events()).toContain('money.departure_taken_back');
});

it('L4: what left again after it was taken back is booked again, under a name of its own', async () => {
  const { clock, leave, mine, read, takeBack, booked, notified } = await aDeparture();
  takeBack();
  await read();
  await clock.advance(WALLET.absentMs);
  await read();
  leave();
  mine(4);
  expect([await read(), booked(), await read()]).toEqual(['nothing', 4_000_000, 'nothing']);
  expect(notified().slice(3)).toEqual(['departure_taken_back', 'money_departed']);
});

it('L4: what left and is in a later block after a reorganisation is booked once, whatever comes beside it', async () => {
  const { chain, leave, mine, read, booked, notified } = await aDeparture();
  chain.reorganise(4, 'lost');
  mine(3);
  leave();
  chain.mint(USDC, WALLET_ADDRESS, 1_000_000n);
  mine(4);
  expect([await read(), booked(), await read()]).toEqual(['nothing', 5_000_000, 'nothing']);
  expect(notified().slice(3)).toEqual(['deposit_booked']);
});

it('L4: a deposit and what left of it are both taken back where the chain has neither any more', async () => {
  const { clock, chain, mine, read, booked, notified } = await aDeparture();
  chain.reorganise(8, 'lost');
  mine(9);
  await read();
  await clock.advance(WALLET.absentMs);
  expect([await read(), booked(), await read()]).toEqual(['unsettled', 2_000_000, 'nothing']);
  expect(notified().slice(3)).toEqual(['deposit_taken_back', 'departure_taken_back']);
});

it('notifications of money in a wallet name the transaction that moved it, taken back or not', async () => {
  const { clock, chain, mine, read, hashes } = await aDeparture();
  chain.reorganise(8, 'lost');
  mine(9);
  await read();
  await clock.advance(WALLET.absentMs);
  await read();
  const [first, deposit, departure, ...takenBack] = hashes();
  expect([first, deposit, departure]).toEqual([
    expect.stringMatching(/^0x/),
    hashOf('the deposit'),
    hashOf('by the exported key'),
  ]);
  expect(takenBack).toEqual([deposit, departure]);
});

/** A user who has bought twice for a dollar, each settled by a transaction of the venue. */
async function aTrader(standings: Readonly<Record<string, TransactionStanding>>) {
  const store = createMemoryStore();
  const usdc = usdcMicros(100_000_000);
  await store.write((tx) => {
    tx.put(TRADED_MARKETS, [aMarket(1).marketId], aMarket(1));
    const deposit = { userId: USER, transferId: 'd1', usdc, atMs: T0 };
    postToLedger(tx, USER, depositEntry({ ...deposit, cashAccount: 'usdc:safe' }));
    putOrder(tx, null, aSignedOrder({ state: 'live' }));
    for (const [tradeId, transactionHash] of [
      ['t1', '0xa'],
      ['t2', '0xb'],
    ] as const)
      bookFill(
        tx,
        {
          tradeId: asId<TradeId>(tradeId),
          orderId: ORDER_ID,
          marketId: aMarket(1).marketId,
          tokenId: aTokenId(1, 0),
          side: 'buy',
          role: 'taker',
          legs: [{ shares: shareMicros(2_000_000), price: priceTicks(5_000) }],
          fee: null,
          word: 'confirmed',
          matchedAtMs: T0,
          transactionHash,
        },
        { nowMs: T0, termsOf: () => TERMS },
      );
  });
  const ask = createUndoneSettlements({
    store,
    commit: createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() }),
    cashAccount: 'usdc:safe',
    wallet: { standing: async (hash) => standings[hash] ?? 'final' },
    clock: createVirtualClock(T0),
    marketClock: createVirtualClock(T0),
    log: createKeptLog(),
  });
  return {
    ask: () => ask(USER),
    cash: () => balanceOf(store, USER, 'usdc:safe').settled,
    settlements: () => store.range(FILLS, { prefix: [USER] }).map(({ value }) => value.settlement),
  };
}

it('L3, L4: takes back a trade whose settlement failed when it was carried out again, once, and no other', async () => {
  const { ask, cash, settlements } = await aTrader({ '0xa': 'failed' });
  expect(cash()).toBe(98_000_000);
  expect([await ask(), await ask()]).toEqual([true, false]);
  expect([cash(), settlements()]).toEqual([99_000_000, ['reversed', 'settled']]);
});

it.each<TransactionStanding>(['final', 'open', 'absent'])(
  'L2: leaves a trade whose settlement is %s',
  async (standing) => {
    const { ask, cash } = await aTrader({ '0xa': standing });
    expect([await ask(), cash()]).toEqual([false, 98_000_000]);
  },
);
