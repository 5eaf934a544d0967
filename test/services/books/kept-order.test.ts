import { describe, expect, it } from 'vitest';
import type { AttemptPart, OrderRecord } from '../../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { SubmitOutcome } from '../../../src/ports/order-gateway.ts';
import {
  foldAttempt,
  foldCancelWanted,
  foldWaitingEnd,
  intentOfPart,
  plusFill,
} from '../../../src/services/books/kept-order.ts';
import {
  foldAnswer,
  foldFill,
  foldNeverBooked,
  foldVenueOrder,
  isFencing,
} from '../../../src/services/books/order-fold.ts';
import { anAttempt } from '../../support/attempts.ts';
import { T0 } from '../../support/builders.ts';
import { aFillOf, aSignedOrder, at, aWord, ORDER_ID } from '../../support/worlds/folded-orders.ts';
import { asId, type OrderId } from '../../../src/domain/ids.ts';

const LATER = T0 + 7;
const NOTHING = { usdc: 0, shares: 0 };
/** Two attempts before the one that is out: the venue named the second one by its bytes alone. */
const FIRST = anAttempt('ours', {
  orderId: asId<OrderId>('0x0a'),
  ended: { how: 'done', proof: null, atMs: T0 },
});
const SECOND = anAttempt('0x0b', {
  orderId: null,
  ended: { how: 'never', proof: 'absent', atMs: T0 },
});

/** An attempt at the 15 shares that are left of 20, for 7.5 USDC at most. */
const PART: AttemptPart = {
  life: 'part_now',
  spendMicros: 7_500_000,
  receiveMicros: 15_000_000,
  sendUntilMs: T0 + 1_000,
  filledShares: shareMicros(5_000_000),
  filledUsdc: usdcMicros(2_500_000),
};
const KEPT = {
  filledShares: shareMicros(5_000_000),
  filledUsdc: usdcMicros(2_500_000),
  feesUsdc: usdcMicros(50_000),
  reserved: { usdc: usdcMicros(8_000_000), shares: shareMicros(0) },
};

/** A buy of 20 shares kept by the service that got 5, with an attempt at the rest out. */
function outNow(
  changes: Partial<OrderRecord> = {},
  intent: Partial<OrderRecord['intent']> = {},
  part: Partial<AttemptPart> = {},
): OrderRecord {
  const out = anAttempt(ORDER_ID, { part: { ...PART, ...part } });
  return aSignedOrder(
    { ...KEPT, attempts: [FIRST, SECOND, out], ...changes },
    { restsAt: 'service', ...intent },
  );
}

/** The same with nothing out. */
const atRest = (changes: Partial<OrderRecord> = {}) =>
  outNow({ state: 'live', attempts: [FIRST, SECOND], ...changes });

/** A sale of 20 shares of which 5 are sold. */
const saleOut = (changes: Partial<OrderRecord> = {}) =>
  outNow(
    { reserved: { usdc: usdcMicros(0), shares: shareMicros(15_000_000) }, ...changes },
    { side: 'sell', exact: 'spend', spendMicros: 20_000_000, receiveMicros: 10_000_000 },
    { spendMicros: 15_000_000, receiveMicros: 7_500_000 },
  );

const refusal = (kind: 'rejected' | 'restricted' | 'underfunded' | 'reissue' | 'unfilled') =>
  ({ kind, reason: 'no' }) as SubmitOutcome; // each of these has a reason

