import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../../src/adapters/random/seeded-random.ts';
import {
  poolPrice,
  sharesBought,
  sharesSold,
  type FixedProductPool,
} from '../../../../src/domain/fixed-product-pool.ts';
import {
  TICKS_PER_USD,
  costMicros,
  priceTicks,
  shareMicros,
} from '../../../../src/domain/units.ts';
import { quoteOf, type QuotedIntent } from '../../../../src/venues/venue-c/pool/quote.ts';
import { runs } from '../../../support/sampled.ts';

const POOL: FixedProductPool = {
  reserves: [5_000_000_000n, 3_333_000_000n],
  feeE18: 20_000_000_000_000_000n,
};

function anIntent(changes: Partial<QuotedIntent> = {}): QuotedIntent {
  return {
    side: 'buy',
    outcome: 0,
    exact: 'spend',
    price: priceTicks(4_300),
    spendMicros: 10_000_000,
    receiveMicros: 23_000_000,
    ...changes,
  };
}

describe('what a pool is asked for', () => {
  it('is, of a sum, all of it for no fewer shares than are accepted', () => {
    expect(quoteOf(POOL, anIntent())).toEqual({ dollars: 10_000_000n, shares: 23_000_000n });
  });

  it('is, of a number of shares, the least dollars that bring them', () => {
    const wanted = anIntent({ exact: 'receive', receiveMicros: 20_000_000 });
    const { dollars, shares } = quoteOf(POOL, wanted);
    expect(shares).toBe(20_000_000n);
    expect(Number(sharesBought(POOL, 0, dollars))).toBeGreaterThanOrEqual(20_000_000);
    expect(Number(sharesBought(POOL, 0, dollars - 1n))).toBeLessThan(20_000_000);
  });

  it('is, of a sale, the most dollars that the shares bring, and leaves next to none of them', () => {
    const sale = anIntent({
      side: 'sell',
      price: priceTicks(3_800),
      spendMicros: 25_000_000,
      receiveMicros: 9_500_000,
    });
    const { dollars, shares } = quoteOf(POOL, sale);
    const needed = Number(sharesSold(POOL, 0, dollars));
    expect([shares, needed <= 25_000_000, needed >= 24_999_997]).toEqual([25_000_000n, true, true]);
    expect(Number(sharesSold(POOL, 0, dollars + 1n))).toBeGreaterThan(25_000_000);
  });

  it.each<[string, Partial<QuotedIntent>, string]>([
    ['a purchase', { price: priceTicks(4_000), receiveMicros: 25_000_000 }, '0.4089'],
    [
      'a sale',
      {
        side: 'sell',
        price: priceTicks(3_960),
        spendMicros: 25_000_000,
        receiveMicros: 9_900_000,
      },
      '0.3913',
    ],
  ])('is nothing where the pool gives less than is accepted: %s', (_what, changes, price) => {
    expect(() => quoteOf(POOL, anIntent(changes))).toThrow(
      expect.objectContaining({ code: 'no_liquidity', retryable: true }),
    );
    expect(() => quoteOf(POOL, anIntent(changes))).toThrow(`at ${price} a share`);
  });

  it('is nothing of an empty pool', () => {
    const empty = { ...POOL, reserves: [0n, 0n] as const };
    for (const side of ['buy', 'sell'] as const)
      expect(() => quoteOf(empty, anIntent({ side }))).toThrow(
        expect.objectContaining({ code: 'no_liquidity' }),
      );
  });

  it('keeps, on random pools, to the price that is accepted, whatever it is asked for', () => {
    const random = createSeededRandom('quotes');
    let quoted = 0;
    for (let index = 0; index < runs(300, 10_000); index += 1) {
      const pool: FixedProductPool = {
        ...POOL,
        reserves: [
          BigInt(1_000_000 + random.integer(20_000_000_000)),
          BigInt(1_000_000 + random.integer(20_000_000_000)),
        ],
      };
      const outcome = random.integer(2) === 0 ? 0 : 1;
      const around = poolPrice(pool, outcome) * TICKS_PER_USD * (0.8 + random.integer(400) / 1_000);
      const price = priceTicks(Math.min(Math.max(Math.round(around / 10) * 10, 10), 9_990));
      const shares = shareMicros(1_000_000 + random.integer(500_000_000));
      const intent: QuotedIntent =
        random.integer(2) === 0
          ? {
              side: 'sell',
              outcome,
              exact: 'spend',
              price,
              spendMicros: shares,
              receiveMicros: costMicros(shares, price, 'floor'),
            }
          : {
              side: 'buy',
              outcome,
              exact: random.integer(2) === 0 ? 'spend' : 'receive',
              price,
              spendMicros: costMicros(shares, price, 'ceil'),
              receiveMicros: shares,
            };
      const { dollars, shares: bound } = quotedOrNothing(pool, intent);
      if (dollars === 0n) continue;
      quoted += 1;
      if (intent.side === 'buy') {
        expect(Number(dollars)).toBeLessThanOrEqual(intent.spendMicros);
        expect(Number(sharesBought(pool, outcome, dollars))).toBeGreaterThanOrEqual(Number(bound));
        expect(Number(bound)).toBe(intent.receiveMicros);
      } else {
        expect(Number(dollars)).toBeGreaterThanOrEqual(intent.receiveMicros);
        expect(Number(sharesSold(pool, outcome, dollars))).toBeLessThanOrEqual(Number(bound));
      }
    }
    expect(quoted).toBeGreaterThan(50);
  });
});

function quotedOrNothing(pool: FixedProductPool, intent: QuotedIntent) {
  try {
    return quoteOf(pool, intent);
  } catch {
    return { dollars: 0n, shares: 0n };
  }
}
