import { assert } from './errors.ts';
import type { FeeSchedule } from './market.ts';
import {
  TICKS_PER_USD,
  mulDiv,
  usdcMicros,
  type PriceTicks,
  type ShareMicros,
  type UsdcMicros,
} from './units.ts';

/**
 * The venue charges in steps of 0.00001 USDC; less than one step is no fee (venue_a.md section
 * 5.3).
 */
const FEE_STEP_MICROS = 10n;
/**
 * Each leg's fee is rounded half up to 10 micros and its money down to one: 6 micros a leg at most,
 * for 160 legs (venue_a.md section 5.3).
 */
const FEE_ROUNDING_MICROS = 1_000;

/**
 * Taker fee of one matched leg: shares × rate × (p × (1 − p))^exponent, rounded half up to 5
 * decimals. Zero without a schedule, and below the smallest step. Source: venue_a.md section 5.3.
 */
export function takerFeeMicros(
  shares: ShareMicros,
  price: PriceTicks,
  schedule: FeeSchedule | null,
): UsdcMicros {
  if (schedule === null) return usdcMicros(0);
  const one = BigInt(TICKS_PER_USD);
  const variance = BigInt(price) * (one - BigInt(price));
  let numerator = BigInt(shares) * BigInt(schedule.rateMicros);
  let denominator = 1_000_000n;
  for (let power = 0; power < schedule.exponent; power += 1) {
    numerator *= variance;
    denominator *= one * one;
  }
  const steps =
    (numerator * 2n + denominator * FEE_STEP_MICROS) / (denominator * FEE_STEP_MICROS * 2n);
  return usdcMicros(Number(steps * FEE_STEP_MICROS));
}

/**
 * The largest taker fee that spending `usdcMicros` can meet at any price. A dollar spent at price p
 * pays rate × (1 − p)^e × p^(e−1): at most the rate for e = 1, and 4/27 of it, at p = 1/3, for e =
 * 2.
 */
export function worstBuyFee(spentMicros: number, schedule: FeeSchedule | null): UsdcMicros {
  if (schedule === null || schedule.rateMicros === 0) return usdcMicros(0);
  assert(schedule.exponent >= 1, `a fee exponent from 1, not ${schedule.exponent}`);
  const [part, whole] = schedule.exponent === 2 ? [4, 27] : [1, 1];
  return usdcMicros(
    mulDiv(spentMicros, schedule.rateMicros * part, 1_000_000 * whole, 'ceil') +
      FEE_ROUNDING_MICROS,
  );
}
