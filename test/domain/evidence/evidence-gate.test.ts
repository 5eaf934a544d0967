import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import {
  evidenceGate,
  type Evidence,
  type EvidenceThresholds,
  type StrategyTrack,
} from '../../../src/domain/evidence/evidence-gate.ts';
import { EVIDENCE } from '../../../config/limits/research.ts';
import { binomialUpperCount } from '../../support/recordings/binomial.ts';
import { normalCdf } from '../../../src/domain/probability.ts';
import { normalDraws } from '../../support/normal-draws.ts';
import { runs } from '../../support/sampled.ts';

const LEVEL = EVIDENCE.levelPercent / 100;
const THRESHOLDS: EvidenceThresholds = { ...EVIDENCE, level: LEVEL, comparisons: 1, draws: 1_000 };

function judged(
  track: Partial<StrategyTrack>,
  thresholds: Partial<EvidenceThresholds> = {},
  seed = 1,
) {
  const random = createSeededRandom(seed);
  const returns = track.returns ?? good;
  return evidenceGate(
    { returns, byDay: overDays(returns, 20), standIns: [], ...track },
    { ...THRESHOLDS, ...thresholds },
    (bound) => random.integer(bound),
  );
}

/** Profits of bets that win in `percent` of cases on average, by a seed. */
function drawn(
  count: number,
  percent: number,
  { won = 1, lost = -1 }: { readonly won?: number; readonly lost?: number } = {},
): StrategyTrack['returns'] {
  const random = createSeededRandom(`drawn:${count}:${percent}`);
  return Array.from({ length: count }, () => [random.integer(100) < percent ? won : lost]);
}

/** The same profits on so many days that follow one another. */
function overDays(returns: StrategyTrack['returns'], days: number): StrategyTrack['byDay'] {
  return Array.from({ length: days }, (_value, day) =>
    returns
      .slice(
        Math.floor((day * returns.length) / days),
        Math.floor(((day + 1) * returns.length) / days),
      )
      .flat(),
  );
}

/** Wins two of three at even odds. */
const good = drawn(720, 67);
/** `count` equal profits, and nine others among them, fourteen places apart. */
const withNine = (count: number, usual: number, seldom: number): StrategyTrack['returns'] =>
  Array.from({ length: count + 9 }, (_value, place) => [
    place % 14 === 7 && place < 126 ? seldom : usual,
  ]);

const BY_ROUND = 'lower bound of profit per USD';

function passes(criteria: Evidence['criteria'], name: string): boolean {
  return criteria.some((criterion) => criterion.name === name && criterion.passed);
}

describe('the evidence gate', () => {
  it('passes a long record that wins on both sides of luck', () => {
    expect(judged({}).criteria.map(({ name, passed }) => [name, passed])).toEqual([
      ['trades', true],
      ['wins', true],
      ['losses', true],
      ['days', true],
      ['lower bound of profit per USD', true],
      ['lower bound by day', true],
      ['stand-ins', true],
    ]);
    expect(judged({}).passed).toBe(true);
  });

  it.each<readonly [string, Partial<StrategyTrack>, Partial<EvidenceThresholds>]>([
    ['trades', { returns: drawn(96, 67, { won: 2 }) }, {}],
    ['losses', { returns: withNine(120, 0.5, -1) }, {}],
    ['wins', { returns: withNine(120, -0.05, 20) }, {}],
    ['days', {}, { daysMinimum: 21 }],
    [
      'lower bound by day',
      { returns: Array.from({ length: 20 }, (_value, day) => drawn(36, day % 2 ? 90 : 35)).flat() },
      {},
    ],
    ['stand-ins', { standIns: ['prediction'] }, {}],
  ])('refuses a record that falls short in %s alone', (name, changes, thresholds) => {
    expect(
      judged(changes, thresholds)
        .criteria.filter(({ passed }) => !passed)
        .map((criterion) => criterion.name),
    ).toEqual([name]);
  });

  it('refuses a record whose profit luck explains, by rounds as by days', () => {
    expect(
      judged({ returns: drawn(120, 50) })
        .criteria.filter(({ passed }) => !passed)
        .map(({ name }) => name),
    ).toEqual(['lower bound of profit per USD', 'lower bound by day']);
  });

  it('counts a bad day beside those it saw: five good ones of fifty trades each are too few', () => {
    const days = (count: number) => judged({ byDay: overDays(good, count) }, { comparisons: 15 });
    expect([5, 20].map((count) => days(count).passed)).toEqual([false, true]);
  });

  it('says what the record has against what is asked for, and takes just enough of it', () => {
    const just = Array.from({ length: 100 }, (_value, index) => [index % 10 < 8 ? 1 : -1]);
    const { criteria } = judged(
      { returns: [...just, [0]], byDay: overDays(just, 5), standIns: ['prediction', 'book'] },
      { tradesMinimum: 101, winsMinimum: 80, lossesMinimum: 20, daysMinimum: 5, comparisons: 2 },
    );
    expect(
      criteria.map(({ name, value, threshold, passed }) => [name, value, threshold, passed]),
    ).toEqual([
      ['trades', '101', 'at least 101', true],
      ['wins', '80', 'at least 80', true],
      ['losses', '20', 'at least 20', true],
      ['days', '5', 'at least 5', true],
      [
        'lower bound of profit per USD',
        expect.stringMatching(/^0\.[3-6]\d{3}$/),
        `above 0, at ${((LEVEL / 2) * 100).toFixed(2)} %`,
        true,
      ],
      [
        'lower bound by day',
        expect.stringMatching(/^-/),
        `above 0, at ${((LEVEL / 2) * 100).toFixed(2)} %`,
        false,
      ],
      ['stand-ins', 'prediction, book', 'none', false],
    ]);
  });

  it('asks for more where more strategies were looked at', () => {
    const returns = Array.from({ length: 120 }, (_value, index) => [index % 12 < 7 ? 1 : -1]);
    const byRound = (comparisons: number) =>
      passes(judged({ returns }, { comparisons }).criteria, BY_ROUND);
    expect([byRound(1), byRound(100)]).toEqual([true, false]);
  });

  it('refuses no record at all', () => {
    const nothing = judged({ returns: [] });
    expect(nothing.passed).toBe(false);
    expect(nothing.criteria.slice(-3)).toMatchObject([
      { value: 'none', passed: false },
      { value: 'none', passed: false },
      { name: 'stand-ins', value: 'none', passed: true },
    ]);
    const nothingWon = judged({ returns: good.map(() => [0]) }).criteria;
    expect(nothingWon.find(({ name }) => name.startsWith('lower'))?.passed).toBe(false);
  });
});

