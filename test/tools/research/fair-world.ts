import type {
  RecordedSeries,
  SeriesEvent,
  SeriesRound,
} from '../../../src/tools/research/series.ts';
import { normalCdf } from '../../../src/domain/probability.ts';
import type { Asset } from '../../../src/domain/ids.ts';
import {
  assetPriceE8,
  priceTicks,
  shareMicros,
  type PriceTicks,
} from '../../../src/domain/units.ts';
import { normalDraws } from '../../support/normal-draws.ts';

const VOLATILITY = 0.000_05;
const STEP_SECONDS = 5;
const START_MS = 1_780_876_800_000;

/**
 * A world in which no strategy can have an edge: the price walks at random, and both books trade at
 * exactly the chance of their outcome, without a spread, for the first `seenSeconds` of each round.
 * Whatever a strategy does there, its profit before fees is a sum of fair bets.
 */
export function fairWorld(
  seed: number,
  {
    asset,
    minutes,
    rounds,
    seenSeconds,
  }: {
    readonly asset: Asset;
    readonly minutes: 5 | 15;
    readonly rounds: number;
    readonly seenSeconds: number;
  },
): RecordedSeries {
  const normal = normalDraws(`fair world ${asset} ${seed}`);
  const ended: SeriesRound[] = [];
  const events: SeriesEvent[] = [];
  let price = 65_000e8;
  for (let round = 0; round < rounds; round += 1) {
    const startsAtMs = START_MS + round * minutes * 60_000;
    const slug = `${asset}-${minutes}m-${round}`;
    const strike = assetPriceE8(Math.round(price));
    events.push({ kind: 'opening', atMs: startsAtMs, slug, strike, exchange: strike });
    const step = (seconds: number): void =>
      void (price *= Math.exp(VOLATILITY * Math.sqrt(seconds) * normal()));
    for (let second = 0; second < seenSeconds; second += STEP_SECONDS) {
      const atMs = startsAtMs + second * 1_000;
      const now = assetPriceE8(Math.round(price));
      // The chance of this walk, whatever the strategies reckon with.
      const chance = normalCdf(
        Math.log(now / strike) / (VOLATILITY * Math.sqrt(minutes * 60 - second)),
      );
      events.push(
        { kind: 'oracle', atMs, sourceAtMs: atMs, price: now },
        { kind: 'exchange', atMs, sourceAtMs: atMs, price: now },
        quotesAt(atMs, slug, chance),
      );
      step(STEP_SECONDS);
    }
    step(minutes * 60 - seenSeconds);
    ended.push({
      slug,
      asset,
      minutes,
      startsAtMs,
      endsAtMs: startsAtMs + minutes * 60_000,
      winner: Math.round(price) >= strike ? 0 : 1,
    });
  }
  return { name: `fair ${asset}`, rounds: ended, events, standIns: [] };
}

function quotesAt(atMs: number, slug: string, chance: number): SeriesEvent {
  const up = Math.min(9_999, Math.max(1, Math.round(chance * 10_000)));
  const [first, second] = [priceTicks(up), priceTicks(10_000 - up)];
  return {
    kind: 'quotes',
    atMs,
    slug,
    quotes: { tops: [topAt(first), topAt(second)], buyPrices: [first, second] },
  };
}

function topAt(price: PriceTicks) {
  const level = { price, size: shareMicros(1_000_000_000) };
  return { bid: level, ask: level };
}
