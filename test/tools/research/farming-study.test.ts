import { describe, expect, it } from 'vitest';
import { farmingRules } from '../../../src/tools/research/farming-rules.ts';
import { farmingFigures } from '../../../src/tools/research/farming-study.ts';
import type {
  FarmingOutcome,
  FarmingQuote,
} from '../../../src/tools/research/read/farming-outcomes.ts';
import { FARM_VENUE_A } from '../../../src/domain/farming/venues.ts';
import { priceTicks } from '../../../src/domain/units.ts';

const DAY_MS = 86_400_000;

function quote(
  bid: number | null,
  ask: number | null,
  changes: Partial<FarmingQuote> = {},
): FarmingQuote {
  return {
    atMs: DAY_MS,
    bidTicks: bid === null ? null : priceTicks(bid),
    askTicks: ask === null ? null : priceTicks(ask),
    volumeUsd: 5_001,
    liquidityUsd: 2_501,
    ...changes,
  };
}

function outcome(
  quotes: readonly FarmingQuote[],
  changes: Partial<FarmingOutcome> = {},
): FarmingOutcome {
  return { event: 'event', market: 'market', endsAtMs: 3 * DAY_MS, won: true, quotes, ...changes };
}

function figuresOf(outcomes: readonly FarmingOutcome[]) {
  const all = farmingFigures({
    name: 'test',
    venue: FARM_VENUE_A,
    feeTicks: () => 0,
    outcomes,
    split: { splitMs: Infinity, partOf: () => 'in sample' },
    parts: ['in sample'],
    standIns: [],
    comparisons: 1,
  });
  return new Map(all.map((one) => [one.rule, one]));
}

const bought = (outcomes: readonly FarmingOutcome[]): readonly string[] =>
  [...figuresOf(outcomes)].filter(([, { bets }]) => bets > 0).map(([rule]) => rule);
const AGENT = 'the agent, assessor allows all';
const STRICT = 'the agent without an assessor';

describe('a farming study', () => {
  it.each<readonly [string, FarmingQuote, readonly string[]]>([
    ['the middle of bid and ask, not the ask', quote(9_400, 9_580), ['92.5–95 %']],
    ['the agent’s band and the strict one', quote(9_650, 9_700), ['96–97 %', AGENT, STRICT]],
    ['a wide book, which says nothing of a probability', quote(9_500, 9_740), ['96–97 %']],
    ['a volume too small', quote(9_650, 9_700, { volumeUsd: 1_000 }), []],
    ['a liquidity too small', quote(9_650, 9_700, { liquidityUsd: 500 }), []],
    [
      'figures that were not recorded, taken as enough',
      quote(9_650, 9_700, { volumeUsd: null, liquidityUsd: null }),
      ['96–97 %', AGENT, STRICT],
    ],
    [
      'figures between the usual and the strict filters',
      quote(9_650, 9_700, { volumeUsd: 2_000 }),
      ['96–97 %', AGENT],
    ],
    ['half a book', quote(null, 9_700), []],
  ])('reads %s', (_what, quoted, rules) => {
    expect(bought([outcome([quoted])])).toEqual(rules);
  });

  it('buys an outcome once, at its ask, and is paid by the winner', () => {
    const figures = figuresOf([
      outcome([quote(9_650, 9_700), quote(9_640, 9_690)]),
      outcome([quote(9_650, 9_700)], { event: 'other', won: false }),
    ]).get(AGENT);
    expect([figures?.bets, figures?.events, figures?.meanAsk, figures?.hit?.estimate]).toEqual([
      2, 2, 0.97, 0.5,
    ]);
    expect(figures?.profitPerUsd?.estimate).toBeCloseTo((1 / 0.97 - 2) / 2, 12);
  });

  it('pays the next ask where it is worse: the order arrives after the decision', () => {
    expect(
      figuresOf([outcome([quote(9_650, 9_700), quote(9_700, 9_750)])]).get(AGENT)?.meanAsk,
    ).toBe(0.975);
  });

  it('sells at the first bid ten percent under the entry, and not before: 0.873 for 0.97', () => {
    const [held, stopped] = [8_731, 8_730].map((bid) =>
      figuresOf([outcome([quote(9_650, 9_700), quote(bid, 9_700)])]).get(AGENT),
    );
    expect([held?.stopped, stopped?.stopped]).toEqual([0, 1]);
    expect(stopped?.profitWithStopPerUsd?.estimate).toBeCloseTo(0.873 / 0.97 - 1, 12);
    expect(stopped?.profitPerUsd?.estimate).toBeCloseTo(1 / 0.97 - 1, 12);
  });

  it('asks the gate of the agent’s own rules only', () => {
    const figures = figuresOf([outcome([quote(9_650, 9_700)])]);
    expect(
      farmingRules(FARM_VENUE_A)
        .map(({ title, isAgent }) => [title, isAgent, figures.get(title)?.evidence?.passed ?? null])
        .filter(([, , passed]) => passed !== null),
    ).toEqual([
      [AGENT, true, false],
      [STRICT, true, false],
    ]);
  });
});
