import { describe, expect, it } from 'vitest';
import { ORDER } from '../../../config/limits.ts';
import type { AttemptPart, OrderRecord } from '../../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type {
  CancelOutcome,
  OrderGateway,
  SubmitOutcome,
} from '../../../src/ports/order-gateway.ts';
import { anAttempt } from '../../support/attempts.ts';
import { T0 } from '../../support/builders.ts';
import { aSignedOrder, aWord, ORDER_ID } from '../../support/worlds/folded-orders.ts';
import { anOrderSender } from '../../support/worlds/order-sender.ts';

const NOTHING = { usdc: usdcMicros(0), shares: shareMicros(0) };
const quiet = () => new AbortController().signal;

describe('a cancel of an order', () => {
  const cancelled = async (order: OrderRecord, outcome: CancelOutcome) => {
    const sender = await anOrderSender(
      order,
      { cancel: () => Promise.resolve(outcome) },
      { afterMs: 7 },
    );
    const step = await sender.effects.cancel(sender.input, quiet());
    return { step, stored: sender.stored(), counts: [...sender.metrics.counts] };
  };
  const refused = { kind: 'refused', reason: 'order is delayed' } as const;

  it('that the venue refuses says why in the order, and is counted', async () => {
    const live = aSignedOrder({ state: 'live' });
    const { step, stored, counts } = await cancelled(live, refused);
    expect([step.state, stored, counts]).toEqual([
      'live',
      { ...live, reason: refused.reason, updatedAtMs: T0 + 7 },
      [['order_cancels_total venue_a refused', 1]],
    ]);
  });

  it.each<[string, OrderRecord, CancelOutcome]>([
    ['once said why', aSignedOrder({ state: 'live', reason: refused.reason }), refused],
    ['has ended', aSignedOrder({ state: 'filled', reserved: NOTHING }), refused],
    ['is asked about', aSignedOrder({ state: 'live' }), { kind: 'unclear', reason: 'not found' }],
  ])('leaves the order as it is that %s', async (_, order, outcome) => {
    expect((await cancelled(order, outcome)).stored).toEqual(order);
  });
});

describe('the first sending of an order', () => {
  const sent = async (submit: OrderGateway['submit'], afterMs = 0) => {
    const order = aSignedOrder();
    const sender = await anOrderSender(order, { submit }, { afterMs });
    sender.submit(order);
    const given = new AbortController();
    const step = sender.effects.submit(sender.input, given.signal);
    return { ...sender, given, step };
  };

  it.each([
    ['an error', new Error('socket closed')],
    ['anything else', 'socket closed'],
  ])('L2: that ends in %s thrown by a gateway leaves it unknown', async (_, thrown) => {
    const { step, stored, metrics } = await sent(() => Promise.reject(thrown));
    expect([(await step).state, stored()?.reason, [...metrics.counts]]).toEqual([
      'unknown',
      'socket closed',
      [['order_submissions_total venue_a unknown', 1]],
    ]);
  });

  it('is given up with the wait for its answer', async () => {
    let signal: AbortSignal | undefined;
    const { given, step } = await sent((_order, permission) => {
      signal = permission?.signal;
      return new Promise<SubmitOutcome>((resolve) =>
        signal?.addEventListener('abort', () => resolve({ kind: 'unknown', cause: 'given up' })),
      );
    });
    expect(signal?.aborted).toBe(false);
    given.abort();
    expect((await step).state).toBe('unknown');
  });

  it.each([
    ['is sent again where its time allows that', 3_000, 'signed', 'defer'],
    ['ends where the wait is longer than its time', 3_001, 'rejected', 'carry_on'],
  ])('that the venue defers %s', async (_, retryAfterMs, state, next) => {
    const { step } = await sent(
      () => Promise.resolve({ kind: 'deferred', retryAfterMs, reason: 'post only mode' }),
      2_000,
    );
    expect(await step).toMatchObject({ state, next });
  });
});

describe('the next sending of the same bytes', () => {
  const resent = async (order: OrderRecord, afterMs = 1_000) => {
    const bodies: string[] = [];
    const sender = await anOrderSender(
      order,
      {
        submit({ attempt }) {
          bodies.push(`${attempt.body} ${attempt.sends}`);
          return Promise.resolve({ kind: 'sent' });
        },
      },
      { afterMs },
    );
    await sender.effects.resend(sender.input, quiet());
    return { stored: sender.stored(), bodies };
  };
  const sends = ORDER.sendsMaximum;

  it.each(['signed', 'submitting', 'unknown'] as const)(
    'L1: of an order that is %s is stamped before it leaves',
    async (state) => {
      const { stored, bodies } = await resent(aSignedOrder({ state }));
      expect([bodies, stored?.attempts]).toEqual([
        ['{} 2'],
        [anAttempt(ORDER_ID, { sends: 2, lastSentAtMs: T0 + 1_000 })],
      ]);
    },
  );

  it.each<[string, OrderRecord, number, string]>([
    ['the venue has taken it', aSignedOrder({ state: 'live' }), 1_000, 'live'],
    ['L8: it is too old', aSignedOrder({ state: 'unknown' }), 5_001, 'unknown'],
    [
      'it was sent as often as it may',
      aSignedOrder({ state: 'unknown', attempts: [anAttempt(ORDER_ID, { sends })] }),
      1_000,
      'unknown',
    ],
    ['it is too old, and ends where it was never unknown', aSignedOrder(), 5_001, 'rejected'],
  ])('does not leave where %s', async (_, order, afterMs, state) => {
    const { stored, bodies } = await resent(order, afterMs);
    expect([bodies, stored?.state]).toEqual([[], state]);
  });
});

