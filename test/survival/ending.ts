import { priceTicks } from '../../src/domain/units.ts';
import type { Scenario } from './findings.ts';
import type { Stand } from './stand.ts';
import { onModels } from './stand.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const CASH = 200_000_000;

function cancel(stand: Stand, placed: Awaited<ReturnType<Stand['bid']>>): ReturnType<Stand['bid']> {
  return stand.until(stand.service().core.orders.cancel(stand.user.userId, placed.intent.intentId));
}

async function hold(stand: Stand): Promise<void> {
  stand.quote({ side: 'sell', price: 5_000, shares: 100 });
  await stand.clock.advance(1_000);
  await stand.buy();
  await stand.clock.advance(30_000);
}

/** Scenarios of the rows about cancelling and ending. */
export const ENDING: Readonly<Record<string, Scenario>> = {
  'fill-races-cancel': onModels(async (stand) => {
    const { is, clock } = stand;
    const placed = await stand.bid();
    await clock.advance(1_000);
    stand.arm('fill-races-cancel', { times: 1 });
    await cancel(stand, placed);
    await clock.advance(30_000);
    const { state, filledShares } = stand.order(placed);
    is(
      'state and shares',
      { state, filledShares: Number(filledShares) },
      { state: 'filled', filledShares: 20_000_000 },
    );
    is('fills', stand.service().core.trading.portfolio.fills(stand.user.userId).length, 1);
  }),

  'cancel-already-gone': onModels(async (stand) => {
    const { is, clock } = stand;
    const placed = await stand.bid();
    await clock.advance(1_000);
    stand.arm('cancel-already-gone', { times: 1 });
    const asked = stand.calls('ledger');
    is('state after the first answer', (await cancel(stand, placed)).state, 'live');
    is('was asked by id', stand.calls('ledger') > asked, true);
    await clock.advance(30_000);
    is('state in the end', stand.order(placed).state, 'cancelled');
    is(
      'at the venue',
      stand.venueOrders().map(({ status }) => status),
      ['CANCELED'],
    );
  }),

  'cancel-before-id': onModels(async (stand) => {
    const { is, clock } = stand;
    stand.arm('dropped-user-events');
    stand.arm('late-ack', { times: 1, delayMs: 3_000 });
    const placing = stand.service().core.orders.place(stand.user.userId, {
      venue: VENUE_A,
      marketId: stand.market.marketId,
      outcome: 0,
      side: 'buy',
      amount: { unit: 'shares', micros: 20_000_000 },
      type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null },
      origin: { kind: 'manual' },
    });
    await clock.advance(1_000);
    const [open] = stand.service().core.orders.listOpen(stand.user.userId);
    is('it has no word of the venue when it is cancelled', open?.state, 'signed');
    if (open !== undefined) await cancel(stand, open);
    const placed = await stand.until(placing);
    await clock.advance(10_000);
    is('state', stand.order(placed).state, 'cancelled');
    is(
      'at the venue',
      stand.venueOrders().map(({ status }) => status),
      ['CANCELED'],
    );
  }),

  'reason-suffix': onModels(async (stand) => {
    const { is, clock } = stand;
    const placed = await stand.bid();
    await clock.advance(1_000);
    stand.arm('reason-suffix', { times: 1 });
    await cancel(stand, placed);
    await clock.advance(10_000);
    const { state, reason } = stand.order(placed);
    is('state and reason', { state, reason }, { state: 'cancelled', reason: 'user requested' });
  }),

  'gtd-early': onModels(async (stand) => {
    const { is, clock } = stand;
    stand.arm('gtd-early', { times: 1 });
    const expiresAtMs = clock.nowMs() + 5 * 60_000;
    const placed = await stand.bid({
      type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs },
    });
    await clock.advance(5 * 60_000 - 30_000);
    is('state before its own time', stand.order(placed).state, 'expired');
    is(
      'at the venue',
      stand.venueOrders().map(({ status }) => status),
      ['CANCELED'],
    );
  }),

  'heartbeat-lost': onModels(async (stand) => {
    const { is, clock, user } = stand;
    stand.arm('heartbeat-lost', { times: 1, delayMs: 10_000 });
    const placed = [
      await stand.bid(),
      await stand.bid({ type: { kind: 'limit', price: priceTicks(3_900), expiresAtMs: null } }),
    ];
    is(
      'states before',
      placed.map((each) => stand.order(each).state),
      ['live', 'live'],
    );
    await clock.advance(15_000);
    is(
      'states after',
      placed.map((each) => stand.order(each).state),
      ['cancelled', 'cancelled'],
    );
    is(
      'told on the bus',
      stand.facts.filter(
        (fact) =>
          fact.type === 'order.changed' && fact.userId === user.userId && fact.to === 'cancelled',
      ).length,
      2,
    );
    is(
      'set aside',
      stand.service().core.trading.portfolio.cash(user.userId, 'usdc:safe').reserved,
      0,
    );
    is(
      'ends nobody asked for, as an operator sees them',
      stand.metrics.counts.get('order_ends_unasked_total'),
      2,
    );
  }),

  'market-resolved-silently': onModels(async (stand) => {
    const { is, clock, user, market, model } = stand;
    await hold(stand);
    stand.arm('market-resolved-silently', { times: 1 });
    model.exchange.resolve(market.marketId, [10_000, 0]);
    await clock.advance(20 * 60_000);
    is(
      'resolutions booked',
      stand.facts.filter(({ type }) => type === 'market.resolved').length,
      1,
    );
    is(
      'cash',
      stand.service().core.trading.portfolio.cash(user.userId, 'usdc:safe').settled,
      CASH + 10_000_000,
    );
  }),

  'resolved-fifty-fifty': onModels(async (stand) => {
    const { is, clock, user, market, model } = stand;
    stand.quote({ side: 'sell', price: 4_000, shares: 100 });
    await clock.advance(1_000);
    await stand.buy();
    await clock.advance(30_000);
    model.exchange.resolve(market.marketId, [5_000, 5_000]);
    await clock.advance(5 * 60_000);
    is(
      'open positions',
      stand.service().core.trading.portfolio.holdings(user.userId, { type: 'open' }).length,
      0,
    );
    is(
      'cash: 25 shares bought for 10 USDC pay 12.50',
      stand.service().core.trading.portfolio.cash(user.userId, 'usdc:safe').settled,
      CASH + 2_500_000,
    );
  }),
};
