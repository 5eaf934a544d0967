import { expect, it } from 'vitest';
import { judgeExit } from '../../src/domain/strategy/exit.ts';
import { byEachView } from '../../src/domain/strategy/round-judge.ts';
import { strategyTable, type StrategyRow } from '../../src/domain/strategy/strategy-row.ts';
import { enterWhenAll } from '../../src/domain/strategy/terms.ts';
import { codeOf, onModels, type Fixture } from '../survival/fixture.ts';
import { VENUE_A } from '../support/venue-ids.ts';

/** Enters every round it sees. */
const ENTERS: StrategyRow = {
  agentId: 'btc_5min',
  strategy: 'enters',
  rule: 'Of this test alone.',
  reads: [],
  order: { kind: 'market' },
  window: { opensAfterMs: 0, closesAfterMs: 300_000 },
  judgeExit,
  judgeFor: () => byEachView(() => enterWhenAll(0, [])),
};
const WORLD = {
  delays: { listingHorizonMs: 900_000, hydrationDelayMs: 0 },
  strategies: strategyTable([ENTERS]),
};

/** How often rounds were judged for the agent within the next window. */
async function judgements({ clock, service, until, user, facts }: Fixture): Promise<number> {
  const { agents } = service().core;
  await until(
    agents.updateSettings(user.userId, 'btc_5min', { avgPositionSize: '5', strategy: 'enters' }),
  );
  await until(agents.enable(user.userId, 'btc_5min'));
  await clock.advance(330_000);
  return facts.filter(({ type }) => type === 'signal.judged' || type === 'decision.made').length;
}

it('rounds of the exchange that is signed for are judged for agents', async () => {
  const play = onModels(async (fixture) => {
    fixture.is('judged', (await judgements(fixture)) > 0, true);
  }, WORLD);
  expect(await play()).toEqual([]);
});

it('other-version: such rounds are left out, and an order of a person is refused by name with nothing made', async () => {
  const play = onModels(async (fixture) => {
    const { is, model, market } = fixture;
    fixture.arm('other-version');
    is('judged', await judgements(fixture), 0);
    const other = model
      .listings()
      .find(({ window, market: { marketId } }) => window === null && marketId !== market.marketId);
    const marketId = other?.market.marketId ?? market.marketId;
    is('an order of a person', await codeOf(fixture.buy({ marketId })), 'market_not_supported');
    const found = await fixture.until(
      fixture.service().core.at(VENUE_A).markets.discover(marketId),
    );
    is('what is said of it', found?.notTradeable?.includes('version "v2"'), true);
    is('orders at the venue', fixture.venueOrders().length, 0);
    is('money set aside', fixture.service().core.orders.listOpen(fixture.user.userId).length, 0);
  }, WORLD);
  expect(await play()).toEqual([]);
});
