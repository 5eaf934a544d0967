import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import type { Scenario } from './findings.ts';
import { codeOf } from './fixture.ts';
import { atVenueC, CASH, type VenueCFixture } from './venue-c-fixture.ts';

const ORDERS = '/orders';
const STATUS = '/orders/status/batch';

const got = ({ state, filledShares, filledUsdc }: ReturnType<VenueCFixture['order']>) => ({
  state,
  filledShares,
  filledUsdc,
});
const FREE = { settled: CASH, reserved: 0, provisional: 0 };
const WHOLE = { state: 'filled', filledShares: 20_000_000, filledUsdc: 10_000_000 };

/** Whatever becomes of the answer: one order there, filled, in one attempt. */
function onceAll(fault: FaultName, rule?: FaultRule): Scenario {
  return atVenueC(async (fixture) => {
    fixture.offer(100);
    fixture.arm(fault, rule);
    const order = await fixture.ended(await fixture.buy(20));
    fixture.is('the order', got(order), WHOLE);
    fixture.is(
      'orders at the venue, and attempts',
      [fixture.taken(), order.attempts.length],
      [1, 1],
    );
    fixture.is('answered', fixture.order(order).attempts[0]?.ended?.how, 'done');
  });
}

/** While the venue does not say what state an order is in, nothing is concluded from that. */
function unheard(fault: FaultName): Scenario {
  return atVenueC(async (fixture) => {
    const { is, clock } = fixture;
    fixture.offer(100);
    fixture.arm('lost-ack');
    fixture.arm(fault, { match: { path: STATUS } });
    const order = await fixture.buy(20);
    await clock.advance(90_000);
    const { state, attempts } = fixture.order(order);
    is('concluded', ['rejected', 'cancelled', 'filled'].includes(state), false);
    is(
      'one attempt, not given up',
      attempts.map(({ ended }) => ended),
      [null],
    );
    is('its money is set aside', fixture.cash().reserved > 0, true);
    fixture.calm(fault);
    is('once it says', got(await fixture.ended(order)), WHOLE);
    is('orders at the venue', fixture.taken(), 1);
  });
}

/** Scenarios of what happens to orders of venue_c's books between the signature and the match. */
export const VENUE_C_ORDERS: Readonly<Record<string, Scenario>> = {
  'book-answer-late': onceAll('late-ack', { times: 1, delayMs: 12_000 }),
  'book-answer-lost': onceAll('lost-ack'),
  'known-client-id': onceAll('retry-duplicated'),
  'edge-says-429': onceAll('rate-limited-html', { times: 2, match: { path: ORDERS } }),
  'time-in-body': onceAll('stale-timestamp'),
  'signature-stale': onceAll('stale-signature', { times: 1, match: { path: ORDERS } }),

  'engine-not-ready': atVenueC(async (fixture) => {
    const { is, clock } = fixture;
    fixture.offer(100);
    fixture.arm('engine-restart', {});
    clock.after(2_000, () => fixture.calm('engine-restart'));
    const order = await fixture.ended(await fixture.buy(20));
    is('the same bytes again', [got(order), order.attempts.length], [WHOLE, 1]);
    is('sent more than once', (order.attempts[0]?.sends ?? 0) > 1, true);
  }),

  'engine-not-ready-for-long': atVenueC(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('engine-restart', {});
    const order = await fixture.ended(await fixture.buy(20));
    is('given up', got(order), { state: 'rejected', filledShares: 0, filledUsdc: 0 });
    is('what it would have cost is free', fixture.cash(), FREE);
    fixture.calm('engine-restart');
    await fixture.clock.advance(60_000);
    fixture.nothingMade();
  }),

  'order-cut-on-the-way': onceAll('refused-silently', { times: 1, match: { path: ORDERS } }),
  'edge-says-502': onceAll('bad-gateway', { times: 1, match: { path: ORDERS } }),

  'status-says-429': unheard('rate-limited-html'),
  'status-says-502': unheard('bad-gateway'),
  'status-unsigned': unheard('stale-signature'),
  'status-without-answer': unheard('refused-silently'),

  'right-taken-back': atVenueC(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('allowance-missing');
    const order = await fixture.ended(await fixture.buy(20));
    is('signed once more, the right asked for', [got(order), order.attempts.length], [WHOLE, 2]);
  }),

  'taker-held-back': atVenueC(async (fixture) => {
    const { is, clock } = fixture;
    fixture.offer(100);
    fixture.arm('delayed-then-matched', { times: 1, delayMs: 4_000 });
    const order = await fixture.buy(20);
    await clock.advance(1_000);
    is('held, not filled', got(fixture.order(order)), {
      state: 'delayed',
      filledShares: 0,
      filledUsdc: 0,
    });
    is('its money is set aside', fixture.cash().reserved > 0, true);
    is('a cancel', await codeOf(fixture.life().cancelled(order)), 'order_not_cancellable');
    is('in the end', got(await fixture.ended(order)), WHOLE);
  }),

  'taker-held-and-killed': atVenueC(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('delayed-then-matched', { times: 1, delayMs: 4_000 });
    const order = await fixture.buy(20);
    await fixture.restart();
    const { state, attempts } = await fixture.ended(order);
    is('found by its name', [state, attempts.length], ['filled', 1]);
  }),

  'offer-gone-before-arrival': atVenueC(async (fixture) => {
    const { is, clock } = fixture;
    fixture.offer(20);
    fixture.arm('engine-restart', {});
    clock.after(2_000, () => {
      fixture.take(20, 5_000);
      fixture.calm('engine-restart');
    });
    const { state, filledShares } = await fixture.ended(await fixture.buy(20));
    is('comes to nothing', [state, filledShares], ['cancelled', 0]);
    is('nothing spent', fixture.cash(), FREE);
  }),

  'dearer-on-the-way': atVenueC(async (fixture) => {
    const { is, clock } = fixture;
    fixture.offer(20, 5_000);
    fixture.offer(100, 6_000);
    fixture.arm('engine-restart', {});
    clock.after(2_000, () => {
      fixture.take(15, 5_000);
      fixture.calm('engine-restart');
    });
    const { filledShares, filledUsdc } = await fixture.ended(await fixture.buy(20));
    is('what there was at its price', [filledShares, filledUsdc], [5_000_000, 2_500_000]);
    is('the rest is free', fixture.cash().reserved, 0);
  }),

  'killed-unheard': atVenueC(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('lost-ack');
    const order = await fixture.life().unheard({});
    await fixture.restart();
    const { state, attempts } = await fixture.ended(order);
    is('found by its name', [state, attempts.length], ['filled', 1]);
    is('orders at the venue', fixture.taken(), 1);
  }),

  'killed-before-arrival': atVenueC(async (fixture) => {
    const { is } = fixture;
    fixture.offer(100);
    fixture.arm('refused-silently', { times: 1, match: { path: ORDERS } });
    const order = await fixture.life().unheard({});
    await fixture.restart();
    const { filledShares } = await fixture.ended(order);
    is('as the venue has it', filledShares, fixture.taken() * 20_000_000);
    is('set aside', fixture.cash().reserved, 0);
  }),
};
