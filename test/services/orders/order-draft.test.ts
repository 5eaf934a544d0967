import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ORDER } from '../../../config/limits.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { BookLevel, BookView } from '../../../src/domain/book.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { OrderIntent } from '../../../src/domain/order.ts';
import { takeVisible } from '../../../src/domain/paper-fill.ts';
import { costMicros, priceTicks, shareMicros } from '../../../src/domain/units.ts';
import type { VenueTraits } from '../../../src/domain/venue.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { bookFault, draftIntent } from '../../../src/services/orders/order-draft.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { T0, aBook, aLevel, aMarket, aMarketBuy, aUserId } from '../../support/builders.ts';
import { VENUE_A_TERMS } from '../../support/venue-a-terms.ts';

type Sides = { readonly bids?: readonly BookLevel[]; readonly asks?: readonly BookLevel[] };

/** Who an agent's order comes from. */
const AN_AGENT: PlaceOrder['origin'] = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId('dec_1'),
  purpose: 'entry',
};

const fine = aMarket(1, { tickSize: priceTicks(10) });

function draft(
  sides: Sides,
  request: Partial<PlaceOrder>,
  {
    market = fine,
    speed = 1,
    traits = VENUE_A_TERMS.traits,
    requestedAtMs = T0,
  }: {
    readonly market?: Market;
    readonly speed?: number;
    readonly traits?: VenueTraits;
    readonly requestedAtMs?: number;
  } = {},
): OrderIntent {
  const deps = { clock: createVirtualClock(T0, { speed }), random: createSeededRandom(1) };
  const venue = {
    ...VENUE_A_TERMS,
    traits,
    cashAccount: 'usdc:safe',
    books: () => aBook(market, 0, sides),
  } as const;
  return draftIntent(deps, aUserId(1), {
    venue,
    market,
    request: aMarketBuy(request),
    requestedAtMs,
  });
}

/** What the order takes of the very book it was drafted from. */
function met(
  intent: OrderIntent,
  { bids = [], asks = [] }: Sides,
): { readonly shares: number; readonly usdc: number } {
  const { legs, shares } = takeVisible(intent, { bids, asks }, 1);
  return {
    shares,
    usdc: legs.reduce((sum, leg) => sum + costMicros(leg.shares, leg.price, 'floor'), 0),
  };
}

const aSide = (order: (a: BookLevel, b: BookLevel) => number) =>
  fc
    .uniqueArray(
      fc.record({
        ticks: fc.integer({ min: 1, max: 999 }),
        shares: fc.integer({ min: 1, max: 100_000 }),
      }),
      { selector: ({ ticks }) => ticks, minLength: 1, maxLength: 8 },
    )
    .map((levels) => levels.map(({ ticks, shares }) => aLevel(ticks * 10, shares)).sort(order));

describe('a market order in the unit its side is not counted in', () => {
  it('sells what brings the dollars asked for, however far below the bid its worst price lies', () => {
    const sides = { bids: [aLevel(100, 100_000)] };
    const intent = draft(sides, { side: 'sell', amount: { unit: 'usdc', micros: 5_000_000 } });
    expect(intent).toMatchObject({ price: 10, spendMicros: 500_000_000 });
    expect(met(intent, sides)).toEqual({ shares: 500_000_000, usdc: 5_000_000 });
  });

  it('buys the shares asked for, however far above the ask its worst price lies', () => {
    const sides = { asks: [aLevel(200, 100_000)] };
    const intent = draft(sides, { amount: { unit: 'shares', micros: 100_000_000 } });
    expect(intent).toMatchObject({ price: 300, spendMicros: 2_000_000 });
    expect(met(intent, sides)).toEqual({ shares: 100_000_000, usdc: 2_000_000 });
  });

  it('sells all that is bid for where the book brings less than the dollars asked for', () => {
    const sides = { bids: [aLevel(5_000, 4), aLevel(4_000, 6)] };
    expect(
      draft(sides, { side: 'sell', amount: { unit: 'usdc', micros: 100_000_000 } }),
    ).toMatchObject({ price: 3_900, spendMicros: 10_000_000 });
  });

  it('never takes more of the book than was asked for', () => {
    const amounts = fc.integer({ min: 100, max: 100_000 }).map((hundredths) => hundredths * 10_000);
    fc.assert(
      fc.property(
        aSide((a, b) => b.price - a.price),
        aSide((a, b) => a.price - b.price),
        amounts,
        (bids, asks, micros) => {
          const sale = drafted({ bids, asks }, { side: 'sell', amount: { unit: 'usdc', micros } });
          if (sale !== null) expect(met(sale, { bids, asks }).usdc).toBeLessThanOrEqual(micros);
          const purchase = drafted(
            { bids, asks },
            { amount: { unit: 'shares', micros: shareMicros(micros) } },
          );
          if (purchase !== null)
            expect(met(purchase, { bids, asks }).shares).toBeLessThanOrEqual(micros);
        },
      ),
    );
  });
});

