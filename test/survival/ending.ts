import { priceTicks } from '../../src/domain/units.ts';
import type { Scenario } from './findings.ts';
import { onModels, type Fixture } from './fixture.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const CASH = 200_000_000;

function cancel(
  fixture: Fixture,
  placed: Awaited<ReturnType<Fixture['bid']>>,
): ReturnType<Fixture['bid']> {
  return fixture.until(
    fixture.service().core.orders.cancel(fixture.user.userId, placed.intent.intentId),
  );
}

async function hold(fixture: Fixture): Promise<void> {
  fixture.quote({ side: 'sell', price: 5_000, shares: 100 });
  await fixture.clock.advance(1_000);
  await fixture.buy();
  await fixture.clock.advance(30_000);
}

/** Scenarios of the rows about cancelling and ending. */
export const ENDING: Readonly<Record<string, Scenario>> = {
  'fill-races-cancel': onModels(async (fixture) => {
    const { is, clock } = fixture;
    const placed = await fixture.bid();
    await clock.advance(1_000);
    fixture.arm('fill-races-cancel', { times: 1 });
    await cancel(fixture, placed);
    await clock.advance(30_000);
    const { state, filledShares } = fixture.order(placed);
    is(
      'state and shares',
      { state, filledShares: Number(filledShares) },
      { state: 'filled', filledShares: 20_000_000 },
    );
    is('fills', fixture.service().core.trading.portfolio.fills(fixture.user.userId).length, 1);
  }),

  'cancel-already-gone': onModels(async (fixture) => {
    const { is, clock } = fixture;
    const placed = await fixture.bid();
    await clock.advance(1_000);
    fixture.arm('cancel-already-gone', { times: 1 });
    const asked = fixture.calls('ledger');
    is('state after the first answer', (await cancel(fixture, placed)).state, 'live');
    is('was asked by id', fixture.calls('ledger') > asked, true);
    await clock.advance(30_000);
    is('state in the end', fixture.order(placed).state, 'cancelled');
    is(
      'at the venue',
      fixture.venueOrders().map(({ status }) => status),
      ['CANCELED'],
    );
  }),

  'cancel-before-id': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.arm('dropped-user-events');
    fixture.arm('late-ack', { times: 1, delayMs: 3_000 });
    const placing = fixture.service().core.orders.place(fixture.user.userId, {
      venue: VENUE_A,
      marketId: fixture.market.marketId,
      outcome: 0,
      side: 'buy',
      amount: { unit: 'shares', micros: 20_000_000 },
      type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null },
      origin: { kind: 'manual' },
    });
    await clock.advance(1_000);
    const [open] = fixture.service().core.orders.listOpen(fixture.user.userId);
    is('it has no answer of the venue when it is cancelled', open?.state, 'signed');
    if (open !== undefined) await cancel(fixture, open);
    const placed = await fixture.until(placing);
    await clock.advance(10_000);
    is('state', fixture.order(placed).state, 'cancelled');
    is(
      'at the venue',
      fixture.venueOrders().map(({ status }) => status),
      ['CANCELED'],
    );
  }),

  'reason-suffix': onModels(async (fixture) => {
    const { is, clock } = fixture;
    const placed = await fixture.bid();
    await clock.advance(1_000);
    fixture.arm('reason-suffix', { times: 1 });
    await cancel(fixture, placed);
    await clock.advance(10_000);
    const { state, reason } = fixture.order(placed);
    is('state and reason', { state, reason }, { state: 'cancelled', reason: 'user requested' });
  }),

  'gtd-early': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.arm('gtd-early', { times: 1 });
    const expiresAtMs = clock.nowMs() + 5 * 60_000;
    const placed = await fixture.bid({
      type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs },
    });
    await clock.advance(5 * 60_000 - 30_000);
    is('state before its own time', fixture.order(placed).state, 'expired');
    is(
      'at the venue',
      fixture.venueOrders().map(({ status }) => status),
      ['CANCELED'],
    );
  }),

  'heartbeat-lost': onModels(async (fixture) => {
    const { is, clock, user } = fixture;
    fixture.arm('heartbeat-lost', { times: 1, delayMs: 10_000 });
    const placed = [
      await fixture.bid(),
      await fixture.bid({ type: { kind: 'limit', price: priceTicks(3_900), expiresAtMs: null } }),
    ];
    is(
      'states before',
      placed.map((each) => fixture.order(each).state),
      ['live', 'live'],
    );
    await clock.advance(15_000);
    is(
      'states after',
      placed.map((each) => fixture.order(each).state),
      ['cancelled', 'cancelled'],
    );
    is(
      'published on the bus',
      fixture.facts.filter(
        (fact) =>
          fact.type === 'order.changed' && fact.userId === user.userId && fact.to === 'cancelled',
      ).length,
      2,
    );
    is(
      'set aside',
      fixture.service().core.trading.portfolio.cash(user.userId, 'usdc:safe').reserved,
      0,
    );
    is(
      'ends that were not requested, as an operator sees them',
      fixture.metrics.counts.get('order_ends_unasked_total'),
      2,
    );
  }),

  'market-resolved-silently': onModels(async (fixture) => {
    const { is, clock, user, market, model } = fixture;
    await hold(fixture);
    fixture.arm('market-resolved-silently', { times: 1 });
    model.exchange.resolve(market.marketId, [10_000, 0]);
    await clock.advance(20 * 60_000);
    is(
      'resolutions booked',
      fixture.facts.filter(({ type }) => type === 'market.resolved').length,
      1,
    );
    is(
      'cash',
      fixture.service().core.trading.portfolio.cash(user.userId, 'usdc:safe').settled,
      CASH + 10_000_000,
    );
  }),

  'resolved-fifty-fifty': onModels(async (fixture) => {
    const { is, clock, user, market, model } = fixture;
    fixture.quote({ side: 'sell', price: 4_000, shares: 100 });
    await clock.advance(1_000);
    await fixture.buy();
    await clock.advance(30_000);
    model.exchange.resolve(market.marketId, [5_000, 5_000]);
    await clock.advance(5 * 60_000);
    is(
      'open positions',
      fixture.service().core.trading.portfolio.holdings(user.userId, { type: 'open' }).length,
      0,
    );
    is(
      'cash: 25 shares bought for 10 USDC pay 12.50',
      fixture.service().core.trading.portfolio.cash(user.userId, 'usdc:safe').settled,
      CASH + 2_500_000,
    );
  }),
};
