import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TradeId } from '../../../src/domain/ids.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { bookFill } from '../../../src/services/books/fill-booking.ts';
import { balanceOf, postToLedger, putOrder } from '../../../src/services/books/record-changes.ts';
import { FILLS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { takeBackUndone } from '../../../src/services/funding/undone-trades.ts';
import { aMarket, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { aSignedOrder, at, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const TERMS = { rules: { feeOf: () => usdcMicros(0) }, traits: at().traits };

it('L4: takes back the settled fills of the transactions that the chain names, once, and no others', async () => {
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
  const marketClock = createVirtualClock(T0);
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  const deps = { store, commit, marketClock, log: createKeptLog() };
  const undone = new Set(['0xa', '0xunknown']);
  expect([
    await takeBackUndone(deps, USER, undone),
    await takeBackUndone(deps, USER, undone),
  ]).toEqual([1, 0]);
  const states = store.range(FILLS).map(({ value }) => [value.tradeId, value.settlement]);
  expect(states).toEqual([
    ['t1', 'reversed'],
    ['t2', 'settled'],
  ]);
  expect(balanceOf(store, USER, 'usdc:safe')).toEqual({ provisional: 0, settled: 99_000_000 });
});
