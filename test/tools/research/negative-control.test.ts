import { describe, expect, it } from 'vitest';
import { EVIDENCE } from '../../../config/limits/research.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { playSeries } from '../../../src/tools/research/play-series.ts';
import { STAND_INS, type StandIn } from '../../../src/tools/research/stand-ins.ts';
import { openTradeBook, type TradeBook } from '../../../src/tools/research/trade-book.ts';
import { evidenceGate } from '../../../src/domain/evidence/evidence-gate.ts';
import type { Asset } from '../../../src/domain/ids.ts';
import type { StrategyRow } from '../../../src/domain/strategy/strategy-row.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { binomialUpperCount } from '../../support/recordings/binomial.ts';
import { runs } from '../../support/sampled.ts';
import { fairWorld } from './fair-world.ts';

const RUNS = runs(20, 200);
const ROUNDS = 70;
/** Many runs: the usual limit would measure the machine. */
const TIMEOUT_MS = 600_000;
const LEVEL = EVIDENCE.levelPercent / 100;
/** Shorter records than in earnest, so that many runs fit; everything else is the gate's. */
const THRESHOLDS = {
  ...EVIDENCE,
  tradesMinimum: 30,
  winsMinimum: 5,
  lossesMinimum: 5,
  daysMinimum: 0,
  level: LEVEL,
  comparisons: 1,
  draws: 300,
};

function standIn(id: StandIn['id']): StandIn {
  const found = STAND_INS.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no stand-in ${id}`);
  return found;
}

/** Profit before fees: with them no strategy would come near the gate. */
function passes(book: TradeBook, seed: number): boolean {
  const random = createSeededRandom(`gate ${seed}`);
  const returns = book
    .trades()
    .map(({ profitMicros, feesMicros, stakeMicros }) => [
      (profitMicros + feesMicros) / stakeMicros,
    ]);
  // These worlds last one day, and no record of one day passes by days.
  return evidenceGate({ returns, byDay: [returns.flat()], standIns: [] }, THRESHOLDS, (bound) =>
    random.integer(bound),
  ).criteria.every(({ name, passed }) => passed || name === 'lower bound by day');
}

/** How many of the runs each row passes the gate in. */
function passesOf(
  rows: readonly StrategyRow[],
  minutes: 5 | 15,
  asset: Asset,
): ReadonlyMap<string, number> {
  const counts = new Map(rows.map(({ strategy }) => [strategy, 0]));
  for (let seed = 0; seed < RUNS; seed += 1) {
    const books = rows.map((row) =>
      openTradeBook(row, standIn(minutes === 5 ? 'always_agrees' : 'no_skill')),
    );
    playSeries(
      fairWorld(seed, { asset, minutes, rounds: ROUNDS, seenSeconds: minutes === 5 ? 270 : 15 }),
      (moment) => {
        for (const book of books) book.see(moment);
      },
    );
    for (const book of books)
      if (passes(book, seed))
        counts.set(book.row.strategy, (counts.get(book.row.strategy) ?? 0) + 1);
  }
  return counts;
}

describe('negative control: strategies in a world of fair prices', () => {
  // With a true chance of the level, more passes than this come in one of a thousand tests.
  const most = binomialUpperCount(RUNS, LEVEL, 0.001);

  it.each([
    ['btc_5min', 5, 'BTC'],
    ['btc_15min', 15, 'BTC'],
    ['eth_15min', 15, 'ETH'],
    ['sol_15min', 15, 'SOL'],
  ] as const)(
    'no strategy of %s passes the gate more often than its level allows',
    (agentId, minutes, asset) => {
      const counts = passesOf(STRATEGIES.of(agentId), minutes, asset);
      expect(counts.size).toBeGreaterThan(1);
      for (const [strategy, count] of counts)
        expect([strategy, count <= most]).toEqual([strategy, true]);
    },
    TIMEOUT_MS,
  );
});
