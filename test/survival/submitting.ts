import { VENUE_DOOR } from '../../config/limits/risk.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import { priceTicks, usdcMicros } from '../../src/domain/units.ts';
import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import type { Scenario } from './findings.ts';
import type { Stand } from './stand.ts';
import { codeOf, ENTRY, onModels } from './stand.ts';
import { orderIdOf, sendsOf } from '../support/attempts.ts';
import { lastAttempt } from '../../src/domain/order.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const CASH = 200_000_000;
const ONCE: FaultRule = { times: 1 };
const OFFER = { side: 'sell', price: 5_000, shares: 100 } as const;

/** The user's own channel says nothing while these are armed: only questions by id tell. */
function mute(stand: Stand): void {
  stand.arm('dropped-user-events');
}

/** An answer is lost or late, and the order is there. */
function answerLost(name: FaultName, rule: FaultRule): Scenario {
  return onModels(async (stand) => {
    const { is } = stand;
    mute(stand);
    stand.arm(name, rule);
    const asked = stand.calls('ledger');
    const placed = await stand.bid();
    await stand.clock.advance(5_000);
    is('states', stand.statesOf(placed), ['unknown', 'live']);
    is('was asked by id', stand.calls('ledger') > asked, true);
    is('orders at the venue', stand.venueOrders().length, 1);
    is('times the engine was asked to take it', stand.asked.length, 1);
    is('submissions', sendsOf(stand.order(placed)), 1);
  });
}

/** A fill-or-kill order of 20 USDC whose offer is gone when it arrives. */
async function buyNothing(stand: Stand): Promise<OrderRecord> {
  const offer = stand.quote(OFFER);
  await stand.clock.advance(1_000);
  stand.clock.after(5, () => stand.unquote(offer));
  return stand.buy();
}

async function waitsItsTurn(stand: Stand, name: FaultName, waitMs: number): Promise<void> {
  stand.quote(OFFER);
  await stand.clock.advance(1_000);
  stand.arm(name, { times: 1, delayMs: waitMs, match: { path: '/order' } });
  const sentAtMs = stand.clock.nowMs();
  const placed = await stand.buy();
  await stand.clock.advance(8_000);
  const order = stand.order(placed);
  const [state, sends, lastSentAtMs] = [
    order.state,
    sendsOf(order),
    lastAttempt(order)?.lastSentAtMs,
  ];
  stand.is(`${name}: state and submissions`, { state, sends }, { state: 'filled', sends: 2 });
  stand.is(`${name}: waited as long as was asked`, (lastSentAtMs ?? 0) - sentAtMs >= waitMs, true);
  stand.is(`${name}: ids the engine saw`, new Set(stand.asked.slice(-1)).size, 1);
}

