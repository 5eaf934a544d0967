import { assert, constantFrom, integer, property, array, record, boolean } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTerminal, type OrderRecord, type OrderState } from '../../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { VenueOrder } from '../../../src/ports/order-gateway.ts';
import {
  foldAnswer,
  foldUnknown,
  foldFill,
  foldNeverBooked,
  foldVenueOrder,
  isFencing,
} from '../../../src/services/books/order-fold.ts';
import { T0 } from '../../support/builders.ts';
import { anAttempt } from '../../support/attempts.ts';
import { aFillOf, aSignedOrder, at, aWord, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const states: readonly OrderState[] = ['signed', 'unknown', 'live', 'delayed', 'matched'];

describe('folding words into an order', () => {
  it.each([
    ['live', 'live'],
    ['delayed', 'delayed'],
    ['matched', 'matched'],
  ] as const)('an accepted order is %s', (status, state) => {
    expect(
      foldAnswer(aSignedOrder(), { kind: 'accepted', orderId: ORDER_ID, status }, T0).state,
    ).toBe(state);
  });

  it('L2: an answer with another order id is unknown', () => {
    expect(
      foldAnswer(aSignedOrder(), { kind: 'accepted', orderId: asId('0x02'), status: 'live' }, T0)
        .state,
    ).toBe('unknown');
  });

  it('an answer that comes late changes nothing that is decided', () => {
    const live = aSignedOrder({ state: 'live' });
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
      const live = aSignedOrder({ state: 'live' }, intent);
      const misled = foldVenueOrder(live, aWord('cancelled', matched), true, at());
      expect([misled.matchedShares, misled.state, misled.reserved]).toEqual([
        null,
        'matched',
        live.reserved,
      ]);
      const reported = foldVenueOrder(
        foldFill(misled, aFillOf(5_000_000, 2_500_000), at()),
        aWord('cancelled', 5_000_000),
        true,
        at(),
      );
      expect(reported).toMatchObject({
        state: 'cancelled',
        matchedShares: 5_000_000,
        reserved: { usdc: 0, shares: 0 },
      });
    },
  );

  it('L2: once unknown, neither a refusal nor a kill of a copy ends it', () => {
    const unknown = aSignedOrder({ state: 'unknown' });
    expect(foldAnswer(unknown, { kind: 'rejected', reason: 'no' }, T0)).toBe(unknown);
    expect(foldAnswer(unknown, { kind: 'unfilled', reason: 'no' }, T0)).toBe(unknown);
  });

  it('a partial fill shrinks the reservation by what it cost, fee included', () => {
    expect(
      foldFill(aSignedOrder({ state: 'live' }), aFillOf(5_000_000, 2_500_000, 87_500), at()),
    ).toMatchObject({
      state: 'live',
      filledShares: 5_000_000,
      reserved: { usdc: 10_701_000 - 2_587_500 },
    });
  });

  it('a fill proves that the venue has the order, whatever became of the answer', () => {
    expect(
      foldFill(aSignedOrder({ state: 'unknown' }), aFillOf(5_000_000, 2_500_000), at()).state,
    ).toBe('live');
    expect(
      foldFill(
        aSignedOrder({ state: 'unknown' }, { life: 'all_now', exact: 'spend' }),
        aFillOf(5_000_000, 2_500_000),
        at(),
      ).state,
    ).toBe('matched');
  });

  it('a market buy is whole when its money is spent, not when the promised shares are there', () => {
    const order = aSignedOrder(
      { state: 'matched' },
      { life: 'all_now', exact: 'spend', expiresAtMs: null },
    );
    const part = foldFill(order, aFillOf(20_000_000, 8_000_000), at());
    expect(part.state).toBe('matched');
    expect(foldFill(part, aFillOf(4_000_000, 2_000_000), at())).toMatchObject({
      state: 'filled',
      reserved: { usdc: 0 },
    });
  });

  it('a market sale that took part of what it wanted is filled by the statement of the venue', () => {
    const sale = aSignedOrder(
      { state: 'matched', reserved: { usdc: usdcMicros(0), shares: shareMicros(20_000_000) } },
      {
        side: 'sell',
        life: 'part_now',
        exact: 'spend',
        spendMicros: 20_000_000,
        receiveMicros: 10_000_000,
      },
    );
    const part = foldFill(sale, aFillOf(8_000_000, 4_000_000), at());
    expect(part).toMatchObject({ state: 'matched', reserved: { shares: 12_000_000 } });
    expect(foldVenueOrder(part, aWord('matched', 8_000_000), false, at()).state).toBe('matched');
    expect(foldVenueOrder(part, aWord('matched', 8_000_000), true, at())).toMatchObject({
      state: 'filled',
      reserved: { shares: 0 },
    });
  });

  it('a stale "live" does not take a match back from a market order', () => {
    const order = aSignedOrder({ state: 'matched' }, { life: 'all_now', exact: 'spend' });
    expect(foldVenueOrder(order, aWord('live'), true, at()).state).toBe('matched');
  });

  it('a resting order that was partly matched at once goes on resting', () => {
    expect(
      foldVenueOrder(aSignedOrder({ state: 'matched' }), aWord('live', 5_000_000), true, at()),
    ).toMatchObject({ state: 'live', matchedShares: 5_000_000 });
  });

  it('"unmatched" kills a market order and leaves a limit order on the book', () => {
    expect(
      foldVenueOrder(
        aSignedOrder({ state: 'delayed' }, { life: 'all_now', exact: 'spend' }),
        aWord('unmatched'),
        true,
        at(),
      ).state,
    ).toBe('cancelled');
    expect(
      foldVenueOrder(aSignedOrder({ state: 'delayed' }), aWord('unmatched'), true, at()).state,
    ).toBe('live');
  });

  it.each([
    ['once its market is over', {}, T0, null, 'ended with its market'],
    ['before its market is over', {}, T0 + 1, null, null],
    ['that its user wanted', { cancelWanted: true }, T0, null, null],
    ['of which the venue says why', {}, T0, 'by_operator', 'by_operator'],
  ])('a cancellation %s says why', (_when, record, marketEndsAtMs, words, reason) => {
    const word = { ...aWord('cancelled', 0), reason: words };
    const ended = foldVenueOrder(aSignedOrder({ state: 'live', ...record }), word, true, {
      ...at(T0),
      marketEndsAtMs,
    });
    expect(ended).toMatchObject({ state: 'cancelled', reason });
  });

  it('a cancellation near the expiry is the expiry, unless the user wanted it', () => {
    const late = T0 + 3_600_000 - 59_999;
    expect(
      foldVenueOrder(aSignedOrder({ state: 'live' }), aWord('cancelled'), true, at(late)).state,
    ).toBe('expired');
    expect(
      foldVenueOrder(
        aSignedOrder({ state: 'live', cancelWanted: true }),
        aWord('cancelled'),
        true,
        at(late),
      ).state,
    ).toBe('cancelled');
    expect(
      foldVenueOrder(aSignedOrder({ state: 'live' }), aWord('cancelled'), true, at(late - 2)).state,
    ).toBe('cancelled');
  });

  it('gtd-early: the expiry is the whole second that was sent to the venue', () => {
    const expiresAtMs = T0 + 3_600_999;
    expect(
      foldVenueOrder(
        aSignedOrder({ state: 'live' }, { expiresAtMs }),
        aWord('cancelled'),
        true,
        at(T0 + 3_540_000),
      ).state,
    ).toBe('expired');
  });

  it('underfill-dust: fills that lack dust leave a resting order standing until the venue ends it, and fill a market order', () => {
    const resting = foldFill(aSignedOrder({ state: 'live' }), aFillOf(19_999_900, 9_999_950), at());
    expect(resting).toMatchObject({ state: 'live', filledShares: 19_999_900 });
    expect(resting.reserved.usdc).toBeGreaterThan(0);
    expect(foldVenueOrder(resting, aWord('matched', 19_999_900), true, at())).toMatchObject({
      state: 'filled',
      reserved: { usdc: 0 },
    });
    expect(
      foldFill(
        aSignedOrder(
          { state: 'matched' },
          { life: 'all_now', exact: 'spend', expiresAtMs: null, receiveMicros: 19_000_000 },
        ),
        aFillOf(19_999_900, 9_999_950),
        at(),
      ).state,
    ).toBe('filled');
  });

  it('L2: what is said of another attempt than the last is not heard', () => {
    const order = aSignedOrder({ state: 'live' });
    const other = { ...aWord('cancelled'), orderId: asId<VenueOrder['orderId']>('0x02') };
    expect(foldVenueOrder(order, other, true, at())).toBe(order);
  });

  it("learns the venue's id of an attempt from its acknowledgement, and holds it to that one", () => {
    const unnamed = aSignedOrder({ attempts: [anAttempt('ours', { orderId: null })] });
    const accepted = { kind: 'accepted', orderId: ORDER_ID, status: 'live' } as const;
    const named = foldAnswer(unnamed, accepted, T0);
    expect(named).toMatchObject({
      state: 'live',
      attempts: [{ attemptId: 'ours', orderId: ORDER_ID }],
    });
    expect(
      foldVenueOrder({ ...unnamed, state: 'unknown' }, aWord('live'), true, at()),
    ).toMatchObject({ state: 'live', attempts: [{ attemptId: 'ours', orderId: ORDER_ID }] });
    const other = { ...accepted, orderId: asId<VenueOrder['orderId']>('0x02') };
    expect(foldAnswer({ ...named, state: 'signed' }, other, T0).state).toBe('unknown');
  });

  it('the same word twice is nothing new', () => {
    const once = foldVenueOrder(
      aSignedOrder({ state: 'live', matchedShares: shareMicros(0) }),
      aWord('live', 0),
      true,
      at(),
    );
    expect(foldVenueOrder(once, aWord('live', 0), true, at(T0 + 1))).toBe(once);
  });

  it.each([
    ['all_now', true],
    ['part_now', true],
    ['rests', false],
  ] as const)('L2: a live order that is %s fences its market: %s', (life, fences) => {
    expect(isFencing(aSignedOrder({ state: 'live' }, { life }))).toBe(fences);
    expect(isFencing(aSignedOrder({ state: 'unknown' }, { life }))).toBe(true);
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
          const fills = parts.map(({ shares }) => aFillOf(shares, Math.floor(shares / 2)));
          const matched = fills.reduce((sum, { shares }) => sum + shares, 0);
          const steps = [
            (order: OrderRecord) =>
              foldVenueOrder(order, aWord('cancelled', matched, 'ended'), true, at()),
            ...fills.map((part) => (order: OrderRecord) => foldFill(order, part, at())),
          ]
            .map((run, index) => ({ run, at: shuffle[index] ?? 0 }))
            .sort((a, b) => a.at - b.at);
          let order = aSignedOrder(
            { state },
            { life, exact: life === 'rests' ? 'receive' : 'spend' },
          );
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
