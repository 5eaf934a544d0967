import { describe, expect, it } from 'vitest';
import type { OrderRecord, OrderState } from '../../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { SubmitOutcome, VenueOrder } from '../../../src/ports/order-gateway.ts';
import {
  foldAnswer,
  foldFill,
  foldInterrupted,
  foldNeverBooked,
  foldTakenBack,
  foldUnknown,
  foldVenueOrder,
  isAccepted,
  isFencing,
  isUndecided,
} from '../../../src/services/books/order-fold.ts';
import { foldSettlement } from '../../../src/services/books/settlement-fold.ts';
import { anAttempt } from '../../support/attempts.ts';
import { T0 } from '../../support/builders.ts';
import { aFillOf, aSignedOrder, at, aWord, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const STATES: readonly OrderState[] = [
  'intended',
  'signed',
  'submitting',
  'live',
  'delayed',
  'matched',
  'unknown',
  'filled',
  'cancelled',
  'expired',
  'rejected',
];
const LATER = T0 + 7;
const SUM = { life: 'all_now', exact: 'spend', expiresAtMs: null } as const;
const SALE = {
  side: 'sell',
  exact: 'spend',
  spendMicros: 20_000_000,
  receiveMicros: 10_000_000,
} as const;
const never = (proof: string | null) => ({ how: 'never', proof, atMs: LATER });
const DONE = { how: 'done', proof: null, atMs: LATER };
const NOTHING = { usdc: 0, shares: 0 };
const filled = (shares: number, usdc = 0) => ({
  filledShares: shareMicros(shares),
  filledUsdc: usdcMicros(usdc),
});
const saleOf = (changes: Partial<OrderRecord> = {}, intent: Partial<OrderRecord['intent']> = {}) =>
  aSignedOrder(
    { reserved: { usdc: usdcMicros(0), shares: shareMicros(20_000_000) }, ...changes },
    { ...SALE, ...intent },
  );
/** Everything that is matched of an order as the venue states it when it is asked. */
const stateAfter = (order: OrderRecord, word: VenueOrder, asked = true): OrderState =>
  foldVenueOrder(order, word, asked, at(LATER)).state;

describe('the answer to a first sending', () => {
  it.each(['rejected', 'restricted', 'reissue', 'underfunded'] as const)(
    'that is %s ends the order as rejected, on that proof',
    (kind) => {
      const refusal = { kind, reason: 'too late' } as SubmitOutcome; // each of these has a reason
      expect(foldAnswer(aSignedOrder(), refusal, LATER)).toEqual(
        aSignedOrder({
          state: 'rejected',
          reason: 'too late',
          reserved: { usdc: usdcMicros(0), shares: shareMicros(0) },
          attempts: [
            anAttempt(ORDER_ID, {
              lastSentAtMs: T0,
              ended: { how: 'never', proof: 'too late', atMs: LATER },
            }),
          ],
          updatedAtMs: LATER,
        }),
      );
    },
  );

  it('that is unfilled ends the order as cancelled, and all of it is accounted for', () => {
    expect(foldAnswer(aSignedOrder(), { kind: 'unfilled', reason: 'killed' }, LATER)).toMatchObject(
      {
        state: 'cancelled',
        reason: 'killed',
        reserved: NOTHING,
        attempts: [{ ended: DONE }],
      },
    );
  });

  it('that it was sent, has to wait, or tells nothing, ends nothing', () => {
    const signed = aSignedOrder({ reason: 'waits' });
    expect(foldAnswer(signed, { kind: 'sent' } as SubmitOutcome, LATER)).toEqual({
      ...signed,
      state: 'submitting',
      reason: null,
      updatedAtMs: LATER,
    });
    expect(foldAnswer(signed, { kind: 'deferred' } as SubmitOutcome, LATER)).toBe(signed);
    const lost: readonly [SubmitOutcome, string][] = [
      [{ kind: 'duplicate' } as SubmitOutcome, 'the venue knows these bytes already'],
      [{ kind: 'unknown', cause: 'no answer' } as SubmitOutcome, 'no answer'],
    ];
    for (const [outcome, reason] of lost)
      expect(foldAnswer(signed, outcome, LATER)).toEqual({
        ...signed,
        state: 'unknown',
        reason,
        updatedAtMs: LATER,
      });
  });

  it('changes nothing that is decided, whatever it says', () => {
    const order = aSignedOrder({ state: 'matched', reason: 'as reported' });
    const late: readonly SubmitOutcome[] = [
      { kind: 'accepted', orderId: ORDER_ID, status: 'live' },
      { kind: 'sent' } as SubmitOutcome,
      { kind: 'duplicate' } as SubmitOutcome,
    ];
    for (const outcome of late) expect(foldAnswer(order, outcome, LATER)).toBe(order);
  });

  it('that accepts clears the reason the order waited for', () => {
    const waited = aSignedOrder({ state: 'submitting', reason: 'waits' });
    expect(
      foldAnswer(waited, { kind: 'accepted', orderId: ORDER_ID, status: 'delayed' }, LATER),
    ).toEqual({ ...waited, state: 'delayed', reason: null, updatedAtMs: LATER });
  });
});

describe('an order without an answer', () => {
  it('L2: keeps why and since when its status is not known', () => {
    const unknown = foldUnknown(aSignedOrder(), 'lost', T0 + 1);
    expect(foldUnknown(unknown, 'lost again', LATER)).toBe(unknown);
  });

  it('ends as cancelled when it was caught before it was signed, or is taken back before it was sent', () => {
    const gone = { state: 'cancelled', reserved: NOTHING, updatedAtMs: LATER };
    const order = aSignedOrder({ state: 'intended' });
    expect(foldInterrupted(order, LATER)).toMatchObject({
      ...gone,
      reason: 'interrupted before signing',
    });
    expect(foldTakenBack(order, 'not wanted', LATER)).toMatchObject({
      ...gone,
      reason: 'not wanted',
    });
  });

  it('L2: ends as rejected on proof that it was never booked', () => {
    expect(foldNeverBooked(aSignedOrder({ state: 'unknown' }), 'absent', LATER)).toMatchObject({
      state: 'rejected',
      reason: 'absent',
      reserved: NOTHING,
      attempts: [{ ended: never('absent') }],
    });
  });

  it.each([
    ['delayed', 0, 0, 'rejected'],
    ['matched', 0, 0, 'rejected'],
    ['matched', 5, 5, 'rejected'],
    ['matched', 5, 4, 'matched'],
    ['matched', 5, undefined, 'matched'],
    ['live', 0, 0, 'live'],
  ] as const)(
    'that the chain took back after it was %s, with %s filled of which %s were taken back, is %s',
    (state, shares, reversed, end) => {
      const order = aSignedOrder({
        state,
        ...filled(shares),
        ...(reversed === undefined ? {} : { reversedShares: shareMicros(reversed) }),
      });
      expect(foldNeverBooked(order, 'gone', LATER).state).toBe(end);
    },
  );

  it('learns nothing from a word while nothing of it has gone out', () => {
    const order = aSignedOrder({ attempts: [], state: 'live' });
    expect(foldVenueOrder(order, aWord('cancelled'), true, at(LATER))).toBe(order);
  });
});

describe("the venue's word", () => {
  it.each([
    ['a buy of shares', aSignedOrder({ state: 'live' }), 20_010_000],
    ['a sale', saleOf({ state: 'live' }), 20_010_000],
    ['a buy for a sum', aSignedOrder({ state: 'matched' }, SUM), 100_000_010_000],
  ])('counts the most there can be of %s, dust included', (_, order, most) => {
    const matchedAt = (matched: number) =>
      foldVenueOrder(order, aWord('live', matched), true, at()).matchedShares;
    expect([matchedAt(most), matchedAt(most + 1)]).toEqual([most, null]);
  });

  it('that is older takes back nothing that was matched', () => {
    const order = aSignedOrder({ state: 'live', matchedShares: shareMicros(5_000_000) });
    expect(foldVenueOrder(order, aWord('live', 3_000_000), true, at(LATER))).toBe(order);
  });

  it('clears why the status was not known, and keeps any other reason', () => {
    const order = aSignedOrder({ state: 'unknown', reason: 'lost' });
    const seen = foldVenueOrder(order, aWord('live'), true, at(LATER));
    expect([seen.state, seen.reason]).toEqual(['live', null]);
    const live = aSignedOrder({ state: 'live', reason: 'kept back' });
    expect(foldVenueOrder(live, aWord('live', 1), true, at(LATER)).reason).toBe('kept back');
  });

  it('is news where it changes the state, the name or what was matched, each alone', () => {
    const delayed = aSignedOrder({ state: 'delayed', matchedShares: shareMicros(0) });
    const unnamed = { ...delayed, attempts: [anAttempt('ours', { orderId: null })] };
    const reported = (order: OrderRecord, word: VenueOrder) =>
      foldVenueOrder(order, word, true, at(LATER)).updatedAtMs;
    expect([
      reported(delayed, aWord('delayed')),
      reported(delayed, aWord('live')),
      reported(unnamed, aWord('delayed')),
      reported(delayed, aWord('delayed', 1)),
    ]).toEqual([T0, LATER, LATER, LATER]);
  });

  it.each([
    ['delayed', 'signed', 'rests', 'delayed'],
    ['delayed', 'live', 'rests', 'live'],
    ['delayed', 'matched', 'all_now', 'matched'],
    ['live', 'unknown', 'all_now', 'live'],
    ['live', 'delayed', 'all_now', 'live'],
    ['live', 'matched', 'rests', 'live'],
    ['unmatched', 'delayed', 'rests', 'live'],
  ] as const)('"%s" about an order that is %s and %s leaves it %s', (status, state, life, end) => {
    expect(stateAfter(aSignedOrder({ state }, { life }), aWord(status))).toBe(end);
  });

  it('ends an order with its own reason, or what it means where it gives none', () => {
    const market = aSignedOrder({ state: 'delayed' }, SUM);
    const endedBy = (word: VenueOrder) => {
      const { state, reason } = foldVenueOrder(market, word, true, at(LATER));
      return [state, reason];
    };
    expect([
      endedBy(aWord('unmatched')),
      endedBy(aWord('unmatched', 0, 'no liquidity')),
      endedBy(aWord('expired', 0, 'its time was over')),
      endedBy(aWord('cancelled', 0, 'by the venue')),
    ]).toEqual([
      ['cancelled', 'nothing matched'],
      ['cancelled', 'no liquidity'],
      ['expired', 'its time was over'],
      ['cancelled', 'by the venue'],
    ]);
  });

  it('L5: ends an order once its fills account for what was matched, dust aside, and gives nothing back before', () => {
    const ended = foldVenueOrder(
      aSignedOrder({ state: 'live' }),
      aWord('cancelled', 5_000_000, 'by hand'),
      true,
      at(),
    );
    expect([ended.state, ended.ending?.state, ended.reserved.usdc]).toEqual([
      'matched',
      'cancelled',
      10_701_000,
    ]);
    const short = foldFill(ended, aFillOf(4_989_999, 2_494_999), at(LATER));
    expect([short.state, short.reserved.usdc]).toEqual(['matched', 10_701_000 - 2_494_999]);
    expect(foldFill(short, aFillOf(1, 1), at(LATER))).toMatchObject({
      state: 'cancelled',
      reason: 'by hand',
      ending: null,
      reserved: NOTHING,
    });
  });

  it('that an order no larger than dust was cancelled ends it as cancelled where nothing of it traded', () => {
    const tiny = aSignedOrder({ state: 'live' }, { spendMicros: 100, receiveMicros: 1_000 });
    expect(foldVenueOrder(tiny, aWord('cancelled'), true, at(LATER)).state).toBe('cancelled');
  });

  it('that an order which lacks dust was cancelled ends it as filled', () => {
    const order = aSignedOrder({ state: 'live', ...filled(19_995_000, 9_997_500) });
    expect(foldVenueOrder(order, aWord('cancelled', 19_995_000), true, at())).toMatchObject({
      state: 'filled',
      reason: null,
      attempts: [{ ended: { how: 'done' } }],
    });
  });

  it('unasked that all is matched ends an order which that makes whole, and leaves any other open', () => {
    const order = aSignedOrder({ state: 'live', ...filled(19_985_000, 9_992_500) });
    expect(stateAfter(order, aWord('matched', 19_995_000), false)).toBe('filled');
    expect(stateAfter(order, aWord('matched', 19_985_000), false)).toBe('matched');
    expect(stateAfter(order, aWord('matched', 19_995_001), false)).toBe('matched');
  });
});

describe('a fill', () => {
  it.each([
    ['delayed', 'rests', 'live'],
    ['delayed', 'all_now', 'matched'],
    ['matched', 'rests', 'matched'],
    ['live', 'all_now', 'live'],
  ] as const)('of an order that is %s and %s leaves it %s', (state, life, end) => {
    const order = aSignedOrder({ state, reason: 'as reported' }, { life });
    expect(foldFill(order, aFillOf(1_000_000, 500_000), at())).toMatchObject({
      state: end,
      reason: 'as reported',
    });
  });

  it('clears why the status was not known', () => {
    const order = aSignedOrder({ state: 'unknown', reason: 'lost' });
    expect(foldFill(order, aFillOf(1_000_000, 500_000), at()).reason).toBeNull();
  });

  it('adds its fee to those before', () => {
    const once = foldFill(aSignedOrder({ state: 'live' }), aFillOf(1_000_000, 500_000, 7), at());
    expect(foldFill(once, aFillOf(1_000_000, 500_000, 5), at(LATER))).toMatchObject({
      ...filled(2_000_000, 1_000_000),
      feesUsdc: 12,
      updatedAtMs: LATER,
    });
  });

  it('of a sale takes its shares from what is set aside, and no money', () => {
    const once = foldFill(saleOf({ state: 'live' }), aFillOf(8_000_000, 4_000_000, 9), at());
    expect(once.reserved).toEqual({ usdc: 0, shares: 12_000_000 });
  });

  it('beyond what is set aside leaves nothing of it', () => {
    const poor = { reserved: { usdc: usdcMicros(5), shares: shareMicros(0) } };
    const buy = aSignedOrder({ state: 'live', ...poor });
    expect(foldFill(buy, aFillOf(1_000_000, 500_000), at()).reserved.usdc).toBe(0);
    const few = { reserved: { usdc: usdcMicros(0), shares: shareMicros(5) } };
    expect(foldFill(saleOf({ state: 'live', ...few }), aFillOf(8, 4), at()).reserved.shares).toBe(
      0,
    );
  });

  it('after the end is counted, and changes nothing else', () => {
    const ended = foldVenueOrder(
      aSignedOrder({ state: 'live' }),
      aWord('cancelled'),
      true,
      at(LATER),
    );
    expect(foldFill(ended, aFillOf(20_000_000, 10_000_000, 3), at(LATER + 1))).toEqual({
      ...ended,
      ...filled(20_000_000, 10_000_000),
      feesUsdc: 3,
      updatedAtMs: LATER + 1,
    });
  });

  it.each([
    ['a buy of shares', aSignedOrder({ state: 'live' }), [20_000_000, 10_000_000], 'filled'],
    ['a buy of shares but one', aSignedOrder({ state: 'live' }), [19_999_999, 1], 'live'],
    ['a sale', saleOf({ state: 'live' }), [20_000_000, 1], 'filled'],
    ['a sale of shares but one', saleOf({ state: 'live' }), [19_999_999, 11_000_000], 'live'],
  ] as const)('of %s that rests ends it only where nothing is left', (_, order, amounts, end) => {
    expect(foldFill(order, aFillOf(amounts[0], amounts[1]), at()).state).toBe(end);
  });

  it.each([
    ['a buy of shares', aSignedOrder({}, { life: 'all_now' }), [19_990_000, 1], [19_989_999, 1]],
    ['a sum, spent', aSignedOrder({}, SUM), [19_990_000, 9_990_000], [30_000_000, 9_989_999]],
    [
      'a sum, for the shares it was to bring',
      aSignedOrder({}, SUM),
      [19_990_000, 10_000_000],
      [19_989_999, 10_000_000],
    ],
    [
      'a sale of shares',
      saleOf({}, { life: 'part_now' }),
      [19_990_000, 1],
      [19_989_999, 20_000_000],
    ],
    [
      'a sale for a sum',
      saleOf({}, { life: 'all_now', exact: 'receive' }),
      [1, 9_990_000],
      [20_000_000, 9_989_999],
    ],
  ] as const)(
    'of %s makes it whole but for dust, and one micro less does not',
    (_, order, whole, less) => {
      expect(foldFill(order, aFillOf(whole[0], whole[1]), at()).state).toBe('filled');
      expect(foldFill(order, aFillOf(less[0], less[1]), at()).state).toBe('matched');
    },
  );

  it('takes dust of shares from shares and dust of cash from cash', () => {
    const traits = { ...at().traits, dustCashMicros: 0 };
    const stateOf = (order: OrderRecord, shares: number, usdc: number) =>
      foldFill(order, aFillOf(shares, usdc), { nowMs: T0, traits }).state;
    const sum = aSignedOrder({}, SUM);
    const sale = saleOf({}, { life: 'all_now' });
    const saleForSum = saleOf({}, { life: 'all_now', exact: 'receive' });
    expect([
      stateOf(sum, 19_990_000, 10_000_000),
      stateOf(sum, 20_000_000, 9_999_999),
      stateOf(sale, 19_990_000, 1),
      stateOf(saleForSum, 1, 10_000_000),
      stateOf(saleForSum, 1, 9_999_999),
    ]).toEqual(['filled', 'matched', 'filled', 'filled', 'matched']);
  });

  it('that brings what was matched so far ends nothing the venue has not ended', () => {
    const order = aSignedOrder({ state: 'live', matchedShares: shareMicros(5_000_000) });
    expect(foldFill(order, aFillOf(5_000_000, 2_500_000), at())).toMatchObject({
      state: 'live',
      reserved: { usdc: 10_701_000 - 2_500_000 },
    });
  });

  it('L3: that is final or taken back is counted as that, and changes nothing else', () => {
    const order = aSignedOrder({ state: 'matched', ...filled(9) });
    const fill = (shares: number) => ({
      shares: shareMicros(shares),
      usdc: usdcMicros(shares * 10),
      fee: usdcMicros(shares * 2),
      feeShares: shareMicros(1),
    });
    const settled = foldSettlement(order, fill(5), 'settled', LATER);
    expect(settled).toEqual({ ...order, settledShares: 5, updatedAtMs: LATER });
    const both = foldSettlement(settled, fill(3), 'reversed', LATER + 1);
    expect(foldSettlement(both, fill(1), 'settled', LATER + 1)).toEqual({
      ...order,
      settledShares: 6,
      reversedShares: 3,
      reversedUsdc: 30,
      reversedFeesUsdc: 6,
      reversedFeeShares: 1,
      updatedAtMs: LATER + 1,
    });
  });
});

describe('a state', () => {
  it('is undecided, accepted or neither', () => {
    expect([STATES.filter(isUndecided), STATES.filter(isAccepted)]).toEqual([
      ['intended', 'signed', 'submitting', 'unknown'],
      ['live', 'delayed', 'matched', 'filled'],
    ]);
  });

  it('L2: fences the market while it is undecided, and a market order until it is matched', () => {
    const fencing = (life: OrderRecord['intent']['life']) =>
      STATES.filter((state) => isFencing(aSignedOrder({ state }, { life })));
    const undecided = ['intended', 'signed', 'submitting', 'unknown'];
    expect(fencing('rests')).toEqual(undecided);
    expect(fencing('part_now')).toEqual(
      STATES.filter((state) => [...undecided, 'live', 'delayed'].includes(state)),
    );
  });
});