it('L2: an order is left as it is, however old, while its venue cannot be asked', async () => {
  const order = aSignedOrder({ state: 'unknown' });
  const lookup = () => Promise.resolve({ kind: 'unreachable', cause: 'down' } as const);
  const sender = await anOrderSender(order, { lookup }, { afterMs: 3_600_000 });
  const step = await sender.effects.ask(sender.input, quiet());
  expect([step.next, sender.stored()]).toEqual(['carry_on', order]);
});

it('L3: an order that the venue, when it is asked, calls matched is filled with what was booked of it, though it had asked for more', async () => {
  const half = { filledShares: shareMicros(10_000_000), filledUsdc: usdcMicros(5_000_000) };
  const order = aSignedOrder({ state: 'matched', matchedShares: half.filledShares, ...half });
  const sender = await anOrderSender(order, {
    lookup: () => Promise.resolve({ kind: 'found', order: aWord('matched', 10_000_000) }),
  });
  await sender.effects.ask(sender.input, quiet());
  expect(sender.stored()).toMatchObject({ state: 'filled', ...half });
});

describe('L1: proof that an attempt never lands', () => {
  const proof = 'its block is past';
  const GAS = { chain: 'BASE', units: '210000000000000' } as const;
  const asked = async (order: OrderRecord, meanwhile?: OrderRecord) => {
    const sender = await anOrderSender(order, {
      async lookup() {
        if (meanwhile !== undefined) await sender.put(meanwhile);
        return { kind: 'absent', proof, gas: GAS };
      },
    });
    const { next } = await sender.effects.ask(sender.input, quiet());
    return { next, stored: sender.stored() };
  };

  it('has an order that this service keeps wait for its price again, before another follows', async () => {
    const { spendMicros, receiveMicros } = aSignedOrder().intent;
    const part: AttemptPart = {
      spendMicros,
      receiveMicros,
      life: 'all_now',
      sendUntilMs: T0 + 5_000,
      filledShares: NOTHING.shares,
      filledUsdc: NOTHING.usdc,
    };
    const order = aSignedOrder(
      { state: 'unknown', attempts: [anAttempt(ORDER_ID, { part })] },
      { restsAt: 'service' },
    );
    const { next, stored } = await asked(order);
    expect([next, stored?.state, stored?.attempts.map(({ ended }) => ended?.how)]).toEqual([
      'rest',
      'live',
      ['never'],
    ]);
  });

  it('is kept with what its transaction cost all the same', async () => {
    const { stored } = await asked(aSignedOrder({ state: 'unknown' }));
    expect(stored?.attempts.map(({ ended }) => ended)).toEqual([
      { how: 'never', proof, gas: GAS, atMs: expect.any(Number) },
      // the next attempt, which follows it
      null,
    ]);
  });

  it('says nothing of the attempt that has followed it meanwhile', async () => {
    const order = aSignedOrder();
    const followed = { ...order, attempts: [...order.attempts, anAttempt('0x02')] };
    expect(await asked(order, followed)).toEqual({ next: 'carry_on', stored: followed });
  });
});

describe('bytes that are withheld where they would have left again', () => {
  const withheld = async (order: OrderRecord) => {
    const sender = await anOrderSender(
      order,
      {
        async submit(_handle, permission) {
          const stored = sender.stored() ?? order;
          await sender.put({ ...stored, cancelWanted: true });
          expect(permission?.isGranted?.()).toBe(false);
          return { kind: 'sent' };
        },
      },
      { afterMs: 1_000 },
    );
    await sender.effects.resend(sender.input, quiet());
    return sender.stored();
  };

  it('end an order as taken back that is not in doubt', async () => {
    expect(await withheld(aSignedOrder())).toMatchObject({
      state: 'cancelled',
      reason: 'it was cancelled before it was sent',
    });
  });

  it('L2: leave one as it is whose earlier bytes may have landed', async () => {
    expect((await withheld(aSignedOrder({ state: 'unknown' })))?.state).toBe('unknown');
  });
});