describe('an attempt at a part of a kept order', () => {
  it('carries the intent out at once, for what is left of it', () => {
    const { intent } = outNow();
    expect(intentOfPart(intent, PART)).toEqual({
      ...intent,
      life: 'part_now',
      spendMicros: 7_500_000,
      receiveMicros: 15_000_000,
      sendUntilMs: T0 + 1_000,
      expiresAtMs: null,
      restsAt: undefined,
    });
  });

  it('L2: fences its market while it may be live at the venue', () => {
    expect([
      isFencing(outNow({ state: 'live' })),
      isFencing(outNow({ state: 'delayed' })),
      isFencing(outNow({ state: 'matched' })),
      isFencing(atRest()),
      isFencing(aSignedOrder({ state: 'live', attempts: [] })),
    ]).toEqual([true, true, false, false, false]);
  });

  it('that is filled in part counts beside what the order had, and takes from what is set aside', () => {
    const before = outNow({ state: 'submitting' });
    expect(foldFill(before, aFillOf(5_000_000, 2_400_000, 10_000), at(LATER))).toEqual({
      ...before,
      state: 'matched',
      filledShares: 10_000_000,
      filledUsdc: 4_900_000,
      feesUsdc: 60_000,
      reserved: { usdc: 8_000_000 - 2_410_000, shares: 0 },
      updatedAtMs: LATER,
    });
  });

  it('that is filled in two parts counts each once', () => {
    const once = foldFill(outNow(), aFillOf(5_000_000, 2_400_000, 10_000), at());
    expect(foldFill(once, aFillOf(1_000_000, 500_000, 2_000), at(LATER))).toMatchObject({
      state: 'matched',
      filledShares: 11_000_000,
      filledUsdc: 5_400_000,
      feesUsdc: 62_000,
      reserved: { usdc: 8_000_000 - 2_912_000 },
    });
  });

  it('that the venue calls done ends the order as that where no other may follow', () => {
    const most = foldFill(outNow(), aFillOf(14_980_000, 7_000_000), at());
    const done = (mayRest: boolean) =>
      foldAttempt(
        most,
        (order) => foldVenueOrder(order, aWord('matched', 14_980_000), true, at(LATER)),
        { nowMs: LATER, mayRest },
      );
    expect([most.state, done(true).state, done(false).state]).toEqual([
      'matched',
      'live',
      'filled',
    ]);
  });

  it('of a sale takes shares from what is set aside', () => {
    const sold = foldFill(saleOut({ state: 'live' }), aFillOf(6_000_000, 3_000_000), at());
    expect(sold).toMatchObject({
      filledShares: 11_000_000,
      filledUsdc: 5_500_000,
      reserved: { usdc: 0, shares: 9_000_000 },
    });
  });

  it('that brings all that was left fills the order', () => {
    expect(foldFill(outNow(), aFillOf(15_000_000, 7_400_000), at(LATER))).toMatchObject({
      state: 'filled',
      filledShares: 20_000_000,
      filledUsdc: 9_900_000,
      reserved: NOTHING,
      attempts: [{}, {}, { ended: { how: 'done', atMs: LATER } }],
    });
    expect(foldFill(saleOut(), aFillOf(15_000_000, 1), at()).state).toBe('filled');
    const beyond = foldFill(outNow(), aFillOf(15_000_001, 7_400_000), at());
    expect(beyond.state).toBe('filled');
  });

  it('that brings all but dust lets the rest wait, with what is left set aside', () => {
    expect(foldFill(outNow(), aFillOf(14_999_999, 7_400_000), at(LATER))).toMatchObject({
      state: 'live',
      matchedShares: null,
      reserved: { usdc: 600_000, shares: 0 },
      attempts: [{}, {}, { ended: { how: 'done', atMs: LATER } }],
    });
    expect(foldFill(saleOut(), aFillOf(14_999_999, 7_400_000), at(LATER))).toMatchObject({
      state: 'live',
      reserved: { usdc: 0, shares: 1 },
    });
  });

  it('of an order for a sum fills it once the sum is spent', () => {
    const exact = { exact: 'spend' as const };
    const spent = foldFill(outNow({}, exact), aFillOf(16_000_000, 7_500_000), at());
    const left = foldFill(outNow({}, exact), aFillOf(16_000_000, 7_499_999), at());
    const more = foldFill(outNow({}, exact), aFillOf(16_000_000, 5_000_000), at());
    expect([spent.state, left.state, more.state]).toEqual(['filled', 'live', 'matched']);
    const sum = outNow(
      {},
      { side: 'sell', exact: 'receive', spendMicros: 20_000_000, receiveMicros: 10_000_000 },
      { spendMicros: 15_000_000, receiveMicros: 7_500_000 },
    );
    const brought = foldFill(sum, aFillOf(9_000_000, 7_500_000), at());
    const lacks = foldFill(sum, aFillOf(9_000_000, 7_499_999), at());
    expect([brought.state, lacks.state]).toEqual(['filled', 'live']);
  });

  it('that got nothing lets the order wait again', () => {
    const waits = { state: 'live', matchedShares: null, reserved: KEPT.reserved };
    const word = foldVenueOrder(outNow({ state: 'live' }), aWord('cancelled'), true, at(LATER));
    expect(word).toMatchObject({ ...waits, intent: { restsAt: 'service', life: 'rests' } });
    expect(foldAnswer(outNow(), refusal('unfilled'), LATER)).toMatchObject(waits);
    expect(foldAnswer(outNow(), refusal('reissue'), LATER)).toMatchObject(waits);
    expect(foldNeverBooked(outNow({ state: 'unknown' }), 'absent', LATER)).toMatchObject({
      ...waits,
      attempts: [{}, {}, { ended: { how: 'never', proof: 'absent' } }],
    });
  });

  it.each([
    ['its user wants it gone', true, T0 + 3_600_000, LATER, 'cancelled'],
    ['its time has come', false, LATER, LATER, 'expired'],
    ['its time is to come', false, LATER + 1, LATER, 'live'],
    ['it has no time', false, null, LATER, 'live'],
  ] as const)(
    'ends and %s: the order is as that says',
    (_, cancelWanted, expiresAtMs, now, end) => {
      const order = outNow({ state: 'live', cancelWanted }, { expiresAtMs });
      const ended = foldVenueOrder(order, aWord('cancelled', 0, 'gone'), true, at(now));
      expect([ended.state, ended.reason, ended.reserved.usdc]).toEqual([
        end,
        'gone',
        end === 'live' ? 8_000_000 : 0,
      ]);
    },
  );

  it('that never landed ends the order as cancelled where its user wants it gone', () => {
    const order = outNow({ state: 'unknown', cancelWanted: true });
    expect(foldNeverBooked(order, 'absent', LATER)).toMatchObject({
      state: 'cancelled',
      reason: 'absent',
      reserved: NOTHING,
    });
  });

  it.each(['rejected', 'restricted', 'underfunded'] as const)(
    'that is %s ends the order: as cancelled where it had got something',
    (kind) => {
      const got = foldAnswer(outNow(), refusal(kind), LATER);
      expect(got).toMatchObject({ state: 'cancelled', reason: 'no', reserved: NOTHING });
      const nothing = {
        filledShares: shareMicros(0),
        filledUsdc: usdcMicros(0),
      };
      const none = foldAnswer(outNow(nothing, {}, nothing), refusal(kind), LATER);
      expect(none).toMatchObject({ state: 'rejected', reason: 'no', reserved: NOTHING });
    },
  );

  it('about which nothing new is said leaves the record as it is', () => {
    const order = outNow({ state: 'live' });
    const other = { ...aWord('cancelled'), orderId: asId<OrderId>('0x02') };
    expect(foldVenueOrder(order, other, true, at(LATER))).toBe(order);
  });
});

