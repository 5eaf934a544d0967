import { describe, expect, it } from 'vitest';
import { ORDER, SYNC } from '../../../config/limits.ts';
import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import type { VenueFill } from '../../../src/domain/fill.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { AttemptPart, OrderAttempt, OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { PartialList, VenueOrder } from '../../../src/ports/order-gateway.ts';
import { anAttempt } from '../../support/attempts.ts';
import { T0 } from '../../support/builders.ts';
import { aSignedOrder, aWord, ORDER_ID } from '../../support/worlds/folded-orders.ts';
import { anOrderSender } from '../../support/worlds/order-sender.ts';

/** When even a late booking would have been seen, ms after the bytes left. */
const FINAL_AFTER_MS = VENUE_A_TRAITS.absenceFinalAfterMs;
const SHARE = 1_000_000;

/** What a venue that knows no order says of the rest, and what happens while it is asked. */
interface Said {
  readonly open?: Partial<PartialList<VenueOrder>>;
  readonly trades?: Partial<PartialList<VenueFill>> | null;
  /** Stored while the venue looks for the trades. */
  readonly meanwhile?: OrderRecord;
  readonly afterMs?: number;
  /** As the venue's traits say. */
  readonly absenceFinalAfterMs?: number | null;
}

/** Asks once of an order that the venue does not know, long after its bytes left unless stated. */
async function asked(
  order: OrderRecord,
  {
    open = {},
    trades = {},
    meanwhile,
    afterMs = FINAL_AFTER_MS,
    absenceFinalAfterMs = FINAL_AFTER_MS,
  }: Said = {},
) {
  const asks: string[] = [];
  const sender = await anOrderSender(
    order,
    {
      lookup: () => Promise.resolve({ kind: 'absent', proof: null }),
      async openOrders() {
        asks.push('open');
        return { read: [], unread: 0, ...open };
      },
      fills:
        trades &&
        (async (_userId, sinceMs) => {
          asks.push(`trades since ${sinceMs - T0}`);
          if (meanwhile !== undefined) await sender.put(meanwhile);
          return { read: [], unread: 0, ...trades };
        }),
    },
    { afterMs, traits: { absenceFinalAfterMs } },
  );
  const step = await sender.effects.ask(sender.input, new AbortController().signal);
  const stored = sender.stored();
  return { step, stored, asks };
}

const anUnknown = (changes: Partial<OrderRecord> = {}) =>
  aSignedOrder({ state: 'unknown', reason: 'connection lost', ...changes });

const aLive = (changes: Partial<OrderRecord> = {}) => aSignedOrder({ state: 'live', ...changes });

/** A trade of so many shares by each leg, of the order unless of another. */
function aTrade(legs: readonly number[], orderId = ORDER_ID): VenueFill {
  return {
    tradeId: asId('trade-1'),
    orderId,
    marketId: aSignedOrder().intent.marketId,
    tokenId: aSignedOrder().intent.tokenId,
    side: 'buy',
    role: 'maker',
    legs: legs.map((shares) => ({ shares: shareMicros(shares * SHARE), price: priceTicks(5_000) })),
    fee: null,
    word: 'matched',
    matchedAtMs: T0 + 1_000,
    transactionHash: null,
  };
}

describe('L2: an undecided order that the venue does not know', () => {
  it('was never booked once even a late booking would have been seen, and says what was last known of it', async () => {
    const { stored, asks } = await asked(anUnknown());
    expect([stored?.state, stored?.reason, asks]).toEqual([
      'rejected',
      'never booked by the venue (connection lost)',
      [`trades since ${-SYNC.overlapMs}`],
    ]);
    const silent = await asked(anUnknown({ reason: null }));
    expect(silent.stored?.reason).toBe('never booked by the venue (no answer)');
  });

  it('is left open a moment earlier', async () => {
    const order = anUnknown();
    const { stored, asks } = await asked(order, { afterMs: FINAL_AFTER_MS - 1 });
    expect([stored, asks]).toEqual([order, []]);
  });

  it('is left open for ever where it is unknown when a late booking would have been seen', async () => {
    const order = anUnknown();
    const { stored, asks } = await asked(order, { absenceFinalAfterMs: null, afterMs: 1e12 });
    expect([stored, asks]).toEqual([order, []]);
  });

  it('needs no list of open orders to end', async () => {
    expect((await asked(anUnknown(), { open: { unread: 1 } })).stored?.state).toBe('rejected');
  });

  it('is left open where its trades cannot all be read', async () => {
    const order = anUnknown();
    const { step, stored } = await asked(order, { trades: { unread: 1 } });
    expect([step, stored]).toEqual([
      { state: 'unknown', next: 'carry_on', waitMs: 0, cancelWanted: false },
      order,
    ]);
  });

  it('has no trades where those come with their order alone', async () => {
    const { stored, asks } = await asked(anUnknown(), { trades: null });
    expect([stored?.state, asks]).toEqual(['rejected', []]);
  });

  it('L3: waits for what its own trades say, all their legs, and no other trades', async () => {
    const other = asId<VenueOrder['orderId']>('0x02');
    const read = [aTrade([3, 4]), aTrade([5], other)];
    expect((await asked(anUnknown(), { trades: { read } })).stored).toMatchObject({
      state: 'matched',
      matchedShares: 7 * SHARE,
      ending: { state: 'cancelled', reason: 'no longer known to the venue' },
    });
  });

  it.each([
    ['the venue’s own id of it', anAttempt('signed-1', { orderId: ORDER_ID })],
    ['the id it was sent by, where no other is known', anAttempt(ORDER_ID, { orderId: null })],
  ])('is found among trades by %s', async (_, attempt) => {
    const attempts = [{ ...attempt, lastSentAtMs: T0 }];
    const { stored } = await asked(anUnknown({ attempts }), { trades: { read: [aTrade([7])] } });
    expect([stored?.matchedShares, stored?.attempts[0]?.orderId]).toEqual([7 * SHARE, ORDER_ID]);
  });

  it('L1: is not ended by what was learned of an attempt that another has followed', async () => {
    const order = anUnknown();
    const [first] = order.attempts;
    const ended = { ...(first as OrderAttempt), ended: { how: 'never', proof: 'p', atMs: T0 } };
    const second = anAttempt('0x02', { lastSentAtMs: T0 });
    const meanwhile = { ...order, attempts: [ended, second] } as OrderRecord;
    expect((await asked(order, { meanwhile })).stored).toEqual(meanwhile);
  });
});

