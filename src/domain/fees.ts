import type { FeeSchedule } from './market.ts';
import {
  TICKS_PER_USD,
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