describe('a fill of an attempt that was over', () => {
  it.each([
    ['by the id of the venue', '0x0a'],
    ['by our own', '0x0b'],
  ])('named %s counts for the order and leaves the one that is out its part', (_, id) => {
    const before = outNow({ state: 'submitting' });
    const late = aFillOf(1_000_000, 500_000, 7, asId<OrderId>(id));
    expect(foldFill(before, late, at(LATER))).toEqual({
      ...before,
      filledShares: 6_000_000,
      filledUsdc: 3_000_000,
      feesUsdc: 50_007,
      reserved: { usdc: 8_000_000 - 500_007, shares: 0 },
      attempts: [
        FIRST,
        SECOND,
        anAttempt(ORDER_ID, {
          part: {
            ...PART,
            filledShares: shareMicros(6_000_000),
            filledUsdc: usdcMicros(3_000_000),
          },
        }),
      ],
      updatedAtMs: LATER,
    });
  });

  it('that leaves nothing to get has the order filled, however the one that is out ends', () => {
    const late = aFillOf(15_000_000, 7_500_000, 0, asId<OrderId>('0x0a'));
    const whole = foldFill(outNow({ cancelWanted: true }), late, at());
    expect([
      foldVenueOrder(whole, aWord('cancelled'), true, at(LATER)),
      foldAnswer(whole, refusal('rejected'), LATER),
      foldNeverBooked(whole, 'absent', LATER),
    ]).toMatchObject(
      Array.from({ length: 3 }, () => ({ state: 'filled', reason: null, reserved: NOTHING })),
    );
  });

  it('never takes more than is set aside', () => {
    const few = { reserved: { usdc: usdcMicros(5), shares: shareMicros(5) } };
    const late = aFillOf(1_000_000, 500_000, 7, asId<OrderId>('0x0a'));
    expect(foldFill(outNow(few), late, at()).reserved).toEqual({ usdc: 0, shares: 5 });
    expect(foldFill(saleOut(few), late, at()).reserved).toEqual({ usdc: 5, shares: 0 });
  });

  it('counts while the order waits, and fills it where nothing is left', () => {
    const late = (shares: number) => aFillOf(shares, 500_000, 0, asId<OrderId>('0x0a'));
    expect(foldFill(atRest(), late(1_000_000), at(LATER))).toMatchObject({
      state: 'live',
      filledShares: 6_000_000,
      reserved: { usdc: 7_500_000 },
    });
    expect(foldFill(atRest(), late(15_000_000), at(LATER))).toMatchObject({
      state: 'filled',
      reserved: NOTHING,
    });
  });
});