describe('the life a caller chose', () => {
  const thin = { asks: [aLevel(5_000, 10)], bids: [aLevel(4_800, 10)] };

  it('lets a FAK buy take what a thin book has, where a FOK one is refused', () => {
    const amount = { unit: 'shares' as const, micros: 40_000_000 };
    expect(draft(thin, { amount, type: { kind: 'market', life: 'part_now' } })).toMatchObject({
      life: 'part_now',
      spendMicros: 5_000_000,
      expiresAtMs: null,
    });
    expect(() => draft(thin, { amount })).toThrow(/cannot fill 40 shares/);
  });

  it('refuses a FOK sale the book cannot take whole, where a FAK one goes out', () => {
    const sale = { side: 'sell' as const, amount: { unit: 'shares' as const, micros: 40_000_000 } };
    expect(() => draft(thin, { ...sale, type: { kind: 'market', life: 'all_now' } })).toThrow(
      /cannot fill 40 shares/,
    );
    expect(draft(thin, sale)).toMatchObject({ life: 'part_now', spendMicros: 40_000_000 });
  });

  it('lets a GTC order rest without an end, and a GTD one for a day', () => {
    const type = { kind: 'limit' as const, price: priceTicks(4_000), expiresAtMs: null };
    expect(draft({}, { type: { ...type, untilCancelled: true } })).toMatchObject({
      life: 'rests',
      expiresAtMs: null,
    });
    expect(draft({}, { type })).toMatchObject({
      life: 'rests',
      expiresAtMs: T0 + ORDER.limitLifeDefaultMs,
    });
    expect(() =>
      draft({}, { type: { ...type, untilCancelled: true, expiresAtMs: T0 + 3_600_000 } }),
    ).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        fields: [{ path: '/expiresAtMs', message: 'not taken by a GTC order' }],
      }) as Error,
    );
  });

  it.each<[string, PlaceOrder['origin'], number]>([
    ['a person, in wall time', { kind: 'manual' }, 10],
    ['an agent, in market time', AN_AGENT, 1],
  ])('is bounded where markets run ten times as fast, for %s', (_, origin, factor) => {
    const life = (expiresAtMs: number | null) => () =>
      draft(
        {},
        { origin, type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs } },
        { speed: 10 },
      ).expiresAtMs;
    const [shortestMs, longestMs] = [T0 + factor * 5_000, T0 + factor * 30 * 86_400_000];
    expect([life(null)(), life(shortestMs + 1)(), life(longestMs)()]).toEqual([
      T0 + factor * 86_400_000,
      shortestMs + 1,
      longestMs,
    ]);
    const message = 'must be 5 seconds to 30 days from now';
    for (const refused of [shortestMs, longestMs + 1])
      expect(life(refused)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          message: `expiresAtMs: ${message}`,
          fields: [{ path: '/expiresAtMs', message }],
        }) as Error,
      );
  });
});

