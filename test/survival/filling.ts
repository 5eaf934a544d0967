import { priceTicks } from '../../src/domain/units.ts';
import type { Scenario } from './findings.ts';
import { codeOf, enableAgent, ENTRY, onModels, type Fixture } from './fixture.ts';
import { VENUE_A } from '../support/venue-ids.ts';

const CASH = 200_000_000;
const OFFER = { side: 'sell', price: 5_000, shares: 1_000 } as const;

async function offered(fixture: Fixture): Promise<void> {
  fixture.quote(OFFER);
  await fixture.clock.advance(1_000);
}

/** How often a fact was stored. */
function count(fixture: Fixture, type: Fixture['facts'][number]['type']): number {
  return fixture.facts.filter((fact) => fact.type === type).length;
}

function fillsOf(
  fixture: Fixture,
  user = fixture.user,
): ReturnType<ReturnType<Fixture['service']>['core']['trading']['portfolio']['fills']> {
  return fixture.service().core.trading.portfolio.fills(user.userId);
}

function sharesOf(
  fixture: Fixture,
): readonly { readonly settled: number; readonly provisional: number }[] {
  return fixture
    .service()
    .core.trading.portfolio.holdings(fixture.user.userId)
    .map(({ settledShares, provisionalShares }) => ({
      settled: settledShares,
      provisional: provisionalShares,
    }));
}