describe('negative control: bets at a fair price, without a fee', () => {
  const RUNS = runs(200, 1_000);

  /** Profits of bets that win as often as their price says. */
  function fairTrack(seed: number, price: number): StrategyTrack {
    const random = createSeededRandom(`fair:${price}:${seed}`);
    const returns = Array.from({ length: 120 }, () => [
      random.integer(1_000_000) < price * 1_000_000 ? 1 / price - 1 : -1,
    ]);
    return { returns, byDay: overDays(returns, 10), standIns: [] };
  }

  it.each([0.1, 0.3, 0.5, 0.7, 0.9, 0.97])(
    'pass no more often than the level allows at a price of %f',
    (price) => {
      const passed = Array.from({ length: RUNS }, (_value, seed) =>
        judged(fairTrack(seed, price), { draws: 200 }, seed),
      ).filter((evidence) => evidence.passed).length;
      // With a true chance of the level, more than this many of the runs pass in one of a thousand
      // tests.
      expect(passed).toBeLessThanOrEqual(binomialUpperCount(RUNS, LEVEL, 0.001));
    },
  );

  it('would pass too often by rounds without the asked-for losses: no resampling can draw a loss it has not seen', () => {
    const passed = Array.from({ length: RUNS }, (_value, seed) =>
      judged(fairTrack(seed, 0.99), { draws: 200 }, seed),
    ).filter(({ criteria }) => passes(criteria, BY_ROUND)).length;
    expect(passed).toBeGreaterThan(binomialUpperCount(RUNS, LEVEL, 0.001));
  });
});

describe('negative control: bets at a fair price whose days share a shock', () => {
  const [RUNS, COMPARISONS] = [runs(150, 3_000), 15];

  /** Sixty bets a day; `shared` is the correlation of the latent normal variables of a day. */
  function shockedTrack(
    seed: number,
    {
      price,
      shared,
      days,
    }: { readonly price: number; readonly shared: number; readonly days: number },
  ): StrategyTrack {
    const normal = normalDraws(`shock:${price}:${shared}:${days}:${seed}`);
    const byDay = Array.from({ length: days }, () => {
      const shock = Math.sqrt(shared) * normal();
      return Array.from({ length: 60 }, () =>
        normalCdf(shock + Math.sqrt(1 - shared) * normal()) < price ? 1 / price - 1 : -1,
      );
    });
    return { returns: byDay.flat().map((profit) => [profit]), byDay, standIns: [] };
  }

  it.each([
    { price: 0.5, shared: 0.05, days: 5 },
    { price: 0.5, shared: 0.2, days: 5 },
    { price: 0.9, shared: 0.2, days: 8 },
    { price: 0.95, shared: 0.2, days: 20 },
  ])('pass no more often than promised: $price, correlation $shared, $days days', (world) => {
    const evidence = Array.from({ length: RUNS }, (_value, seed) =>
      judged(shockedTrack(seed, world), { draws: 300, comparisons: COMPARISONS }, seed),
    );
    const promised = binomialUpperCount(RUNS, LEVEL / COMPARISONS, 0.001);
    expect(evidence.filter(({ passed }) => passed).length).toBeLessThanOrEqual(promised);
    // Rounds alone take the luck of a few days for skill.
    expect(evidence.filter(({ criteria }) => passes(criteria, BY_ROUND)).length).toBeGreaterThan(
      promised,
    );
  });
});
