import { describe, expect, it } from 'vitest';
import { findStrike } from '../../src/domain/strike.ts';
import { assetPriceE8 } from '../../src/domain/units.ts';

describe('findStrike', () => {
  it('takes the capture within the tolerance, and neither price beyond it', () => {
    const captured = assetPriceE8(6_000_000_000_000);
    const find = (stated: number | null) =>
      findStrike({
        captured,
        stated: stated === null ? null : assetPriceE8(stated),
        toleranceE8: 1_000_000,
      });
    expect([find(null), find(6_000_001_000_000), find(6_000_001_000_001)]).toEqual([
      { kind: 'known', price: captured, source: 'captured' },
      { kind: 'known', price: captured, source: 'captured' },
      { kind: 'contradiction', captured, stated: 6_000_001_000_001 },
    ]);
  });

  it('takes the statement of the venue without a capture, and knows nothing without either', () => {
    expect([
      findStrike({ captured: null, stated: assetPriceE8(5), toleranceE8: 0 }),
      findStrike({ captured: null, stated: null, toleranceE8: 0 }),
    ]).toEqual([{ kind: 'known', price: 5, source: 'venue' }, { kind: 'unknown' }]);
  });
});
