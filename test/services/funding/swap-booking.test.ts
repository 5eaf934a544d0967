import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { SwapRecord } from '../../../src/domain/swap.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { bookArrival } from '../../../src/services/funding/movement-booking.ts';
import { awaitsBooking } from '../../../src/services/funding/swap-booking.ts';
import { aSwap } from '../../support/fakes/fake-swaps.ts';

const DOLLAR = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
/** Ether of Polygon for dollars on Base, which are cash in the books. */
const BOUGHT = {
  sell: aSwap().buy,
  buy: { chain: 'BASE', address: DOLLAR, symbol: 'USDC', decimals: 6 },
  received: '24000000',
} as const;

function world() {
  const store = createMemoryStore();
  return {
    awaits: (parts: Partial<SwapRecord>) =>
      awaitsBooking(store, aSwap({ ...BOUGHT, ...parts }), ({ address }) =>
        address === DOLLAR ? 'usdc:base' : null,
      ),
    book: (transactionHash: string | null) =>
      store.write((tx) =>
        bookArrival(
          tx,
          {
            userId: aSwap().userId,
            cashAccount: 'usdc:base',
            transferId: `BASE:${transactionHash ?? 'sum'}`,
            usdc: usdcMicros(24_000_000),
            transactionHash,
            via: 'direct',
          },
          { nowMs: aSwap().updatedAtMs + 1, bookedAtMs: 1 },
        ),
      ),
  };
}

it.each([
  ['its transaction', aSwap().receivedHash],
  ['a sum of the wallet that no transaction explains', null],
])('money that a swap brought awaits its booking until %s is booked', async (_what, hash) => {
  const { awaits, book } = world();
  expect(awaits({})).toBe(true);
  await book(`0x${'ef'.repeat(32)}`);
  expect(awaits({})).toBe(true);
  await book(hash);
  expect(awaits({})).toBe(false);
});

it('money that a bridge gave back, or paid instead, awaits its booking too', () => {
  const { awaits } = world();
  const { sell, buy } = BOUGHT;
  const ended = { sell: buy, buy: sell };
  expect([
    awaits({ ...ended, state: 'refunded' }),
    awaits({ ...ended, state: 'partial', receivedToken: DOLLAR }),
  ]).toEqual([true, true]);
});

it('nothing awaits its booking of what is no cash, has not arrived or has failed', () => {
  const { awaits } = world();
  const coin = { buy: aSwap().buy, received: '1' };
  expect([
    awaits(coin),
    awaits({ state: 'following', received: null, receivedHash: null }),
    awaits({ state: 'failed', received: null }),
    awaits({ state: 'unproven', received: null }),
  ]).toEqual([false, false, false, false]);
});
