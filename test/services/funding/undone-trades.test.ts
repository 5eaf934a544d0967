import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TradeId } from '../../../src/domain/ids.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { bookFill } from '../../../src/services/books/fill-booking.ts';
import { balanceOf, postToLedger, putOrder } from '../../../src/services/books/record-changes.ts';
import { FILLS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import { TRANSACTIONS } from '../../../src/services/transactions/tables.ts';
import { undoTrades } from '../../../src/services/funding/undone-trades.ts';
import { aMarket, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { aVenueCall } from '../../support/venue-call.ts';
import { aSignedOrder, at, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const TERMS = { rules: { feeOf: () => usdcMicros(0) }, traits: at().traits };

it('L4: takes back the settled fills of a transaction that was not carried out after all, once, and no others', async () => {
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
          gas: { chain: 'BASE', units: '240' },
        },
        { nowMs: T0, termsOf: () => TERMS },
      );
  });
  for (let times = 0; times < 2; times += 1)
    await store.write((tx) => {
      const record = aVenueCall(tx, USER);
      tx.put(TRANSACTIONS, [USER, record.transactionId], { ...record, fee: '200' });
      undoTrades(tx, { ...record, transactionHash: '0xa', fee: '50' }, T0);
    });
  const states = store.range(FILLS).map(({ value }) => [value.tradeId, value.settlement]);
  expect(states).toEqual([
    ['t1', 'reversed'],
    ['t2', 'settled'],
  ]);
  // of the right that it needed, and of the transaction as it failed
  expect(store.range(FILLS).map(({ value }) => value.gas?.units)).toEqual(['90', '240']);
  expect(balanceOf(store, USER, 'usdc:safe')).toEqual({ provisional: 0, settled: 99_000_000 });
});
