import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type {
  EvidenceThresholds,
  StrategyTrack,
} from '../../../src/domain/evidence/evidence-gate.ts';
import { evidenceGate } from '../../../src/domain/evidence/evidence-gate.ts';
import { EVIDENCE } from '../../../config/limits/research.ts';
import { binomialUpperCount } from '../../support/recordings/binomial.ts';
import { runs } from '../../support/sampled.ts';

const LEVEL = EVIDENCE.levelPercent / 100;
const THRESHOLDS: EvidenceThresholds = { ...EVIDENCE, level: LEVEL, comparisons: 1, draws: 1_000 };

function judged(
  track: Partial<StrategyTrack>,
  thresholds: Partial<EvidenceThresholds> = {},
  seed = 1,
) {
  const random = createSeededRandom(seed);
  return evidenceGate(
    { returns: good, days: 10, standIns: [], ...track },
    { ...THRESHOLDS, ...thresholds },
    (bound) => random.integer(bound),
  );
}

/** 70 wins and 50 losses at even odds. */
const good = Array.from({ length: 120 }, (_value, index) => [index % 12 < 7 ? 1 : -1]);

describe('the evidence gate', () => {
  it('passes a long record that wins on both sides of luck', () => {
    expect(judged({}).criteria.map(({ name, passed }) => [name, passed])).toEqual([
      ['trades', true],
      ['wins', true],
      ['losses', true],
      ['days', true],
      ['lower bound of profit per USD', true],
      ['stand-ins', true],
    ]);
    expect(judged({}).passed).toBe(true);
  });

  it.each<readonly [string, Partial<StrategyTrack>]>([
    ['trades', { returns: good.slice(0, 96).map(([profit]) => [profit === 1 ? 2 : -1]) }],
    [
      'losses',
      {
        returns: [
          ...Array.from({ length: 120 }, () => [0.5]),
          ...Array.from({ length: 9 }, () => [-1]),
        ],
      },
    ],
    [
      'wins',
      {
        returns: [
          ...Array.from({ length: 120 }, () => [-0.05]),
          ...Array.from({ length: 9 }, () => [20]),
        ],
      },
    ],
    ['days', { days: 4 }],
    [
      'lower bound of profit per USD',
      { returns: Array.from({ length: 120 }, (_value, index) => [index % 2 === 0 ? 1 : -1]) },
    ],
    ['stand-ins', { standIns: ['prediction'] }],
  ])('refuses a record that falls short in %s alone', (name, changes) => {
    expect(
      judged(changes)
        .criteria.filter(({ passed }) => !passed)
        .map((criterion) => criterion.name),
    ).toEqual([name]);
  });

  it('says what the record has against what is asked for, and takes just enough of it', () => {
    const just = Array.from({ length: 100 }, (_value, index) => [index % 10 < 8 ? 1 : -1]);
    const { criteria } = judged(
      { returns: [...just, [0]], days: 5, standIns: ['prediction', 'book'] },
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
      ['stand-ins', 'prediction, book', 'none', false],
    ]);
  });

  it('asks for more where more strategies were looked at', () => {
    expect(judged({}, { comparisons: 1 }).passed).toBe(true);
    expect(
      judged({}, { comparisons: 100 }).criteria.find(({ name }) => name.startsWith('lower'))
        ?.passed,
    ).toBe(false);
  });

  it('refuses no record at all', () => {
    const nothing = judged({ returns: [] });
    expect(nothing.passed).toBe(false);
    expect(nothing.criteria.slice(-2)).toMatchObject([
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
    return {
      returns: Array.from({ length: 120 }, () => [
        random.integer(1_000_000) < price * 1_000_000 ? 1 / price - 1 : -1,
      ]),
      days: 10,
      standIns: [],
    };
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

  it('would pass too often without the asked-for losses: no resampling can draw a loss it has not seen', () => {
    const blind = { lossesMinimum: 0 };
    const passed = Array.from({ length: RUNS }, (_value, seed) =>
      judged(fairTrack(seed, 0.99), { draws: 200, ...blind }, seed),
    ).filter((evidence) => evidence.passed).length;
    expect(passed).toBeGreaterThan(binomialUpperCount(RUNS, LEVEL, 0.001));
  });
});
