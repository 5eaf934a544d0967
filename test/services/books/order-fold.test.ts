import { assert, constantFrom, integer, property, array, record, boolean } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderRecord, OrderState } from '../../../src/domain/order.ts';
import { isTerminal } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { VenueOrder } from '../../../src/ports/venue.ts';
import {
  foldAnswer,
  foldUnknown,
  foldFill,
  foldNeverBooked,
  foldVenueOrder,
  isFencing,
} from '../../../src/services/books/order-fold.ts';
import { aMarketId, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { anAttempt } from '../../support/attempts.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const at = (nowMs: number = T0) => ({ nowMs, traits: VENUE_A_TRAITS });
const orderId = asId<VenueOrder['orderId']>('0x01');

/** A buy of 20 shares at 0.50: GTD unless said otherwise. */
function anOrder(
  changes: Partial<OrderRecord> = {},
  intent: Partial<OrderRecord['intent']> = {},
): OrderRecord {
  return {
    intent: {
      intentId: asId('int_1'),
      userId: aUserId(1),
      venue: VENUE_A,
      cashAccount: 'usdc:safe',
      origin: { kind: 'manual' },
      marketId: aMarketId(1),
      tokenId: aTokenId(1, 0),
      outcome: 0,
      side: 'buy',
      life: 'rests',
      price: priceTicks(5_000),
      spendMicros: 10_000_000,
      receiveMicros: 20_000_000,
      exact: 'receive',
      createdAtMs: T0,
      expiresAtMs: T0 + 3_600_000,
      sendUntilMs: T0 + 5_000,
      ...intent,
    },
    attempts: [anAttempt(orderId, { lastSentAtMs: T0 })],
    state: 'signed',
    reason: null,
    filledShares: shareMicros(0),
    filledUsdc: usdcMicros(0),
    feesUsdc: usdcMicros(0),
    matchedShares: null,
    ending: null,
    reserved: { usdc: usdcMicros(10_701_000), shares: shareMicros(0) },
    cancelWanted: false,
    updatedAtMs: T0,
    ...changes,
  };
}

function word(status: VenueOrder['status'], matched = 0, reason: string | null = null): VenueOrder {
  return { orderId, status, matchedShares: shareMicros(matched), reason };
}

function fill(shares: number, usdc: number, fee = 0) {
  return { orderId, shares: shareMicros(shares), usdc: usdcMicros(usdc), fee: usdcMicros(fee) };
}

const states: readonly OrderState[] = ['signed', 'unknown', 'live', 'delayed', 'matched'];

describe('folding words into an order', () => {
  it.each([
    ['live', 'live'],
    ['delayed', 'delayed'],
    ['matched', 'matched'],
  ] as const)('an accepted order is %s', (status, state) => {
    expect(foldAnswer(anOrder(), { kind: 'accepted', orderId, status }, T0).state).toBe(state);
  });

  it('L2: an answer with another order id is unknown', () => {
    expect(
      foldAnswer(anOrder(), { kind: 'accepted', orderId: asId('0x02'), status: 'live' }, T0).state,
    ).toBe('unknown');
  });

  it('an answer that comes late changes nothing that is decided', () => {
    const live = anOrder({ state: 'live' });
    expect(foldAnswer(live, { kind: 'rejected', reason: 'no' }, T0)).toBe(live);
    expect(foldUnknown(live, 'lost', T0)).toBe(live);
    expect(foldNeverBooked(live, 'absent', T0)).toBe(live);
  });

  it.each([
    ['a resting buy', {}, 20_010_001],
    [
      'a sale',
      { side: 'sell', exact: 'spend', spendMicros: 20_000_000, receiveMicros: 10_000_000 },
      20_010_001,
    ],
    ['a buy for a sum', { life: 'all_now', exact: 'spend', expiresAtMs: null }, 100_000_010_001],
  ] as const)(
    'more matched than %s is for is no word about it, and keeps it from ending by what is true',
    (_what, intent, matched) => {
      const live = anOrder({ state: 'live' }, intent);
      const misled = foldVenueOrder(live, word('cancelled', matched), true, at());
      expect([misled.matchedShares, misled.state, misled.reserved]).toEqual([
        null,
        'matched',
        live.reserved,
      ]);
      const told = foldVenueOrder(
        foldFill(misled, fill(5_000_000, 2_500_000), at()),
        word('cancelled', 5_000_000),
        true,
        at(),
      );
      expect(told).toMatchObject({
        state: 'cancelled',
        matchedShares: 5_000_000,
        reserved: { usdc: 0, shares: 0 },
      });
    },
  );

  it('L2: once unknown, neither a refusal nor a kill of a copy ends it', () => {
    const unknown = anOrder({ state: 'unknown' });
    expect(foldAnswer(unknown, { kind: 'rejected', reason: 'no' }, T0)).toBe(unknown);
    expect(foldAnswer(unknown, { kind: 'unfilled', reason: 'no' }, T0)).toBe(unknown);
  });

  it('a partial fill shrinks the reservation by what it cost, fee included', () => {
    expect(
      foldFill(anOrder({ state: 'live' }), fill(5_000_000, 2_500_000, 87_500), at()),
    ).toMatchObject({
      state: 'live',
      filledShares: 5_000_000,
      reserved: { usdc: 10_701_000 - 2_587_500 },
    });
  });

  it('a fill proves that the venue has the order, whatever became of the answer', () => {
    expect(foldFill(anOrder({ state: 'unknown' }), fill(5_000_000, 2_500_000), at()).state).toBe(
      'live',
    );
    expect(
      foldFill(
        anOrder({ state: 'unknown' }, { life: 'all_now', exact: 'spend' }),
        fill(5_000_000, 2_500_000),
        at(),
      ).state,
    ).toBe('matched');
  });

  it('a market buy is whole when its money is spent, not when the promised shares are there', () => {
    const order = anOrder(
      { state: 'matched' },
      { life: 'all_now', exact: 'spend', expiresAtMs: null },
    );
    const part = foldFill(order, fill(20_000_000, 8_000_000), at());
    expect(part.state).toBe('matched');
    expect(foldFill(part, fill(4_000_000, 2_000_000), at())).toMatchObject({
      state: 'filled',
      reserved: { usdc: 0 },
    });
  });

  it('a market sale that took part of what it wanted is filled by the word of the venue', () => {
    const sale = anOrder(
      { state: 'matched', reserved: { usdc: usdcMicros(0), shares: shareMicros(20_000_000) } },
      {
        side: 'sell',
        life: 'part_now',
        exact: 'spend',
        spendMicros: 20_000_000,
        receiveMicros: 10_000_000,
      },
    );
    const part = foldFill(sale, fill(8_000_000, 4_000_000), at());
    expect(part).toMatchObject({ state: 'matched', reserved: { shares: 12_000_000 } });
    expect(foldVenueOrder(part, word('matched', 8_000_000), false, at()).state).toBe('matched');
    expect(foldVenueOrder(part, word('matched', 8_000_000), true, at())).toMatchObject({
      state: 'filled',
      reserved: { shares: 0 },
    });
  });

  it('a stale "live" does not take a match back from a market order', () => {
    const order = anOrder({ state: 'matched' }, { life: 'all_now', exact: 'spend' });
    expect(foldVenueOrder(order, word('live'), true, at()).state).toBe('matched');
  });

  it('a resting order that was partly matched at once goes on resting', () => {
    expect(
      foldVenueOrder(anOrder({ state: 'matched' }), word('live', 5_000_000), true, at()),
    ).toMatchObject({ state: 'live', matchedShares: 5_000_000 });
  });

  it('"unmatched" kills a market order and leaves a limit order on the book', () => {
    expect(
      foldVenueOrder(
        anOrder({ state: 'delayed' }, { life: 'all_now', exact: 'spend' }),
        word('unmatched'),
        true,
        at(),
      ).state,
    ).toBe('cancelled');
    expect(foldVenueOrder(anOrder({ state: 'delayed' }), word('unmatched'), true, at()).state).toBe(
      'live',
    );
  });

  it('a cancellation near the expiry is the expiry, unless the user wanted it', () => {
    const late = T0 + 3_600_000 - 59_999;
    expect(
      foldVenueOrder(anOrder({ state: 'live' }), word('cancelled'), true, at(late)).state,
    ).toBe('expired');
    expect(
      foldVenueOrder(
        anOrder({ state: 'live', cancelWanted: true }),
        word('cancelled'),
        true,
        at(late),
      ).state,
    ).toBe('cancelled');
    expect(
      foldVenueOrder(anOrder({ state: 'live' }), word('cancelled'), true, at(late - 2)).state,
    ).toBe('cancelled');
  });

  it('gtd-early: the expiry is the whole second the venue was told', () => {
    const expiresAtMs = T0 + 3_600_999;
    expect(
      foldVenueOrder(
        anOrder({ state: 'live' }, { expiresAtMs }),
        word('cancelled'),
        true,
        at(T0 + 3_540_000),
      ).state,
    ).toBe('expired');
  });

  it('underfill-dust: fills that lack dust leave a resting order standing until the venue ends it, and fill a market order', () => {
    const resting = foldFill(anOrder({ state: 'live' }), fill(19_999_900, 9_999_950), at());
    expect(resting).toMatchObject({ state: 'live', filledShares: 19_999_900 });
    expect(resting.reserved.usdc).toBeGreaterThan(0);
    expect(foldVenueOrder(resting, word('matched', 19_999_900), true, at())).toMatchObject({
      state: 'filled',
      reserved: { usdc: 0 },
    });
    expect(
      foldFill(
        anOrder(
          { state: 'matched' },
          { life: 'all_now', exact: 'spend', expiresAtMs: null, receiveMicros: 19_000_000 },
        ),
        fill(19_999_900, 9_999_950),
        at(),
      ).state,
    ).toBe('filled');
  });

  it('L2: what is said of another attempt than the last is not heard', () => {
    const order = anOrder({ state: 'live' });
    const other = { ...word('cancelled'), orderId: asId<VenueOrder['orderId']>('0x02') };
    expect(foldVenueOrder(order, other, true, at())).toBe(order);
  });

  it("learns the venue's id of an attempt from its acknowledgement, and holds it to that one", () => {
    const unnamed = anOrder({ attempts: [anAttempt('ours', { orderId: null })] });
    const accepted = { kind: 'accepted', orderId, status: 'live' } as const;
    const named = foldAnswer(unnamed, accepted, T0);
    expect(named).toMatchObject({ state: 'live', attempts: [{ attemptId: 'ours', orderId }] });
    expect(
      foldVenueOrder({ ...unnamed, state: 'unknown' }, word('live'), true, at()),
    ).toMatchObject({ state: 'live', attempts: [{ attemptId: 'ours', orderId }] });
    const other = { ...accepted, orderId: asId<VenueOrder['orderId']>('0x02') };
    expect(foldAnswer({ ...named, state: 'signed' }, other, T0).state).toBe('unknown');
  });

  it('the same word twice is nothing new', () => {
    const once = foldVenueOrder(
      anOrder({ state: 'live', matchedShares: shareMicros(0) }),
      word('live', 0),
      true,
      at(),
    );
    expect(foldVenueOrder(once, word('live', 0), true, at(T0 + 1))).toBe(once);
  });

  it.each([
    ['all_now', true],
    ['part_now', true],
    ['rests', false],
  ] as const)('L2: a live order that is %s fences its market: %s', (life, fences) => {
    expect(isFencing(anOrder({ state: 'live' }, { life }))).toBe(fences);
    expect(isFencing(anOrder({ state: 'unknown' }, { life }))).toBe(true);
  });

  it('L5: in whatever order words and fills come, the end is the same, and nothing is released before it', () => {
    assert(
      property(
        constantFrom(...states),
        constantFrom('all_now' as const, 'part_now' as const, 'rests' as const),
        array(record({ isFill: boolean(), shares: integer({ min: 1, max: 4_000_000 }) }), {
          maxLength: 5,
        }),
        array(integer({ min: 0, max: 1_000 }), { minLength: 6, maxLength: 6 }),
        (state, life, parts, shuffle) => {
          const fills = parts.map(({ shares }) => fill(shares, Math.floor(shares / 2)));
          const matched = fills.reduce((sum, { shares }) => sum + shares, 0);
          const steps = [
            (order: OrderRecord) =>
              foldVenueOrder(order, word('cancelled', matched, 'ended'), true, at()),
            ...fills.map((part) => (order: OrderRecord) => foldFill(order, part, at())),
          ]
            .map((run, index) => ({ run, at: shuffle[index] ?? 0 }))
            .sort((a, b) => a.at - b.at);
          let order = anOrder({ state }, { life, exact: life === 'rests' ? 'receive' : 'spend' });
          for (const { run } of steps) {
            const before = order;
            order = run(order);
            if (!isTerminal(order.state))
              expect(before.reserved.usdc - order.reserved.usdc).toBeLessThanOrEqual(
                order.filledUsdc - before.filledUsdc,
              );
          }
          expect(order).toMatchObject({
            filledShares: matched,
            reserved: { usdc: 0, shares: 0 },
            ending: null,
          });
          expect(order.state).toBe(matched + 10_000 >= 20_000_000 ? 'filled' : 'cancelled');
        },
      ),
    );
  });
});
