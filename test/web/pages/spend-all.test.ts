import { describe, expect, it } from 'vitest';
import { largestBuy } from '../../../src/web/pages/markets/spend-all.ts';

type Ask = Parameters<typeof largestBuy>[1];

const LEFT = {
  usdc: '1000.009999',
  shares: '0',
  orderSize: '5000',
  totalExposure: null,
  openPositions: 4,
  dailyLoss: null,
  keyDay: null,
} as const;

/** A venue whose fee is this part of the amount, beside it; counts how often it was asked. */
function aVenue(feePart: number, left: Partial<Awaited<ReturnType<Ask>>['left']> = {}) {
  const asked: string[] = [];
  const ask: Ask = async (amount) => {
    asked.push(amount);
    const fee = (Number(amount) * feePart).toFixed(6);
    return {
      left: { ...LEFT, ...left },
      setsAside: { usdc: (Number(amount) + Number(fee)).toFixed(6), shares: '0' },
      fee: { estimated: fee, worst: fee },
    };
  };
  return { asked, ask };
}

describe('buying for all that is available', () => {
  it('takes all of it in cents where no fee is paid beside it, as with a pool', async () => {
    const { ask, asked } = aVenue(0);
    expect(await largestBuy('1000.009999', ask)).toEqual({ amount: '1000', note: null });
    expect(asked).toEqual(['1000']);
  });

  it('leaves room for the fee to the cent, and says so', async () => {
    const { ask } = aVenue(0.035);
    expect(await largestBuy('1000.009999', ask)).toEqual({
      amount: '966.19',
      note: '$33.82 stays for the fee, which is paid beside it.',
    });
    // one cent more would be refused
    expect(966.2 * 1.035).toBeGreaterThan(1000.009999);
  });

  it('keeps to the tightest limit, and names it', async () => {
    const { ask } = aVenue(0, { totalExposure: '120.5', dailyLoss: '300' });
    expect(await largestBuy('1000', ask)).toEqual({
      amount: '120.5',
      note: 'Your limits leave room for $120.50, the fee included.',
    });
  });

  it.each([
    [0, '1000'],
    [0.035, '966.19'],
  ])('takes also what came back since the page read it, with a fee of %d', async (fee, amount) => {
    expect(await largestBuy('995', aVenue(fee).ask)).toMatchObject({ amount });
  });

  it('is nothing where nothing is available, and asks for nothing', async () => {
    const { ask, asked } = aVenue(0);
    expect(await largestBuy('0.004', ask)).toEqual({ amount: '0', note: null });
    expect(asked).toEqual([]);
  });
});
