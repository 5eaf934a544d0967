import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { FarmEntry } from '../../../src/domain/farming/stop-loss.ts';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import { createHeldMarkets } from '../../../src/services/farming/held-markets.ts';
import { aMarket, aUserId, T0 } from '../../support/builders.ts';

it('puts the stop below what all of the entry cost, also where it was filled in parts', async () => {
  const clock = createVirtualClock(T0);
  const stops: string[] = [];
  let entry: FarmEntry = { usdc: 9_400_000, shares: 10_000_000 };
  const bid = { price: priceTicks(8_500), size: shareMicros(1_000_000) };
  const held = createHeldMarkets({
    clock,
    quotes: {
      watch: () => () => undefined,
      top: () => ({
        value: { bid, ask: null },
        sourceAtMs: clock.nowMs(),
        receivedAtMs: clock.nowMs(),
      }),
    },
    stopOf: () => ({ entry, lossPerMille: 100 }),
    onStop: ({ userId }) => stops.push(userId),
  });
  const checkTimes = async (times: number) => {
    for (let check = 0; check < times; check += 1) {
      held.check();
      await clock.advance(5_000);
    }
  };
  held.add({ userId: aUserId(1), market: aMarket(1), outcome: 0 });
  await checkTimes(4);
  expect(stops).toEqual([]);
  // The second part was dearer: on average 0.96, which puts the stop at 0.864.
  entry = { usdc: 19_200_000, shares: 20_000_000 };
  held.add({ userId: aUserId(1), market: aMarket(1), outcome: 0 });
  await checkTimes(1);
  expect(stops).toEqual([aUserId(1)]);
});