/** Scenarios of the rows about submitting. */
export const SUBMITTING: Readonly<Record<string, Scenario>> = {
  'late-ack': answerLost('late-ack', { times: 1, delayMs: 20_000 }),
  'lost-ack': answerLost('lost-ack', ONCE),

  'late-book': onModels(async (stand) => {
    const { is, clock } = stand;
    mute(stand);
    stand.arm('late-book', { times: 1, delayMs: 3_000 });
    const placed = await stand.bid();
    // A cancel of everything finds nothing: the request is still in the queue.
    is('orders there to cancel', stand.cancelAll(), 0);
    is('a second order meanwhile', await codeOf(stand.bid()), 'market_fenced');
    await clock.advance(10_000);
    is('state', stand.order(placed).state, 'live');
    is(
      'orders at the venue',
      stand.venueOrders().map(({ order }) => order.orderId),
      [orderIdOf(placed)],
    );
    is('ids the engine saw', new Set(stand.asked).size, 1);
  }),

  'refused-silently': onModels(async (stand) => {
    const { is } = stand;
    stand.arm('refused-silently', { times: 1, match: { path: '/order' } });
    const asked = stand.calls('ledger');
    const placed = await stand.bid();
    is('state when the connection was reset', placed.state, 'unknown');
    await stand.clock.advance(10_000);
    is('was asked by id', stand.calls('ledger') > asked, true);
    is(
      'state and submissions',
      { state: stand.order(placed).state, sends: sendsOf(stand.order(placed)) },
      { state: 'live', sends: 2 },
    );
    is('the same bytes reached the engine once', stand.asked, [orderIdOf(placed)]);
  }),

  'retry-duplicated': onModels(async (stand) => {
    const { is } = stand;
    mute(stand);
    stand.arm('retry-duplicated', ONCE);
    const placed = await stand.bid();
    await stand.clock.advance(5_000);
    is('states', stand.statesOf(placed), ['unknown', 'live']);
    is('orders at the venue', stand.venueOrders().length, 1);
    is('submissions', sendsOf(stand.order(placed)), 1);
  }),

  'success-without-id': onModels(async (stand) => {
    const { is } = stand;
    stand.arm('success-without-id', ONCE);
    const placed = await stand.bid();
    is(
      'state and reason',
      { state: placed.state, reason: placed.reason },
      { state: 'rejected', reason: 'could not insert order' },
    );
    is('orders at the venue', stand.venueOrders().length, 0);
    is(
      'cash',
      stand.service().core.trading.portfolio.cash(stand.user.userId, 'usdc:safe').available,
      CASH,
    );
  }),

  'batch-leg-empty': onModels(async (stand) => {
    const { is } = stand;
    // Each order goes out on its own: the leg that comes back without an id is the first of three wishes made at once.
    stand.arm('success-without-id', ONCE);
    const wishes = [4_000, 3_900, 3_800].map((price) =>
      stand.service().core.orders.place(stand.user.userId, {
        venue: VENUE_A,
        marketId: stand.market.marketId,
        outcome: 0,
        side: 'buy',
        amount: { unit: 'shares', micros: 20_000_000 },
        type: { kind: 'limit', price: priceTicks(price), expiresAtMs: null },
        origin: { kind: 'manual' },
      }),
    );
    const placed = await stand.until(Promise.all(wishes));
    is('states', placed.map(({ state }) => state).sort(), ['live', 'live', 'rejected']);
    is(
      'orders at the venue',
      stand.venueOrders().map(({ status }) => status),
      ['LIVE', 'LIVE'],
    );
  }),

  'fok-stuck-live': onModels(async (stand) => {
    const { is, clock } = stand;
    mute(stand);
    stand.arm('lost-ack', ONCE);
    stand.arm('fok-stuck-live', { delayMs: 20_000 });
    const placed = await buyNothing(stand);
    await clock.advance(5_000);
    is('state while the venue shows it', stand.order(placed).state, 'live');
    stand.quote(OFFER);
    await clock.advance(1_000);
    is('a second order meanwhile', await codeOf(stand.buy()), 'market_fenced');
    await clock.advance(40_000);
    is('state once the venue decided', stand.order(placed).state, 'cancelled');
    is(
      'cash',
      stand.service().core.trading.portfolio.cash(stand.user.userId, 'usdc:safe').available,
      CASH,
    );
    is('orders the engine saw', stand.asked.length, 1);
  }),

  'delayed-then-matched': onModels(async (stand) => {
    const { is, clock } = stand;
    stand.quote(OFFER);
    await clock.advance(1_000);
    stand.arm('delayed-then-matched', { times: 1, delayMs: 2_000 });
    const placed = await stand.buy();
    is('state', placed.state, 'delayed');
    is(
      'cancel in between',
      await codeOf(
        stand.until(stand.service().core.orders.cancel(stand.user.userId, placed.intent.intentId)),
      ),
      'order_not_cancellable',
    );
    await clock.advance(20_000);
    is('state at the end', stand.order(placed).state, 'filled');
    is('fills', stand.service().core.trading.portfolio.fills(stand.user.userId).length, 1);
  }),

  'delayed-then-dead': onModels(async (stand) => {
    const { is, clock } = stand;
    stand.quote(OFFER);
    await clock.advance(1_000);
    stand.arm('delayed-then-dead', { times: 1, delayMs: 1_000 });
    const placed = await stand.buy();
    is('state', placed.state, 'delayed');
    await clock.advance(20_000);
    const { state, reserved } = stand.order(placed);
    is(
      'state and reservation',
      { state, reserved },
      { state: 'cancelled', reserved: { usdc: 0, shares: 0 } },
    );
    is('endings', stand.statesOf(placed).filter((each) => each === 'cancelled').length, 1);
    is(
      'cash',
      { ...stand.service().core.trading.portfolio.cash(stand.user.userId, 'usdc:safe') },
      { settled: CASH, provisional: 0, reserved: 0, available: CASH },
    );
  }),

  'trade-before-response': onModels(async (stand) => {
    const { is, clock, facts } = stand;
    stand.quote(OFFER);
    await clock.advance(1_000);
    stand.arm('trade-before-response', { times: 1, delayMs: 2_000 });
    const sentAtMs = clock.nowMs();
    const placed = await stand.buy();
    await clock.advance(20_000);
    const told = facts.find((fact) => fact.type === 'fill.recorded');
    is(
      'the fill came before the answer could',
      told !== undefined && told.atMs - sentAtMs < 2_000,
      true,
    );
    is('fills', facts.filter(({ type }) => type === 'fill.recorded').length, 1);
    is('state', stand.order(placed).state, 'filled');
    is('orders at the venue', stand.venueOrders().length, 1);
  }),

  'engine-restart': onModels(async (stand) => {
    const { is, clock, model } = stand;
    const survives = await stand.bid();
    const dies = await stand.bid({
      type: { kind: 'limit', price: priceTicks(3_900), expiresAtMs: null },
    });
    mute(stand);
    stand.arm('engine-restart');
    const [, second] = stand.venueOrders();
    if (second !== undefined) model.exchange.cancel(second.order.owner, second.order.orderId);
    const writes = stand.calls('write');
    const during = await stand.bid({
      type: { kind: 'limit', price: priceTicks(3_800), expiresAtMs: null },
    });
    await clock.advance(90_000);
    is('submissions in 90 s of 425', stand.calls('write') - writes <= 5, true);
    model.faults.clear('engine-restart');
    await clock.advance(60_000);
    is('the one that survived', stand.order(survives).state, 'live');
    is('the one that did not', stand.order(dies).state, 'cancelled');
    is('the one sent meanwhile', stand.order(during).state, 'rejected');
  }),

  'post-only-window': onModels(async (stand) => {
    const { is, clock, model } = stand;
    const resting = await stand.bid();
    stand.quote(OFFER);
    await clock.advance(1_000);
    stand.arm('post-only-window', { delayMs: 1_000 });
    clock.after(2_500, () => model.faults.clear('post-only-window'));
    const cancelled = stand
      .service()
      .core.orders.cancel(stand.user.userId, resting.intent.intentId);
    const placed = await stand.buy();
    is('the cancel', (await stand.until(cancelled)).state, 'cancelled');
    await clock.advance(10_000);
    const { state } = stand.order(placed);
    const sends = sendsOf(stand.order(placed));
    is(
      'the marketable order waited',
      { state, isSentAgain: sends > 1 },
      { state: 'filled', isSentAgain: true },
    );
    is('orders at the venue', stand.venueOrders().length, 2);
  }),

  'cancel-only': onModels(async (stand) => {
    const { is, clock } = stand;
    const resting = await stand.bid();
    stand.arm('cancel-only');
    await stand.until(
      stand.service().core.orders.cancel(stand.user.userId, resting.intent.intentId),
    );
    await clock.advance(5_000);
    is('the cancel', stand.order(resting).state, 'cancelled');
    const placed = await stand.bid();
    await clock.advance(30_000);
    is(
      'the new order',
      {
        state: stand.order(placed).state,
        isReasonKept: (stand.order(placed).reason ?? '').includes('cancel-only'),
      },
      { state: 'rejected', isReasonKept: true },
    );
    is('orders at the venue', stand.venueOrders().length, 1);
    is(
      'cash',
      stand.service().core.trading.portfolio.cash(stand.user.userId, 'usdc:safe').available,
      CASH,
    );
  }),

  'rate-limited': onModels(async (stand) => {
    await waitsItsTurn(stand, 'rate-limited', 2_000);
    await waitsItsTurn(stand, 'rate-limited-html', 3_000);
    stand.is('orders at the venue', stand.venueOrders().length, 2);
  }),

  geoblocked: onModels(async (stand) => {
    const { is, clock, metrics, market, model, user } = stand;
    const resting = await stand.bid();
    stand.quote(OFFER);
    stand.quote({ side: 'buy', price: 4_500, shares: 100 });
    await clock.advance(1_000);
    await stand.buy();
    await clock.advance(10_000);
    stand.arm('geoblocked');
    const placed = await stand.buy();
    is(
      'state and words',
      { state: placed.state, reason: (placed.reason ?? '').includes('restricted in your region') },
      { state: 'rejected', reason: true },
    );
    is('the state an operator sees', metrics.counts.get('venue_restricted_state venue_a'), 1);
    await stand.service().core.agents.updateSettings(user.userId, 'btc_5min', {
      avgPositionSize: 5,
      strategy: 'up_down',
    });
    await stand.service().core.agents.enable(user.userId, 'btc_5min');
    is(
      'what agents say',
      stand
        .service()
        .core.agents.view(user.userId, 'btc_5min')
        .degraded.map(({ code }) => code)
        .includes('venue_restricted'),
      true,
    );
    const writes = stand.calls('write');
    is(
      'by hand, by an agent, a sale',
      [
        await codeOf(stand.buy()),
        await codeOf(stand.buy({ origin: ENTRY })),
        await codeOf(stand.sell(5)),
      ],
      ['venue_restricted', 'venue_restricted', 'venue_restricted'],
    );
    await stand.restart();
    is(
      'after a restart',
      [await codeOf(stand.buy()), stand.metrics.counts.get('venue_restricted_state venue_a')],
      ['venue_restricted', 1],
    );
    is('submissions meanwhile', stand.calls('write') - writes, 0);
    stand.quote({ side: 'sell', price: 4_900, shares: 50 });
    await clock.advance(1_000);
    is(
      'data goes on',
      stand.service().core.at(VENUE_A).books.top(market.tokens[0])?.value.ask?.price,
      4_900,
    );
    is(
      'a cancel',
      (await stand.until(stand.service().core.orders.cancel(user.userId, resting.intent.intentId)))
        .state,
      'cancelled',
    );
    stand.arm('bad-gateway', { match: { path: '/api/geoblock' } });
    await clock.advance(VENUE_DOOR.coolFirstMs);
    is('the probe, where the venue says nothing of use', (await stand.buy()).state, 'rejected');
    await clock.advance(VENUE_DOOR.coolFirstMs);
    is(
      'the pause after a probe that was turned away',
      await codeOf(stand.buy()),
      'venue_restricted',
    );
    model.faults.clear('bad-gateway');
    await clock.advance(2 * VENUE_DOOR.coolFirstMs);
    is(
      'no probe while the venue says that we are blocked',
      await codeOf(stand.buy()),
      'venue_restricted',
    );
    model.faults.clear('geoblocked');
    await clock.advance(2 * VENUE_DOOR.askEveryMs);
    is(
      'once the venue says that we are not, though nobody trades',
      stand.metrics.counts.get('venue_restricted_state venue_a'),
      0,
    );
    const accepted = await stand.buy();
    await clock.advance(10_000);
    is(
      'once the venue takes orders again',
      [
        stand.order(accepted).state,
        (await stand.sell(5)).state !== 'rejected',
        stand.metrics.counts.get('venue_restricted_state venue_a'),
      ],
      ['filled', true, 0],
    );
    is(
      'facts',
      stand.facts.flatMap(({ type }) =>
        type === 'venue.restricted' || type === 'venue.admitted' ? [type] : [],
      ),
      ['venue.restricted', 'venue.admitted'],
    );
  }),

  'balance-cache-stale': onModels(async (stand) => {
    const { is, clock, model, user } = stand;
    stand.arm('balance-cache-stale', ONCE);
    model.exchange.deposit(user.address, usdcMicros(300_000_000));
    await stand.until(stand.service().core.trading.funding.syncDeposits(user.userId));
    const calls = stand.calls('ledger');
    const placed = await stand.bid({ amount: { unit: 'shares', micros: 1_000_000_000 } });
    await clock.advance(10_000);
    is(
      'state and submissions',
      { state: stand.order(placed).state, sends: sendsOf(stand.order(placed)) },
      { state: 'live', sends: 2 },
    );
    is('orders at the venue', stand.venueOrders().length, 1);
    is('it was asked to look again', stand.calls('ledger') > calls, true);
  }),

  'phantom-reservation': onModels(async (stand) => {
    const { is, clock, metrics, user } = stand;
    stand.quote({ side: 'sell', price: 5_000, shares: 1_000 });
    await clock.advance(1_000);
    stand.arm('phantom-reservation', ONCE);
    await stand.buy({ amount: { unit: 'usdc', micros: 90_000_000 } });
    await clock.advance(20_000);
    const codes: string[] = [];
    for (let tries = 0; tries < 30; tries += 1) {
      codes.push(await codeOf(stand.buy({ amount: { unit: 'usdc', micros: 80_000_000 } })));
      await clock.advance(2_000);
    }
    is('the user is told', codes.includes('funds_disputed'), true);
    is('submissions in a minute', new Set(stand.asked).size <= 4, true);
    is('accounts an operator is told of', metrics.counts.get('funds_disputes_open'), 1);
    is(
      'alerts',
      stand.log.lines.some(({ event, level }) => event === 'funds.disputed' && level === 'error'),
      true,
    );
    is(
      'shares bought',
      stand
        .service()
        .core.trading.portfolio.holdings(user.userId)
        .map(({ settledShares }) => settledShares),
      [180_000_000],
    );
  }),

  'order-version-mismatch': onModels(async (stand) => {
    const { is, clock } = stand;
    const REFUSED =
      'order_version_mismatch; asked again, the venue takes version 2, as this order was';
    stand.quote(OFFER);
    await clock.advance(1_000);
    stand.arm('order-version-mismatch', ONCE);
    const [writes, asked] = [stand.calls('write'), stand.calls('public')];
    const placed = await stand.buy();
    await clock.advance(10_000);
    is('the version was read again', stand.calls('public') > asked, true);
    is('submissions', stand.calls('write') - writes, 2);
    is(
      'what an operator sees',
      stand.metrics.counts.get('venue_refusals_total venue_a order_version'),
      1,
    );
    const { state, attempts } = stand.order(placed);
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
        venue: stand.venueOrders().map(({ order }) => order.orderId),
      },
      { sends: [1, 1], isAnother: true, venue: [taken?.orderId] },
    );
    // Refused again and again: one more attempt, and then the caller's turn.
    stand.arm('order-version-mismatch', { times: 5 });
    const before = stand.calls('write');
    const given = await stand.bid();
    await clock.advance(30_000);
    is(
      'without a loop',
      {
        state: stand.order(given).state,
        reason: stand.order(given).reason,
        submissions: stand.calls('write') - before,
      },
      { state: 'rejected', reason: REFUSED, submissions: 2 },
    );
    stand.model.faults.clear('order-version-mismatch');
  }),
};
