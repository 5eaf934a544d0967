import { describe, expect, it } from 'vitest';
import {
  assertKeySpend,
  assertKeyVenue,
  keyDayLeft,
  needsConfirmation,
  NO_KEY_LIMITS,
  opensToolsAlone,
  type KeyLimits,
} from '../../src/domain/key-limits.ts';
import { usdcMicros } from '../../src/domain/units.ts';
import { VENUE_A, VENUE_B } from '../support/venue-ids.ts';

const limitsOf = (part: Partial<KeyLimits>): KeyLimits => ({ ...NO_KEY_LIMITS, ...part });

describe('what an API key is held to', () => {
  it('leaves the bare interface to keys that are held to nothing but an end', () => {
    expect(
      [
        NO_KEY_LIMITS,
        limitsOf({ expiresAtMs: 1 }),
        limitsOf({ venues: [] }),
        limitsOf({ dayUsdc: usdcMicros(0), expiresAtMs: 1 }),
      ].map(opensToolsAlone),
    ).toEqual([false, false, true, true]);
  });

  it.each([
    ['a call', { orderUsdc: usdcMicros(5) }, 'the order may come to 0.000005 USDC'],
    ['a day', { dayUsdc: usdcMicros(8) }, "the key's calls of the day may come to 0.000008 USDC"],
  ] as const)('L5: binds %s to the micro', (_, part, message) => {
    const spend = { limits: limitsOf(part), spentUsdc: 3 };
    expect(() => assertKeySpend(spend, 5)).not.toThrow();
    expect(() => assertKeySpend(spend, 6)).toThrow(
      expect.objectContaining({
        code: 'cap_exceeded',
        fields: [{ path: '/amount', message }],
      }),
    );
    expect(() => assertKeySpend({ limits: NO_KEY_LIMITS, spentUsdc: 3 }, 1e12)).not.toThrow();
  });

  it('is where it may trade', () => {
    const only = limitsOf({ venues: [VENUE_A] });
    expect(() => assertKeyVenue(only, VENUE_A)).not.toThrow();
    expect(() => assertKeyVenue(NO_KEY_LIMITS, VENUE_B)).not.toThrow();
    expect(() => assertKeyVenue(only, VENUE_B)).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    );
  });

  it('asks its person above a sum, and before every call where that is nothing', () => {
    const asks = (confirmAboveUsdc: number | null, usdc: number) =>
      needsConfirmation(
        limitsOf({
          confirmAboveUsdc: confirmAboveUsdc === null ? null : usdcMicros(confirmAboveUsdc),
        }),
        usdc,
      );
    expect([asks(5, 5), asks(5, 6), asks(0, 0), asks(0, 1), asks(null, 9)]).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('leaves of its day what is not spent, never less than nothing', () => {
    const left = (dayUsdc: KeyLimits['dayUsdc']) =>
      keyDayLeft({ limits: limitsOf({ dayUsdc }), spentUsdc: 3 });
    expect([left(usdcMicros(8)), left(usdcMicros(2)), left(null)]).toEqual([5, 0, null]);
  });
});
