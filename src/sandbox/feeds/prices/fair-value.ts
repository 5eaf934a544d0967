import type { Asset } from '../../../domain/ids.ts';
import { wideTailedCdf } from '../../../domain/probability.ts';
import { EXCHANGE_BASIS } from '../../calibration/calibration.ts';
import { EXCHANGE_SLOT_MS, type ExchangePrices } from './exchange-prices.ts';
import { hashedNormal } from '../../hashed-chance.ts';
import { toUsd, TWAP, type SettlementPrices, type SettlementRule } from './settlement-prices.ts';

/** One window as makers see it. */
export interface WindowView {
  readonly asset: Asset;
  readonly strikeE18: bigint;
  readonly endsAtMs: number;
  readonly nowMs: number;
  /** Stream of chance of the market. */
  readonly stream: number;
}

/** Makers follow the exchange, this late. */
const REACTION_MS = 300;
const VOLATILITY_SECONDS = 900;
const VOLATILITY_STEP = 10;
/**
 * Makers disagree with the formula by about this many standard deviations, drifting over this long.
 * Not calibrated.
 */
const OPINION = 0.12;
const OPINION_LIFE_MS = 15_000;
/** No trader is surer than half a second's worth of moves. */
const LEAST_SECONDS = 0.5;

/**
 * The makers' chance of Up from ln(S/K) ÷ (σ√τ), with the exchange's price less its usual basis,
 * and a drifting opinion. Not Φ but Student's t with four degrees of freedom: σ is an estimate and
 * moves have jumps, so Φ is too sure. With t the stated chances come true over the modelled
 * windows, and about as many books run out of one side as in the recordings.
 */
export function createFairValue(options: {
  readonly seed: number;
  readonly prices: SettlementPrices;
  readonly exchange: ExchangePrices;
  readonly rule: SettlementRule;
}): (view: WindowView) => number | null {
  const { seed, prices, exchange, rule } = options;
  const volatilityOf = recentVolatility(prices);
  return (view) => {
    const { asset, strikeE18, nowMs, stream } = view;
    const top = exchange.best(asset, Math.floor((nowMs - REACTION_MS) / EXCHANGE_SLOT_MS));
    if (top === null) return null;
    const spot = ((top.bidCents + top.askCents) / 200) * Math.exp(-EXCHANGE_BASIS.mean);
    const { price, seconds } =
      rule === 'spot' ? spotEnd(spot, view) : averagedEnd(prices, spot, view);
    const deviations =
      Math.log(price / toUsd(strikeE18)) /
      (volatilityOf(asset, nowMs) * Math.sqrt(Math.max(LEAST_SECONDS, seconds)));
    const knots = nowMs / OPINION_LIFE_MS;
    const [from, to] = [
      hashedNormal(seed, stream, Math.floor(knots)),
      hashedNormal(seed, stream, Math.floor(knots) + 1),
    ];
    return wideTailedCdf(deviations + OPINION * (from + (to - from) * (knots - Math.floor(knots))));
  };
}

/** Expected final value, and for how many seconds of usual moves it may still wander. */
interface ExpectedEnd {
  readonly price: number;
  readonly seconds: number;
}

function spotEnd(spot: number, { endsAtMs, nowMs }: WindowView): ExpectedEnd {
  return { price: spot, seconds: (endsAtMs - nowMs) / 1000 };
}

/**
 * An average wanders less than a price: with n of its N seconds to come, the known part is fixed
 * and the rest has the variance of n³ ÷ (3 N²) seconds; before it begins, the time until then and a
 * third of N.
 */
function averagedEnd(
  prices: SettlementPrices,
  spot: number,
  { asset, endsAtMs, nowMs }: WindowView,
): ExpectedEnd {
  const last = endsAtMs / 1000 - TWAP.trailSeconds;
  const now = nowMs / 1000;
  const coming = Math.min(TWAP.seconds, Math.max(0, last - now));
  if (coming === TWAP.seconds)
    return { price: spot, seconds: last - TWAP.seconds - now + TWAP.seconds / 3 };
  let known = 0;
  let count = 0;
  for (let second = last - TWAP.seconds + 1; second <= Math.min(now, last); second += 1) {
    const value = prices.valueAt(asset, second);
    if (value === null) continue;
    known += value;
    count += 1;
  }
  const price =
    count === 0 ? spot : ((known / count) * (TWAP.seconds - coming) + spot * coming) / TWAP.seconds;
  return { price, seconds: coming ** 3 / (3 * TWAP.seconds ** 2) };
}

/** Standard deviation of log moves per square root of a second over the last quarter of an hour. */
function recentVolatility(prices: SettlementPrices): (asset: Asset, nowMs: number) => number {
  const known = new Map<Asset, { readonly step: number; readonly value: number }>();
  return (asset, nowMs) => {
    const step = Math.floor(nowMs / 1000 / VOLATILITY_STEP);
    const before = known.get(asset);
    if (before?.step === step) return before.value;
    let sum = 0;
    let count = 0;
    for (
      let second = step * VOLATILITY_STEP - VOLATILITY_SECONDS;
      second < step * VOLATILITY_STEP;
      second += VOLATILITY_STEP
    ) {
      const [from, to] = [
        prices.valueAt(asset, second),
        prices.valueAt(asset, second + VOLATILITY_STEP),
      ];
      if (from === null || to === null) continue;
      sum += Math.log(to / from) ** 2;
      count += 1;
    }
    const value = Math.max(1e-6, Math.sqrt(sum / Math.max(1, count) / VOLATILITY_STEP));
    known.set(asset, { step, value });
    return value;
  };
}
