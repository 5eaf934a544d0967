import { describe, expect, it } from 'vitest';
import { beyondLimits } from '../../../src/web/pages/markets/amount-limits.ts';

const LIMITS = { available: '95.507', held: '8.5', sellableShares: '8' } as const;

describe('an order of more than there is', () => {
  it('says how much money there is at the venue', () => {
    expect(beyondLimits('buy', '96', LIMITS, 'venue b')).toBe(
      'You have $95.50 to spend at venue b.',
    );
    expect(beyondLimits('buy', '95.5', LIMITS, 'venue b')).toBeNull();
  });

  it('says how many shares are held, and how many of them can be sold', () => {
    expect(beyondLimits('sell', '9', LIMITS, 'venue b')).toBe(
      'You hold 8.50 shares, of which 8.00 can be sold now.',
    );
    expect(beyondLimits('sell', '9', { ...LIMITS, held: '8' }, 'venue b')).toBe(
      'You hold 8.00 shares.',
    );
    expect(beyondLimits('sell', '1', { ...LIMITS, held: '0', sellableShares: '0' }, 'x')).toBe(
      'You hold 0.00 shares.',
    );
    expect(beyondLimits('sell', '8', LIMITS, 'venue b')).toBeNull();
  });

  it('leaves a sale of exactly what is held to the daemon, which sells what the step takes', () => {
    const limits = { available: null, held: '11.4788', sellableShares: '11.47' };
    expect(beyondLimits('sell', '11.4788', limits, 'venue a')).toBeNull();
    expect(beyondLimits('sell', '11.48', limits, 'venue a')).toContain('11.47 can be sold now');
  });

  it('says nothing while it is not known what there is', () => {
    const unknown = { available: null, held: null, sellableShares: null };
    expect(beyondLimits('buy', '9999', unknown, 'venue b')).toBeNull();
    expect(beyondLimits('sell', '9999', unknown, 'venue b')).toBeNull();
  });
});