/** Scenarios of the rows about filling and settling. */
export const FILLING: Readonly<Record<string, Scenario>> = {
  'ghost-fill': onModels(async (fixture) => {
    const { is, clock, user } = fixture;
    fixture.quote({ side: 'buy', price: 4_800, shares: 1_000 });
    await offered(fixture);
    await enableAgent(fixture);
    fixture.arm('ghost-fill', { times: 1 });
    await fixture.buy({ origin: ENTRY });
    await clock.advance(500);
    is('shares while it is matched', sharesOf(fixture), [{ settled: 0, provisional: 20_000_000 }]);
    is('a sale of them', await codeOf(fixture.sell(10)), 'insufficient_shares');
    is('another entry', await codeOf(fixture.buy({ origin: ENTRY })), 'already_traded');
    is('orders the engine saw meanwhile', fixture.asked.length, 1);
    await clock.advance(60_000);
    is('reversals', count(fixture, 'fill.reversed'), 1);
    is(
      'shares at the end',
      sharesOf(fixture).filter(({ settled, provisional }) => settled + provisional !== 0),
      [],
    );
    is(
      'cash',
      { ...fixture.service().core.trading.portfolio.cash(user.userId, 'usdc:safe') },
      { settled: CASH, provisional: 0, reserved: 0, available: CASH },
    );
  }),

  'retrying-then-confirmed': onModels(async (fixture) => {
    const { is, clock } = fixture;
    await offered(fixture);
    fixture.arm('retrying-then-confirmed', { times: 1 });
    await fixture.buy();
    const hashes: (string | null | undefined)[] = [];
    for (let second = 0; second < 60; second += 1) {
      await clock.advance(1_000);
      hashes.push(fillsOf(fixture)[0]?.transactionHash);
    }
    is(
      'transactions, the failed one and the one that is kept',
      new Set(hashes.filter((hash) => hash !== null && hash !== undefined)).size,
      2,
    );
    is('the one that is kept', hashes.at(-1), fixture.model.exchange.trades()[0]?.transactionHash);
    is(
      'settlements and reversals',
      [count(fixture, 'fill.settled'), count(fixture, 'fill.reversed')],
      [1, 0],
    );
    is('shares', sharesOf(fixture), [{ settled: 20_000_000, provisional: 0 }]);
  }),

  'confirmed-then-replayed-matched': onModels(async (fixture) => {
    const { is, clock } = fixture;
    await offered(fixture);
    fixture.arm('confirmed-then-replayed-matched', { times: 1 });
    await fixture.buy();
    await clock.advance(60_000);
    is(
      'matches and settlements booked',
      [count(fixture, 'fill.recorded'), count(fixture, 'fill.settled')],
      [1, 1],
    );
    is(
      'the fill',
      fillsOf(fixture).map(({ settlement, word }) => ({ settlement, word })),
      [{ settlement: 'settled', word: 'confirmed' }],
    );
  }),

  'duplicate-trade': onModels(async (fixture) => {
    const { is, clock } = fixture;
    await offered(fixture);
    fixture.arm('duplicate-trade');
    await fixture.buy();
    await clock.advance(500);
    await fixture.restart();
    await clock.advance(60_000);
    is(
      'matches and settlements booked over both lives',
      [count(fixture, 'fill.recorded'), count(fixture, 'fill.settled')],
      [1, 1],
    );
    is('shares', sharesOf(fixture), [{ settled: 20_000_000, provisional: 0 }]);
  }),

  'several-fills-one-tx': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.arm('several-fills-one-tx');
    await fixture.bid();
    for (const shares of [5, 7, 8]) fixture.quote({ side: 'sell', price: 4_000, shares });
    await clock.advance(60_000);
    const fills = fillsOf(fixture);
    is(
      'fills',
      fills.map(({ shares }) => Number(shares)).sort((a, b) => a - b),
      [5_000_000, 7_000_000, 8_000_000],
    );
    is('transactions', new Set(fills.map(({ transactionHash }) => transactionHash)).size, 1);
    is('shares', sharesOf(fixture), [{ settled: 20_000_000, provisional: 0 }]);
  }),

  'split-match': onModels(async (fixture) => {
    const { is, clock } = fixture;
    await offered(fixture);
    fixture.arm('split-match', { times: 1 });
    const placed = await fixture.buy();
    await clock.advance(60_000);
    is('parts', fillsOf(fixture).length > 1, true);
    is('orders at the venue', fixture.venueOrders().length, 1);
    const { state, filledShares } = fixture.order(placed);
    is(
      'state and shares',
      { state, filledShares: Number(filledShares) },
      { state: 'filled', filledShares: 20_000_000 },
    );
  }),

  'maker-other-token': onModels(async (fixture) => {
    const { is, clock, market } = fixture;
    const placed = await fixture.bid();
    fixture.quote({ outcome: 1, side: 'buy', price: 6_000, shares: 20 });
    await clock.advance(60_000);
    is(
      'the fill',
      fillsOf(fixture).map(({ tokenId, side, role, shares, usdc }) => ({
        tokenId,
        side,
        role,
        shares: Number(shares),
        usdc: Number(usdc),
      })),
      [
        {
          tokenId: market.tokens[0],
          side: 'buy',
          role: 'maker',
          shares: 20_000_000,
          usdc: 8_000_000,
        },
      ],
    );
    is('state', fixture.order(placed).state, 'filled');
  }),

  'maker-entries-of-others': onModels(
    async (fixture) => {
      const { is, clock, users, market } = fixture;
      for (const { userId } of users) {
        await fixture.until(
          fixture.service().core.orders.place(userId, {
            venue: VENUE_A,
            marketId: market.marketId,
            outcome: 0,
            side: 'buy',
            amount: { unit: 'shares', micros: 20_000_000 },
            type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null },
            origin: { kind: 'manual' },
          }),
        );
      }
      fixture.quote({ side: 'sell', price: 4_000, shares: 30 });
      await clock.advance(60_000);
      is('makers in the one trade', fixture.model.exchange.trades()[0]?.makers.length, 2);
      is(
        'shares counted for each',
        users.map((user) => fillsOf(fixture, user).map(({ shares }) => Number(shares))),
        [[20_000_000], [10_000_000]],
      );
    },
    { users: 2 },
  ),

  'overfill-dust': onModels(async (fixture) => {
    const { is, clock, model, user, market } = fixture;
    await offered(fixture);
    fixture.arm('overfill-dust', { times: 1 });
    const placed = await fixture.buy();
    await clock.advance(60_000);
    const { state, filledShares } = fixture.order(placed);
    is(
      'state and more than was asked',
      { state, isMore: filledShares > 20_000_000 },
      { state: 'filled', isMore: true },
    );
    is('shares', sharesOf(fixture), [
      { settled: Number(model.exchange.sharesOf(user.address, market.tokens[0])), provisional: 0 },
    ]);
  }),

  'underfill-dust': onModels(async (fixture) => {
    const { is, clock } = fixture;
    await offered(fixture);
    fixture.arm('underfill-dust', { times: 2 });
    const taken = await fixture.buy();
    await clock.advance(20_000);
    const resting = await fixture.bid({
      type: { kind: 'limit', price: priceTicks(5_000), expiresAtMs: null },
    });
    await clock.advance(60_000);
    const { state, filledShares } = fixture.order(taken);
    is(
      'a market order the venue calls matched',
      { state, isLess: filledShares < 20_000_000 },
      { state: 'filled', isLess: true },
    );
    is(
      'a limit order the venue keeps',
      {
        state: fixture.order(resting).state,
        isLess: fixture.order(resting).filledShares < 20_000_000,
      },
      { state: 'live', isLess: true },
    );
    is('orders the venue ends', fixture.cancelAll(), 1);
    await clock.advance(30_000);
    is(
      'the limit order then',
      { state: fixture.order(resting).state, reserved: fixture.order(resting).reserved },
      { state: 'filled', reserved: { usdc: 0, shares: 0 } },
    );
  }),

  'zero-price-level': onModels(async (fixture) => {
    const { is, market, metrics } = fixture;
    fixture.arm('zero-price-level', { times: 1 });
    await offered(fixture);
    const view = fixture.service().core.at(VENUE_A).books.view(market.tokens[0]);
    is(
      'the book',
      {
        bids: view?.bids.length,
        asks: view?.asks.map(({ price }) => Number(price)),
        distrust: view?.distrust,
      },
      { bids: 0, asks: [5_000], distrust: null },
    );
    is(
      'levels dropped and counted',
      metrics.counts.get('venue_dropped_total venue_a market empty_level'),
      2,
    );
  }),

  'sell-before-confirmed': onModels(async (fixture) => {
    const { is, clock } = fixture;
    fixture.quote({ side: 'buy', price: 4_800, shares: 1_000 });
    await offered(fixture);
    await fixture.buy();
    await clock.advance(30_000);
    fixture.arm('sell-before-confirmed');
    await fixture.buy();
    await clock.advance(200);
    is('a sale of all', await codeOf(fixture.sell(40)), 'insufficient_shares');
    is('orders the engine saw', fixture.asked.length, 2);
    const settled = await fixture.sell(20);
    await clock.advance(30_000);
    is('a sale of what was settled', fixture.order(settled).state, 'filled');
    const rest = await fixture.sell(20);
    await clock.advance(30_000);
    is('the rest once it has settled', fixture.order(rest).state, 'filled');
    is(
      'sales the venue refused',
      fixture.facts.filter((fact) => fact.type === 'order.changed' && fact.to === 'rejected')
        .length,
      0,
    );
  }),

  'balance-drops-elsewhere': onModels(
    async (fixture) => {
      const { is, clock, user } = fixture;
      fixture.arm('balance-drops-elsewhere', { times: 1, delayMs: 2_000 });
      const placed = await fixture.bid();
      await clock.advance(10_000);
      const { state, reason, reserved } = fixture.order(placed);
      is(
        'the order',
        { state, isReasonKept: reason !== null, reserved },
        { state: 'cancelled', isReasonKept: true, reserved: { usdc: 0, shares: 0 } },
      );
      is(
        'published on the bus',
        fixture.facts.filter(
          (fact) =>
            fact.type === 'order.changed' && fact.userId === user.userId && fact.to === 'cancelled',
        ).length,
        1,
      );
    },
    { hasLeak: true },
  ),

  'reverted-35-percent': onModels(async (fixture) => {
    const { is, clock, user } = fixture;
    await offered(fixture);
    await enableAgent(fixture);
    fixture.arm('reverted-35-percent');
    for (let bought = 0; bought < 60 && count(fixture, 'settlement.broke') === 0; bought += 1) {
      await fixture.buy({ amount: { unit: 'usdc', micros: 3_000_000 } });
      await clock.advance(9_000);
    }
    is('breakers that opened', count(fixture, 'settlement.broke') > 0, true);
    is('an entry of an agent', await codeOf(fixture.buy({ origin: ENTRY })), 'agent_degraded');
    is(
      'what its health says',
      fixture
        .service()
        .core.agents.view(user.userId, 'btc_5min')
        .degraded.map(({ code }) => code)
        .includes('settlement_failing'),
      true,
    );
    is('trades that failed', count(fixture, 'fill.reversed') >= 3, true);
    is('what the alert is made of', fixture.metrics.counts.get('settlement_breakers_open user'), 1);
  }),
};