describe('the intent of a request', () => {
  const limit = { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null } as const;

  it('is good from when it was asked for, whatever it waited for since', () => {
    const waited = draft({}, { type: limit }, { requestedAtMs: T0 - 2_000 });
    expect(waited).toMatchObject({ createdAtMs: T0, sendUntilMs: T0 + 3_000 });
  });

  it('names what its caller named, and nothing else', () => {
    const named = draft({}, { type: { ...limit, cents: 40 }, clientOrderId: 'mine' });
    expect(named).toMatchObject({ requestedCents: 40, clientOrderId: 'mine' });
    const bare = draft({}, { type: limit });
    for (const name of ['requestedCents', 'clientOrderId', 'isRedemption', 'restsAt'])
      expect(bare).not.toHaveProperty(name);
  });

  it('is kept by this service where its venue keeps none, if it rests', () => {
    const traits = { ...VENUE_A_TERMS.traits, restsAt: 'service' } as const;
    expect(draft({}, { type: limit }, { traits }).restsAt).toBe('service');
    expect(draft({}, {}, { traits })).not.toHaveProperty('restsAt');
  });

  it('to redeem what won gives the shares for a dollar each, also when its market is over', () => {
    const over = aMarket(1, { closed: true, acceptingOrders: false, endsAtMs: T0 - 1 });
    const amount = { unit: 'shares', micros: 7_000_000 } as const;
    expect(
      draft({}, { side: 'sell', amount, type: { kind: 'redemption' } }, { market: over }),
    ).toMatchObject({
      isRedemption: true,
      price: 9_999,
      spendMicros: 7_000_000,
      receiveMicros: 7_000_000,
      exact: 'spend',
      expiresAtMs: null,
    });
  });

  it.each<[string, Partial<Market>, string]>([
    ['that is closed', { closed: true }, 'market_closed'],
    ['that ends now', { endsAtMs: T0 }, 'market_closed'],
    ['that takes no orders', { acceptingOrders: false }, 'market_not_ready'],
    [
      'that is not traded here',
      { acceptingOrders: false, notTradeable: 'It is of another exchange.' },
      'market_not_supported',
    ],
  ])('is made for no market %s', (_, changes, code) => {
    expect(() => draft({}, { type: limit }, { market: aMarket(1, changes) })).toThrow(
      expect.objectContaining({ code, retryable: code === 'market_not_ready' }) as Error,
    );
  });

  it('lives as its venue knows, or is refused by the field that asks for it', () => {
    const traits = { ...VENUE_A_TERMS.traits, lives: ['part_now'] } as const;
    expect(draft({}, {}, { traits }).life).toBe('part_now');
    expect(() => draft({}, { type: { kind: 'market', life: 'all_now' } }, { traits })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        fields: [
          {
            path: '/timeInForce',
            message: 'not taken by this venue: all of it at once or nothing',
          },
        ],
      }) as Error,
    );
  });
});

describe('L8: a book', () => {
  const faultOf = (changes: Partial<BookView>, isSlow = false) => {
    const clock: Clock = { ...createVirtualClock(T0), slowSinceMs: () => (isSlow ? T0 : null) };
    const { tokenId } = fine.outcomes[0];
    return bookFault(clock, tokenId, aBook(fine, 0, changes));
  };
  const oldest = ORDER.bookAgeMaximumMs;

  it('ages in wall time: ten times as long on a clock ten times as fast', () => {
    const clock = createVirtualClock(T0, { speed: 10 });
    const { tokenId } = fine.outcomes[0];
    const at = (receivedAtMs: number) =>
      bookFault(clock, tokenId, aBook(fine, 0, { receivedAtMs }));
    expect([at(T0 - oldest * 10), at(T0 - oldest * 10 - 1)?.code]).toEqual([
      null,
      'book_untrusted',
    ]);
  });

  it.each<[string, Partial<BookView>, boolean]>([
    ['that has just come', {}, false],
    ['that is as old as it may be', { receivedAtMs: T0 - oldest }, false],
    ['half as old while the clock runs slow', { receivedAtMs: T0 - oldest / 2 }, true],
  ])('is trusted %s', (_, changes, isSlow) => {
    expect(faultOf(changes, isSlow)).toBeNull();
  });

  it.each<[string, Partial<BookView>, boolean, string, string]>([
    ['has not come', { distrust: 'no_snapshot' }, false, 'preparation_timeout', 'has not come yet'],
    [
      'misses an update',
      { distrust: 'gap' },
      false,
      'book_untrusted',
      'an update of it is missing',
    ],
    [
      'is too old',
      { receivedAtMs: T0 - oldest - 1 },
      false,
      'book_untrusted',
      `${oldest + 1} ms old`,
    ],
    [
      'may be twice as old as it looks',
      { receivedAtMs: T0 - oldest / 2 - 1 },
      true,
      'book_untrusted',
      `${oldest + 2} ms old`,
    ],
  ])(
    'decides nothing where it %s: an order may be tried again',
    (_, changes, isSlow, code, words) => {
      expect(faultOf(changes, isSlow)).toMatchObject({
        code,
        message: expect.stringContaining(words),
        retryable: true,
        retryAfterMs: ORDER.retryAfterMs,
      });
    },
  );

  it('that is not kept decides nothing', () => {
    const { tokenId } = fine.outcomes[0];
    expect(bookFault(createVirtualClock(T0), tokenId, null)?.code).toBe('preparation_timeout');
  });
});

/** Null where the book cannot fill it or nothing is left after rounding. */
function drafted(sides: Sides, request: Partial<PlaceOrder>): OrderIntent | null {
  try {
    return draft(sides, request);
  } catch (error) {
    if (
      error instanceof AppError &&
      (error.code === 'no_liquidity' || error.code === 'amount_too_small')
    )
      return null;
    throw error;
  }
}
