import { describe, expect, it } from 'vitest';
import { createExchangePrices } from '../../../../src/sandbox/feeds/prices/exchange-prices.ts';
import { createFairValue } from '../../../../src/sandbox/feeds/prices/fair-value.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../../src/sandbox/feeds/prices/price-process.ts';
import { twapAt } from '../../../../src/sandbox/feeds/prices/settlement-prices.ts';

const START = 1_780_876_800;
const WINDOWS = 380;

describe('fair value', () => {
  it.each(['spot', 'twap_60'] as const)(
    'comes true as often as it says, under the rule %s',
    (rule) => {
      const said = [0, 0, 0];
      const right = [0, 0, 0];
      const count = [0, 0, 0];
      for (const seed of [5, 6]) {
        const prices = createPriceProcess(seed, startingPrices(START - 3_600));
        const fair = createFairValue({
          seed,
          prices,
          exchange: createExchangePrices(seed, prices),
          rule,
        });
        const settled = (second: number) =>
          (rule === 'spot' ? prices.at('BTC', second) : twapAt(prices, 'BTC', second)) ?? 0n;
        for (let window = 0; window < WINDOWS; window += 1) {
          const [from, to] = [START + window * 300, START + window * 300 + 300];
          const strikeE18 = settled(from);
          const isUp = settled(to) >= strikeE18;
          for (const left of [30, 90, 180]) {
            const chance =
              fair({
                asset: 'BTC',
                strikeE18,
                endsAtMs: to * 1000,
                nowMs: (to - left) * 1000,
                stream: window,
              }) ?? 0.5;
            const sure = Math.max(chance, 1 - chance);
            const bin = sure < 0.7 ? 0 : sure < 0.93 ? 1 : 2;
            said[bin] = (said[bin] ?? 0) + sure;
            right[bin] = (right[bin] ?? 0) + (chance >= 0.5 === isUp ? 1 : 0);
            count[bin] = (count[bin] ?? 0) + 1;
          }
        }
      }
      count.forEach((total, bin) =>
        expect(Math.abs((said[bin] ?? 0) / total - (right[bin] ?? 0) / total)).toBeLessThan(0.05),
      );
    },
  );
});
