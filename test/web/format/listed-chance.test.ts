import { describe, expect, it } from 'vitest';
import { listedChance } from '../../../src/web/format/listed-chance.ts';

const of = (bid: string | null, ask: string | null, probability: string | null) =>
  listedChance({ outcomes: [{ quote: { bid, ask, probability } }], resolution: null });

describe('the chance of a market in a list', () => {
  it('is the middle of its best prices, whatever the venue states beside them', () => {
    expect(of('0.6', '0.62', '0.9')).toBe('61 %');
    expect(of('0.4', null, '0.9')).toBe('40–100 %');
  });

  it('is what the venue states where nothing is bid or offered, as of a pool', () => {
    expect(of(null, null, '0.407')).toBe('41 %');
    expect(of(null, null, null)).toBe('–');
    expect(listedChance({ outcomes: [{ quote: null }], resolution: null })).toBe('–');
  });

  it('is the outcome that won once the market has ended', () => {
    const resolution = {
      side: 'no',
      label: 'No',
      payouts: { yes: '0', no: '1' },
      resolvedAtMs: null,
    } as const;
    expect(listedChance({ outcomes: [], resolution })).toBe('No');
    expect(listedChance({ outcomes: [], resolution: { ...resolution, label: null } })).toBe(
      'shared',
    );
  });
});
