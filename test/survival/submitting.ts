import { VENUE_ACCESS } from '../../config/limits/risk.ts';
import { lastAttempt, type OrderRecord } from '../../src/domain/order.ts';
import { priceTicks, usdcMicros } from '../../src/domain/units.ts';
import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import type { Scenario } from './findings.ts';
import { codeOf, ENTRY, onModels, type Fixture } from './fixture.ts';
import { orderIdOf, sendsOf } from '../support/attempts.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const CASH = 200_000_000;
const ONCE: FaultRule = { times: 1 };
const OFFER = { side: 'sell', price: 5_000, shares: 100 } as const;

/** The user's own channel says nothing while these are armed: only questions by id tell. */
function mute(fixture: Fixture): void {
  fixture.arm('dropped-user-events');
}

/** An answer is lost or late, and the order is there. */
function answerLost(name: FaultName, rule: FaultRule): Scenario {
  return onModels(async (fixture) => {
    const { is } = fixture;
    mute(fixture);
    fixture.arm(name, rule);
    const asked = fixture.calls('ledger');
    const placed = await fixture.bid();
    await fixture.clock.advance(5_000);
    is('states', fixture.statesOf(placed), ['unknown', 'live']);
    is('was asked by id', fixture.calls('ledger') > asked, true);
    is('orders at the venue', fixture.venueOrders().length, 1);
    is('times the engine was asked to take it', fixture.asked.length, 1);
    is('submissions', sendsOf(fixture.order(placed)), 1);
  });
}

/** A fill-or-kill order of 20 USDC whose offer is gone when it arrives. */
async function buyNothing(fixture: Fixture): Promise<OrderRecord> {
  const offer = fixture.quote(OFFER);
  await fixture.clock.advance(1_000);
  fixture.clock.after(5, () => fixture.unquote(offer));
  return fixture.buy();
}

async function waitsItsTurn(fixture: Fixture, name: FaultName, waitMs: number): Promise<void> {
  fixture.quote(OFFER);
  await fixture.clock.advance(1_000);
  fixture.arm(name, { times: 1, delayMs: waitMs, match: { path: '/order' } });
  const sentAtMs = fixture.clock.nowMs();
  const placed = await fixture.buy();
  await fixture.clock.advance(8_000);
  const order = fixture.order(placed);
  const [state, sends, lastSentAtMs] = [
    order.state,
    sendsOf(order),
    lastAttempt(order)?.lastSentAtMs,
  ];
  fixture.is(`${name}: state and submissions`, { state, sends }, { state: 'filled', sends: 2 });
  fixture.is(
    `${name}: waited as long as was asked`,
    (lastSentAtMs ?? 0) - sentAtMs >= waitMs,
    true,
  );
  fixture.is(`${name}: ids the engine saw`, new Set(fixture.asked.slice(-1)).size, 1);
}

