import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TradeId } from '../../../src/domain/ids.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { TransactionStanding } from '../../../src/ports/venue.ts';
import { bookFill } from '../../../src/services/books/fill-booking.ts';
import { balanceOf, postToLedger, putOrder } from '../../../src/services/books/record-changes.ts';
import { FILLS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createUndoneSettlements } from '../../../src/services/funding/undone-bookings.ts';
import { aMarket, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { aSignedOrder, at, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const TERMS = { rules: { feeOf: () => usdcMicros(0) }, traits: at().traits };

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
