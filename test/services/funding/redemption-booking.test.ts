import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { CashAccount } from '../../../src/domain/cash.ts';
import { asId, type MarketId } from '../../../src/domain/ids.ts';
import { sharesArrivedEntry } from '../../../src/domain/ledger-entries.ts';
import { shareMicros } from '../../../src/domain/units.ts';
import {
  balanceOf,
  postToLedger,
  putPosition,
} from '../../../src/services/books/record-changes.ts';
import { POSITIONS, RESOLUTIONS } from '../../../src/services/books/tables.ts';
import {
  bookRedemption,
  giveUpRedemption,
  wonPositions,
} from '../../../src/services/funding/redemption-booking.ts';
import { aMarketId, aPosition, aTokenId, aUserId, T0 } from '../../support/builders.ts';

const USER = aUserId(1);
const MARKET: MarketId = aMarketId(1);
const SHARES = shareMicros(10_000_000);
const [IN_SAFE, IN_WALLET] = [aTokenId(1, 0), aTokenId(1, 1)];
const holderOf = (cashAccount: CashAccount) => ({
  userId: USER,
  marketId: MARKET,
  cashAccount,
  nowMs: T0,
  bookedAtMs: T0,
});

/** A market pays half for each outcome: one lies in the Safe, the other in the EVM wallet. */
async function aSplitHolding() {
  const store = createMemoryStore();
  await store.write((tx) => {
    tx.put(RESOLUTIONS, [MARKET], {
      marketId: MARKET,
      payoutTicks: [5_000, 5_000],
      resolvedAtMs: T0,
    });
    for (const [outcome, tokenId, cashAccount] of [
      [0, IN_SAFE, 'usdc:safe'],
      [1, IN_WALLET, 'usdc:base'],
    ] as const) {
      const named = { userId: USER, marketId: MARKET, tokenId, shares: SHARES };
      postToLedger(tx, USER, sharesArrivedEntry({ ...named, transferId: tokenId, atMs: T0 }));
      putPosition(tx, null, aPosition({ ...named, outcome, cashAccount, state: 'redeeming' }), T0);
    }
  });
  return store;
}

it('L4: what a market pays to one account books what that account held, and nothing of another', async () => {
  const store = await aSplitHolding();
  await store.write((tx) =>
    bookRedemption(tx, {
      ...holderOf('usdc:base'),
      paidMicros: 6_000_000,
      transactionId: asId('txn_1'),
      transactionHash: '0x1',
    }),
  );
  const settled = (asset: Parameters<typeof balanceOf>[2]) => balanceOf(store, USER, asset).settled;
  expect([settled('usdc:base'), settled(IN_WALLET)]).toEqual([6_000_000, 0]);
  expect([settled('usdc:safe'), settled(IN_SAFE)]).toEqual([0, 10_000_000]);
  expect(wonPositions(store, holderOf('usdc:base'))).toEqual([]);
  expect(wonPositions(store, holderOf('usdc:safe'))).toHaveLength(1);
});

it('a redemption that came to nothing leaves alone what another account is redeeming', async () => {
  const store = await aSplitHolding();
  await store.write((tx) => giveUpRedemption(tx, holderOf('usdc:base')));
  const states = [IN_SAFE, IN_WALLET].map(
    (tokenId) => store.get(POSITIONS, [USER, tokenId])?.value.state,
  );
  expect(states).toEqual(['redeeming', 'resolved']);
});
