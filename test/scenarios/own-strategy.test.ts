import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/domain/agent.ts';
import type { JudgedView } from '../../src/domain/signal.ts';
import { judgeExit } from '../../src/domain/strategy/exit.ts';
import { byEachView } from '../../src/domain/strategy/round-judge.ts';
import { strategyTable, type StrategyRow } from '../../src/domain/strategy/strategy-row.ts';
import { STRATEGIES } from '../../src/domain/strategy/table.ts';
import {
  askCriterion,
  bookName,
  enterWhenAll,
  skipForMissing,
  windowCriterion,
} from '../../src/domain/strategy/terms.ts';
import { verifyBooks } from '../support/checks/verify-books.ts';
import { driveOn } from './drive-on.ts';
import { aStrategyFixture } from './strategy-fixture.ts';

const FIRST_PAGE = { limit: 50, cursor: null };
const WINDOW = { opensAfterMs: 60_000, closesAfterMs: 200_000 };

/** The pure file: buys whichever side the market itself thinks less likely. */
function underdog(view: JudgedView): Decision {
  const [up, down] = view.books;
  const [upBid, downBid] = [up?.value.bid?.price ?? null, down?.value.bid?.price ?? null];
  if (upBid === null || downBid === null) return skipForMissing(['Up book', 'Down book']);
  const outcome = upBid <= downBid ? 0 : 1;
  const book = view.books[outcome];
  if (book === null) return skipForMissing([bookName(outcome)]);
  return enterWhenAll(outcome, [
    windowCriterion(view, WINDOW),
    { name: 'bids', value: `${upBid} and ${downBid}`, threshold: 'the lower one', passed: true },
    askCriterion(book),
  ]);
}

/** The row. */
const UNDERDOG: StrategyRow = {
  agentId: 'btc_5min',
  strategy: 'underdog',
  rule: 'Of this test alone.',
  reads: [],
  order: { kind: 'market' },
  window: WINDOW,
  judgeFor: () => byEachView(underdog),
  judgeExit,
};

describe('a strategy of one pure file and one row', () => {
  it('is chosen, judged and traded by like those of the product, and nothing else had to know of it', async () => {
    const strategies = strategyTable([...STRATEGIES.rows, UNDERDOG]);
    const fixture = await aStrategyFixture({
      seed: 2,
      agentId: 'btc_5min',
      settings: { avgPositionSize: 5, strategy: 'underdog' },
      strategies,
    });
    await fixture.clock.advance(11 * 60_000);
    const { agents } = fixture.service.core;
    expect(agents.view(fixture.userId, 'btc_5min')).toMatchObject({
      strategies: ['up_down', 'confirmed_lead', 'limiter', 'inference_strike', 'max', 'underdog'],
      settings: { strategy: 'underdog' },
    });
    const trades = agents
      .trades(fixture.userId, 'btc_5min', FIRST_PAGE)
      .data.filter(({ decision }) => decision.decision.verdict === 'enter');
    expect(trades.length).toBeGreaterThan(0);
    for (const { decision, order } of trades) {
      expect(decision).toMatchObject({
        strategy: 'underdog',
        decision: { criteria: [{ name: 'time in round' }, { name: 'bids' }, { name: 'ask' }] },
      });
      expect(order).toMatchObject({ intent: { side: 'buy', outcome: decision.decision.outcome } });
    }
    expect(trades.some(({ order }) => order?.state === 'filled')).toBe(true);
    expect(verifyBooks(fixture.store)).toMatchObject({ imbalanceMicros: 0, differing: [] });

    await fixture.restart();
    expect(fixture.service.core.agents.view(fixture.userId, 'btc_5min')).toMatchObject({
      enabled: true,
      settings: { strategy: 'underdog' },
    });
    await fixture.end();
  });

  it('is refused, like any unknown name, where its row is not in the table', async () => {
    const fixture = await aStrategyFixture({
      seed: 2,
      agentId: 'btc_5min',
      settings: { avgPositionSize: 5, strategy: 'up_down' },
    });
    const change = fixture.service.core.agents.updateSettings(fixture.userId, 'btc_5min', {
      strategy: 'underdog',
    });
    await expect(driveOn(fixture.clock, change)).rejects.toMatchObject({
      code: 'setting_out_of_range',
      fields: [
        {
          path: '/strategy',
          message: 'must be one of: up_down, confirmed_lead, limiter, inference_strike, max',
        },
      ],
    });
    await fixture.end();
  });
});