describe('L2: an order the venue had taken and does not know any more', () => {
  it.each<[string, NonNullable<Said['open']>]>([
    ['it rests there', { read: [aWord('live'), { ...aWord('live'), orderId: asId('0x02') }] }],
    ['what rests there cannot all be read', { unread: 1 }],
  ])('stays as it is while %s', async (_, open) => {
    const order = aLive();
    const { step, stored, asks } = await asked(order, { open });
    expect([step.state, stored, asks]).toEqual(['live', order, ['open']]);
  });

  it('ends with what it got, though others rest', async () => {
    const got = aLive({ filledShares: shareMicros(5 * SHARE) });
    const open = { read: [{ ...aWord('live'), orderId: asId<VenueOrder['orderId']>('0x02') }] };
    expect((await asked(got, { open })).stored).toMatchObject({
      state: 'cancelled',
      reason: 'no longer known to the venue',
      filledShares: 5 * SHARE,
      matchedShares: 5 * SHARE,
      reserved: { usdc: 0 },
    });
  });

  it.each([
    ['its trades', 7, null, 7],
    ['what the venue once said it had matched', 7, 9, 9],
    ['its trades, though less was said', 9, 7, 9],
  ])('L3: waits for the fills it is owed by %s', async (_, traded, said, owed) => {
    const got = aLive({
      filledShares: shareMicros(5 * SHARE),
      matchedShares: said === null ? null : shareMicros(said * SHARE),
    });
    expect((await asked(got, { trades: { read: [aTrade([traded])] } })).stored).toMatchObject({
      state: 'matched',
      filledShares: 5 * SHARE,
      matchedShares: owed * SHARE,
    });
  });

  it('L1: ends for good where the service keeps it: nothing proves for ever that its attempt never lands', async () => {
    const part: AttemptPart = {
      life: 'part_now',
      spendMicros: 10 * SHARE,
      receiveMicros: 20 * SHARE,
      sendUntilMs: T0 + 5_000,
      filledShares: shareMicros(0),
      filledUsdc: usdcMicros(0),
    };
    const attempts = [anAttempt(ORDER_ID, { lastSentAtMs: T0, part })];
    const kept = aSignedOrder({ state: 'live', attempts }, { restsAt: 'service' });
    const { step, stored } = await asked(kept);
    expect([step.next, stored?.state, stored?.reason, stored?.reserved.usdc]).toEqual([
      'carry_on',
      'cancelled',
      'no longer known to the venue',
      0,
    ]);
  });
});

describe('the same bytes go out again for an order the venue does not know', () => {
  const sent = (sends: number, changes: Partial<OrderRecord> = {}) =>
    anUnknown({ attempts: [anAttempt(ORDER_ID, { lastSentAtMs: T0, sends })], ...changes });
  const { sendsMaximum } = ORDER;

  it.each<[string, OrderRecord, number, string]>([
    ['once more before the last time', sent(sendsMaximum - 1), 5_000, 'resend'],
    ['not more often than they may', sent(sendsMaximum), 1_000, 'carry_on'],
    ['L8: not when they are too old', sent(1), 5_001, 'carry_on'],
    ['not when its user wants it gone', sent(1, { cancelWanted: true }), 1_000, 'carry_on'],
    ['not when the venue had taken it', sent(1, { state: 'live' }), 1_000, 'carry_on'],
  ])('%s', async (_, order, afterMs, next) => {
    expect((await asked(order, { afterMs })).step).toMatchObject({ next, waitMs: 0 });
  });
});
