import type { Asset } from '../../domain/ids.ts';
import { normalCdf } from '../../domain/probability.ts';
import { EXCHANGE_BASIS } from './calibration.ts';
import { EXCHANGE_SLOT_MS, type ExchangePrices } from './exchange-prices.ts';
import { hashedNormal } from './hashed-chance.ts';
import { toUsd, type SettlementPrices } from './settlement-prices.ts';

/** What makers reckon with. */
export interface FairValueOptions {
  readonly seed: number;
  readonly prices: SettlementPrices;
  readonly exchange: ExchangePrices;
}

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
/** Makers disagree with the formula by about this many standard deviations, drifting over this long. Not calibrated. */
const OPINION = 0.12;
const OPINION_LIFE_MS = 15_000;

/** The makers' chance of Up: Φ(ln(S/K) ÷ (σ√τ)) with the exchange's price less its usual basis, and a drifting opinion. */
export function createFairValue({ seed, prices, exchange }: FairValueOptions): (view: WindowView) => number | null {
  const volatilities = new Map<Asset, { readonly step: number; readonly value: number }>();

  function volatility(asset: Asset, nowMs: number): number {
    const step = Math.floor(nowMs / 1000 / VOLATILITY_STEP);
    const known = volatilities.get(asset);
    if (known?.step === step) return known.value;
    let sum = 0;
    let count = 0;
    for (let second = step * VOLATILITY_STEP - VOLATILITY_SECONDS; second < step * VOLATILITY_STEP; second += VOLATILITY_STEP) {
      const [from, to] = [prices.valueAt(asset, second), prices.valueAt(asset, second + VOLATILITY_STEP)];
      if (from === null || to === null) continue;
      sum += Math.log(to / from) ** 2;
      count += 1;
    }
    const value = Math.max(1e-6, Math.sqrt(sum / Math.max(1, count) / VOLATILITY_STEP));
    volatilities.set(asset, { step, value });
    return value;
  }

  return ({ asset, strikeE18, endsAtMs, nowMs, stream }) => {
    const top = exchange.quote(asset, Math.floor((nowMs - REACTION_MS) / EXCHANGE_SLOT_MS));
    if (top === null) return null;
    const price = ((top.bidCents + top.askCents) / 200) * Math.exp(-EXCHANGE_BASIS.mean);
    const secondsLeft = Math.max(0.5, (endsAtMs - nowMs) / 1000);
    const deviations = Math.log(price / toUsd(strikeE18)) / (volatility(asset, nowMs) * Math.sqrt(secondsLeft));
    const knots = nowMs / OPINION_LIFE_MS;
    const [from, to] = [hashedNormal(seed, stream, Math.floor(knots)), hashedNormal(seed, stream, Math.floor(knots) + 1)];
    return normalCdf(deviations + OPINION * (from + (to - from) * (knots - Math.floor(knots))));
  };
}