describe('an order that waits with the service', () => {
  it('learns nothing while nothing of it is out', () => {
    const order = atRest();
    expect(foldAnswer(order, refusal('rejected'), LATER)).toBe(order);
    expect(foldVenueOrder(order, aWord('cancelled'), true, at(LATER))).toBe(order);
    expect(foldNeverBooked(atRest({ attempts: [] }), 'absent', LATER).state).toBe('live');
  });

  it('ends as requested, where nothing of it is out', () => {
    const ended = { state: 'expired', reason: 'over' } as const;
    expect(foldWaitingEnd(atRest(), ended, LATER)).toEqual({
      ...atRest(),
      ...ended,
      reserved: NOTHING,
      updatedAtMs: LATER,
    });
    const out = outNow();
    expect(foldWaitingEnd(out, ended, LATER)).toBe(out);
  });

  it('is cancelled once it shall go, or when what is out has ended', () => {
    expect(foldCancelWanted(atRest(), LATER)).toEqual({
      ...atRest(),
      state: 'cancelled',
      reason: null,
      reserved: NOTHING,
      cancelWanted: true,
      updatedAtMs: LATER,
    });
    expect(foldCancelWanted(outNow(), LATER)).toEqual({
      ...outNow(),
      cancelWanted: true,
      updatedAtMs: LATER,
    });
  });

  it('that has ended still counts a late fill', () => {
    const ended = foldCancelWanted(atRest(), LATER);
    expect(foldFill(ended, aFillOf(1_000_000, 500_000), at(LATER))).toMatchObject({
      state: 'cancelled',
      filledShares: 6_000_000,
      reserved: NOTHING,
    });
  });
});

describe('fills of an order', () => {
  it('add up, with what a venue kept of the shares as its fee', () => {
    const amounts = {
      shares: shareMicros(2_000_000),
      usdc: usdcMicros(900_000),
      fee: usdcMicros(0),
    };
    const fill = { ...amounts, orderId: asId<OrderId>('0x0c') };
    const before = aSignedOrder();
    const first = plusFill(before, { ...fill, feeShares: shareMicros(60_000) });
    const second = plusFill({ ...before, ...first }, { ...fill, feeShares: shareMicros(40_000) });
    expect(second).toMatchObject({ filledShares: 4_000_000, feeShares: 100_000 });
    expect(plusFill(before, fill)).not.toHaveProperty('feeShares');
  });
});
