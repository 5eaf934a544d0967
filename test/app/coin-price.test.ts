import { BehaviorSubject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { coinPriceOf } from '../../src/app/coin-price.ts';
import type { Observed } from '../../src/domain/signal.ts';
import { assetPriceE8, type AssetPriceE8 } from '../../src/domain/units.ts';

describe('what a coin is worth', () => {
  it('is the newest price of the exchange, and none while that is stale or not followed', () => {
    const value = assetPriceE8(342_150_000_000);
    const fresh = { value, sourceAtMs: 1, receivedAtMs: 1 };
    const readings = new BehaviorSubject<Observed<AssetPriceE8> | null>(fresh);
    const price = coinPriceOf({ price: () => readings });
    expect([price('BASE'), price('POLYGON')]).toEqual([3_421_500_000_000_000_000_000n, null]);
    readings.next(null);
    expect(price('BASE')).toBeNull();
    expect(readings.observed).toBe(false);
  });
});