/** Scenarios of the rows about submitting. */
export const SUBMITTING: Readonly<Record<string, Scenario>> = {
  'late-ack': answerLost('late-ack', { times: 1, delayMs: 20_000 }),
  'lost-ack': answerLost('lost-ack', ONCE),

  'late-book': onModels(async (fixture) => {
    const { is, clock } = fixture;
    mute(fixture);
    fixture.arm('late-book', { times: 1, delayMs: 3_000 });
    const placed = await fixture.bid();
    // A cancel of everything finds nothing: the request is still in the queue.
    is('orders there to cancel', fixture.cancelAll(), 0);
    is('a second order meanwhile', await codeOf(fixture.bid()), 'market_fenced');
    await clock.advance(10_000);
    is('state', fixture.order(placed).state, 'live');
    is(
      'orders at the venue',
      fixture.venueOrders().map(({ order }) => order.orderId),
      [orderIdOf(placed)],
    );
    is('ids the engine saw', new Set(fixture.asked).size, 1);
  }),

  'refused-silently': onModels(async (fixture) => {
    const { is } = fixture;
    fixture.arm('refused-silently', { times: 1, match: { path: '/order' } });
    const asked = fixture.calls('ledger');
    const placed = await fixture.bid();
    is('state when the connection was reset', placed.state, 'unknown');
    await fixture.clock.advance(10_000);
    is('was asked by id', fixture.calls('ledger') > asked, true);
    is(
      'state and submissions',
      { state: fixture.order(placed).state, sends: sendsOf(fixture.order(placed)) },
      { state: 'live', sends: 2 },
    );
    is('the same bytes reached the engine once', fixture.asked, [orderIdOf(placed)]);
  }),

  'retry-duplicated': onModels(async (fixture) => {
    const { is } = fixture;
    mute(fixture);
    fixture.arm('retry-duplicated', ONCE);
    const placed = await fixture.bid();
    await fixture.clock.advance(5_000);
    is('states', fixture.statesOf(placed), ['unknown', 'live']);
    is('orders at the venue', fixture.venueOrders().length, 1);
    is('submissions', sendsOf(fixture.order(placed)), 1);
  }),

  'success-without-id': onModels(async (fixture) => {
    const { is } = fixture;
    fixture.arm('success-without-id', ONCE);
    const placed = await fixture.bid();
    is(
      'state and reason',
      { state: placed.state, reason: placed.reason },
      { state: 'rejected', reason: 'could not insert order' },
    );
    is('orders at the venue', fixture.venueOrders().length, 0);
    is(
      'cash',
      fixture.service().core.trading.portfolio.cash(fixture.user.userId, 'usdc:safe').available,
      CASH,
    );
  }),

  'batch-leg-empty': onModels(async (fixture) => {
    const { is } = fixture;
    // Each order goes out on its own: the leg that comes back without an id is the first of three
    // requests made at once.
    fixture.arm('success-without-id', ONCE);
    const requests = [4_000, 3_900, 3_800].map((price) =>
      fixture.service().core.orders.place(fixture.user.userId, {
        venue: VENUE_A,
        marketId: fixture.market.marketId,
        outcome: 0,
        side: 'buy',
        amount: { unit: 'shares', micros: 20_000_000 },
        type: { kind: 'limit', price: priceTicks(price), expiresAtMs: null },
        origin: { kind: 'manual' },
      }),
    );
    const placed = await fixture.until(Promise.all(requests));
    is('states', placed.map(({ state }) => state).sort(), ['live', 'live', 'rejected']);
    is(
      'orders at the venue',
      fixture.venueOrders().map(({ status }) => status),
      ['LIVE', 'LIVE'],
    );
  }),

  'fok-stuck-live': onModels(async (fixture) => {
    const { is, clock } = fixture;
    mute(fixture);
    fixture.arm('lost-ack', ONCE);
    fixture.arm('fok-stuck-live', { delayMs: 20_000 });
    const placed = await buyNothing(fixture);
    await clock.advance(5_000);
    is('state while the venue shows it', fixture.order(placed).state, 'live');
    fixture.quote(OFFER);
    await clock.advance(1_000);
    is('a second order meanwhile', await codeOf(fixture.buy()), 'market_fenced');
    await clock.advance(40_000);
    is('state once the venue decided', fixture.order(placed).state, 'cancelled');
    is(
      'cash',
      fixture.service().core.trading.portfolio.cash(fixture.user.userId, 'usdc:safe').available,
      CASH,
    );
    is('orders the engine saw', fixture.asked.length, 1);
  }),

  'delayed-then-matched': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote(OFFER);
    await clock.advance(1_000);
    fixture.arm('delayed-then-matched', { times: 1, delayMs: 2_000 });
    const placed = await fixture.buy();
    is('state', placed.state, 'delayed');
    is(
      'cancel in between',
      await codeOf(
        fixture.until(
          fixture.service().core.orders.cancel(fixture.user.userId, placed.intent.intentId),
        ),
      ),
      'order_not_cancellable',
    );
    await clock.advance(20_000);
    is('state at the end', fixture.order(placed).state, 'filled');
    is('fills', fixture.service().core.trading.portfolio.fills(fixture.user.userId).length, 1);
  }),

  'delayed-then-dead': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote(OFFER);
    await clock.advance(1_000);
    fixture.arm('delayed-then-dead', { times: 1, delayMs: 1_000 });
    const placed = await fixture.buy();
    is('state', placed.state, 'delayed');
    await clock.advance(20_000);
    const { state, reserved } = fixture.order(placed);
    is(
      'state and reservation',
      { state, reserved },
      { state: 'cancelled', reserved: { usdc: 0, shares: 0 } },
    );
    is('endings', fixture.statesOf(placed).filter((each) => each === 'cancelled').length, 1);
    is(
      'cash',
      { ...fixture.service().core.trading.portfolio.cash(fixture.user.userId, 'usdc:safe') },
      { settled: CASH, provisional: 0, reserved: 0, available: CASH },
    );
  }),

  'trade-before-response': onModels(async (fixture) => {
    const { is, clock, facts } = fixture;
    fixture.quote(OFFER);
    await clock.advance(1_000);
    fixture.arm('trade-before-response', { times: 1, delayMs: 2_000 });
    const sentAtMs = clock.nowMs();
    const placed = await fixture.buy();
    await clock.advance(20_000);
    const reported = facts.find((fact) => fact.type === 'fill.recorded');
    is(
      'the fill came before the answer could',
      reported !== undefined && reported.atMs - sentAtMs < 2_000,
      true,
    );
    is('fills', facts.filter(({ type }) => type === 'fill.recorded').length, 1);
    is('state', fixture.order(placed).state, 'filled');
    is('orders at the venue', fixture.venueOrders().length, 1);
  }),

  'engine-restart': onModels(async (fixture) => {
    const { is, clock, model } = fixture;
    const survives = await fixture.bid();
    const dies = await fixture.bid({
      type: { kind: 'limit', price: priceTicks(3_900), expiresAtMs: null },
    });
    mute(fixture);
    fixture.arm('engine-restart');
    const [, second] = fixture.venueOrders();
    if (second !== undefined) model.exchange.cancel(second.order.owner, second.order.orderId);
    const writes = fixture.calls('write');
    const during = await fixture.bid({
      type: { kind: 'limit', price: priceTicks(3_800), expiresAtMs: null },
    });
    await clock.advance(90_000);
    is('submissions in 90 s of 425', fixture.calls('write') - writes <= 5, true);
    model.faults.clear('engine-restart');
    await clock.advance(60_000);
    is('the one that survived', fixture.order(survives).state, 'live');
    is('the one that did not', fixture.order(dies).state, 'cancelled');
    is('the one sent meanwhile', fixture.order(during).state, 'rejected');
  }),

  'post-only-window': onModels(async (fixture) => {
    const { is, clock, model } = fixture;
    const resting = await fixture.bid();
    fixture.quote(OFFER);
    await clock.advance(1_000);
    fixture.arm('post-only-window', { delayMs: 1_000 });
    clock.after(2_500, () => model.faults.clear('post-only-window'));
    const cancelled = fixture
      .service()
      .core.orders.cancel(fixture.user.userId, resting.intent.intentId);
    const placed = await fixture.buy();
    is('the cancel', (await fixture.until(cancelled)).state, 'cancelled');
    await clock.advance(10_000);
    const { state } = fixture.order(placed);
    const sends = sendsOf(fixture.order(placed));
    is(
      'the marketable order waited',
      { state, isSentAgain: sends > 1 },
      { state: 'filled', isSentAgain: true },
    );
    is('orders at the venue', fixture.venueOrders().length, 2);
  }),

  'cancel-only': onModels(async (fixture) => {
    const { is, clock } = fixture;
    const resting = await fixture.bid();
    fixture.arm('cancel-only');
    await fixture.until(
      fixture.service().core.orders.cancel(fixture.user.userId, resting.intent.intentId),
    );
    await clock.advance(5_000);
    is('the cancel', fixture.order(resting).state, 'cancelled');
    const placed = await fixture.bid();
    await clock.advance(30_000);
    is(
      'the new order',
      {
        state: fixture.order(placed).state,
        isReasonKept: (fixture.order(placed).reason ?? '').includes('cancel-only'),
      },
      { state: 'rejected', isReasonKept: true },
    );
    is('orders at the venue', fixture.venueOrders().length, 1);
    is(
      'cash',
      fixture.service().core.trading.portfolio.cash(fixture.user.userId, 'usdc:safe').available,
      CASH,
    );
  }),

  'rate-limited': onModels(async (fixture) => {
    await waitsItsTurn(fixture, 'rate-limited', 2_000);
    await waitsItsTurn(fixture, 'rate-limited-html', 3_000);
    fixture.is('orders at the venue', fixture.venueOrders().length, 2);
  }),

  geoblocked: onModels(async (fixture) => {
    const { is, clock, metrics, market, model, user } = fixture;
    const resting = await fixture.bid();
    fixture.quote(OFFER);
    fixture.quote({ side: 'buy', price: 4_500, shares: 100 });
    await clock.advance(1_000);
    await fixture.buy();
    await clock.advance(10_000);
    fixture.arm('geoblocked');
    const placed = await fixture.buy();
    is(
      'state and words',
      { state: placed.state, reason: (placed.reason ?? '').includes('restricted in your region') },
      { state: 'rejected', reason: true },
    );
    is('the state an operator sees', metrics.counts.get('venue_restricted_state venue_a'), 1);
    await fixture.service().core.agents.updateSettings(user.userId, 'btc_5min', {
      avgPositionSize: 5,
      strategy: 'up_down',
    });
    await fixture.service().core.agents.enable(user.userId, 'btc_5min');
    is(
      'what agents say',
      fixture
        .service()
        .core.agents.view(user.userId, 'btc_5min')
        .degraded.map(({ code }) => code)
        .includes('venue_restricted'),
      true,
    );
    const writes = fixture.calls('write');
    is(
      'manually, by an agent, a sale',
      [
        await codeOf(fixture.buy()),
        await codeOf(fixture.buy({ origin: ENTRY })),
        await codeOf(fixture.sell(5)),
      ],
      ['venue_restricted', 'venue_restricted', 'venue_restricted'],
    );
    await fixture.restart();
    is(
      'after a restart',
      [await codeOf(fixture.buy()), fixture.metrics.counts.get('venue_restricted_state venue_a')],
      ['venue_restricted', 1],
    );
    is('submissions meanwhile', fixture.calls('write') - writes, 0);
    fixture.quote({ side: 'sell', price: 4_900, shares: 50 });
    await clock.advance(1_000);
    is(
      'data goes on',
      fixture.service().core.at(VENUE_A).books.top(market.tokens[0])?.value.ask?.price,
      4_900,
    );
    is(
      'a cancel',
      (
        await fixture.until(
          fixture.service().core.orders.cancel(user.userId, resting.intent.intentId),
        )
      ).state,
      'cancelled',
    );
    fixture.arm('bad-gateway', { match: { path: '/api/geoblock' } });
    await clock.advance(VENUE_ACCESS.coolFirstMs);
    is('the probe, where the venue says nothing of use', (await fixture.buy()).state, 'rejected');
    await clock.advance(VENUE_ACCESS.coolFirstMs);
    is(
      'the pause after a probe that was turned away',
      await codeOf(fixture.buy()),
      'venue_restricted',
    );
    model.faults.clear('bad-gateway');
    await clock.advance(2 * VENUE_ACCESS.coolFirstMs);
    is(
      'no probe while the venue says that we are blocked',
      await codeOf(fixture.buy()),
      'venue_restricted',
    );
    model.faults.clear('geoblocked');
    await clock.advance(2 * VENUE_ACCESS.askEveryMs);
    is(
      'once the venue says that we are not, though no user trades',
      fixture.metrics.counts.get('venue_restricted_state venue_a'),
      0,
    );
    const accepted = await fixture.buy();
    await clock.advance(10_000);
    is(
      'once the venue takes orders again',
      [
        fixture.order(accepted).state,
        (await fixture.sell(5)).state !== 'rejected',
        fixture.metrics.counts.get('venue_restricted_state venue_a'),
      ],
      ['filled', true, 0],
    );
    is(
      'facts',
      fixture.facts.flatMap(({ type }) =>
        type === 'venue.restricted' || type === 'venue.admitted' ? [type] : [],
      ),
      ['venue.restricted', 'venue.admitted'],
    );
  }),

  'balance-cache-stale': onModels(async (fixture) => {
    const { is, clock, model, user } = fixture;
    fixture.arm('balance-cache-stale', ONCE);
    model.exchange.deposit(user.address, usdcMicros(300_000_000));
    await fixture.until(fixture.service().core.trading.funding.syncDeposits(user.userId));
    const calls = fixture.calls('ledger');
    const placed = await fixture.bid({ amount: { unit: 'shares', micros: 1_000_000_000 } });
    await clock.advance(10_000);
    is(
      'state and submissions',
      { state: fixture.order(placed).state, sends: sendsOf(fixture.order(placed)) },
      { state: 'live', sends: 2 },
    );
    is('orders at the venue', fixture.venueOrders().length, 1);
    is('it was asked to read again', fixture.calls('ledger') > calls, true);
  }),

  'phantom-reservation': onModels(async (fixture) => {
    const { is, clock, metrics, user } = fixture;
    fixture.quote({ side: 'sell', price: 5_000, shares: 1_000 });
    await clock.advance(1_000);
    fixture.arm('phantom-reservation', ONCE);
    await fixture.buy({ amount: { unit: 'usdc', micros: 90_000_000 } });
    await clock.advance(20_000);
    const codes: string[] = [];
    for (let tries = 0; tries < 30; tries += 1) {
      codes.push(await codeOf(fixture.buy({ amount: { unit: 'usdc', micros: 80_000_000 } })));
      await clock.advance(2_000);
    }
    is('the user is informed', codes.includes('funds_disputed'), true);
    is('submissions in a minute', new Set(fixture.asked).size <= 4, true);
    is('accounts reported to an operator', metrics.counts.get('funds_disputes_open'), 1);
    is(
      'alerts',
      fixture.log.lines.some(({ event, level }) => event === 'funds.disputed' && level === 'error'),
      true,
    );
    is(
      'shares bought',
      fixture
        .service()
        .core.trading.portfolio.holdings(user.userId)
        .map(({ settledShares }) => settledShares),
      [180_000_000],
    );
  }),

  'order-version-mismatch': onModels(async (fixture) => {
    const { is, clock } = fixture;
    const REFUSED =
      'order_version_mismatch; asked again, the venue takes version 2, as this order was';
    fixture.quote(OFFER);
    await clock.advance(1_000);
    fixture.arm('order-version-mismatch', ONCE);
    const [writes, asked] = [fixture.calls('write'), fixture.calls('public')];
    const placed = await fixture.buy();
    await clock.advance(10_000);
    is('the version was read again', fixture.calls('public') > asked, true);
    is('submissions', fixture.calls('write') - writes, 2);
    is(
      'what an operator sees',
      fixture.metrics.counts.get('venue_refusals_total venue_a order_version'),
      1,
    );
    const { state, attempts } = fixture.order(placed);
    const [refused, taken] = attempts;
    is(
      'one order of two attempts',
      { state, ended: attempts.map(({ ended }) => [ended?.how, ended?.proof]) },
      {
        state: 'filled',
        ended: [
          ['never', REFUSED],
          ['done', null],
        ],
      },
    );
    is(
      'the one at the venue',
      {
        sends: attempts.map(({ sends }) => sends),
        isAnother: taken?.attemptId !== refused?.attemptId,
        venue: fixture.venueOrders().map(({ order }) => order.orderId),
      },
      { sends: [1, 1], isAnother: true, venue: [taken?.orderId] },
    );
    // Refused again and again: one more attempt, and then the caller's turn.
    fixture.arm('order-version-mismatch', { times: 5 });
    const before = fixture.calls('write');
    const given = await fixture.bid();
    await clock.advance(30_000);
    is(
      'without a loop',
      {
        state: fixture.order(given).state,
        reason: fixture.order(given).reason,
        submissions: fixture.calls('write') - before,
      },
      { state: 'rejected', reason: REFUSED, submissions: 2 },
    );
    fixture.model.faults.clear('order-version-mismatch');
  }),
};
