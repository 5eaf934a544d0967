import type { Asset } from '../../../domain/ids.ts';
import { hashedNormal, hashedUniform } from '../../hashed-chance.ts';
import type { SettlementPrices } from './settlement-prices.ts';

/** A topic of the inference network (feeds.md section 1.2). */
export interface InferenceTopic {
  readonly topicId: number;
  readonly asset: Asset;
  readonly horizon: '5m' | '8h';
  readonly horizonSeconds: number;
  readonly epochBlocks: number;
}

/** Topics the world serves; an epoch is as long as the horizon. */
export const INFERENCE_TOPICS: readonly InferenceTopic[] = [
  topic(13, 'ETH', '5m'),
  topic(14, 'BTC', '5m'),
  topic(17, 'ETH', '8h'),
  topic(18, 'BTC', '8h'),
  topic(37, 'SOL', '5m'),
  topic(38, 'SOL', '8h'),
];

/** One prediction of the network: prices in USD. */
export interface NetworkInference {
  readonly topic: InferenceTopic;
  /** Begin of the epoch, epoch seconds: the age counts from here. */
  readonly atSecond: number;
  readonly value: number;
  /** At the percentiles 2.28, 15.87, 50, 84.13 and 97.72, ascending. */
  readonly interval: readonly [number, number, number, number, number];
}

/** Seconds between the moment an inference speaks of and its being served. */
const INFERENCE_DELAY_SECONDS = 4;
const STREAM = 400;
const PHASE_STREAM = 500;
const VOLATILITY_SECONDS = 3_600;
const VOLATILITY_STEP = 30;

/**
 * Makes the prediction served at a moment, null while there is no price. The prediction is the
 * price at the begin of the epoch moved by a return of the usual size, drawn so that it correlates
 * with the coming one by the stated skill.
 */
export function createInferenceModel({
  seed,
  prices,
  skill,
}: {
  readonly seed: number;
  readonly prices: SettlementPrices;
  /**
   * Correlation of the predicted with the coming return, 0 to 1. A direction is right in 1/2 +
   * asin(skill)/π of the cases: 0.1 makes 53.2 %.
   */
  readonly skill: number;
}): (topic: InferenceTopic, nowSecond: number) => NetworkInference | null {
  if (!(skill >= 0 && skill <= 1))
    throw new RangeError(`skill is a correlation from 0 to 1, not ${skill}`);
  return (asked, nowSecond) => {
    const atSecond = epochStart(seed, asked, nowSecond - INFERENCE_DELAY_SECONDS);
    const price = prices.valueAt(asked.asset, atSecond);
    if (price === null) return null;
    const deviation = usualReturn(prices, asked, atSecond);
    const noise = hashedNormal(seed, STREAM + asked.topicId, atSecond);
    const coming = prices.valueAt(asked.asset, atSecond + asked.horizonSeconds);
    const foreseen =
      coming === null ? null : Math.max(-4, Math.min(4, Math.log(coming / price) / deviation));
    const drawn =
      foreseen === null ? noise : skill * foreseen + Math.sqrt(1 - skill * skill) * noise;
    const value = price * Math.exp(deviation * drawn);
    const at = (deviations: number) => value * Math.exp(deviation * deviations);
    return { topic: asked, atSecond, value, interval: [at(-2), at(-1), at(0), at(1), at(2)] };
  };
}

/** Epochs do not begin on the round windows: each topic has a phase of its own. */
function epochStart(
  seed: number,
  { topicId, horizonSeconds }: InferenceTopic,
  second: number,
): number {
  const phase = Math.floor(hashedUniform(seed, PHASE_STREAM + topicId, 0) * horizonSeconds);
  return Math.floor((second - phase) / horizonSeconds) * horizonSeconds + phase;
}

/** Spread of the returns over the horizon, from the hour before the epoch. */
function usualReturn(
  prices: SettlementPrices,
  { asset, horizonSeconds }: InferenceTopic,
  atSecond: number,
): number {
  let sum = 0;
  let count = 0;
  for (let second = atSecond - VOLATILITY_SECONDS; second < atSecond; second += VOLATILITY_STEP) {
    const [from, to] = [
      prices.valueAt(asset, second),
      prices.valueAt(asset, second + VOLATILITY_STEP),
    ];
    if (from === null || to === null) continue;
    sum += Math.log(to / from) ** 2;
    count += 1;
  }
  const floor = 1e-6;
  return count === 0
    ? floor * Math.sqrt(horizonSeconds)
    : Math.max(floor, Math.sqrt(sum / count / VOLATILITY_STEP)) * Math.sqrt(horizonSeconds);
}

function topic(topicId: number, asset: Asset, horizon: '5m' | '8h'): InferenceTopic {
  return horizon === '5m'
    ? { topicId, asset, horizon, horizonSeconds: 300, epochBlocks: 60 }
    : { topicId, asset, horizon, horizonSeconds: 28_800, epochBlocks: 5_760 };
}
