import type { AgentSettings } from '../agent.ts';
import type { FeeSchedule } from '../market.ts';
import type { PriceTicks, UsdcMicros } from '../units.ts';
import { takerFeeMicros } from '../fees.ts';
import { mulDiv, sharesFor, usdcMicros } from '../units.ts';

/** What a size is cut from. */
export interface SizeQuestion {
  readonly settings: Pick<AgentSettings, 'minPositionSize' | 'avgPositionSize' | 'maxPositionSize'>;
  readonly availableUsdc: UsdcMicros;
  /** Price at which the taker fee is reckoned. */
  readonly ask: PriceTicks;
  readonly fee: FeeSchedule | null;
}

/** Fees are rounded to steps of ten micros (venue_a.md section 5.3): half a step up, taken whole. */
const FEE_ROUNDING_MICROS = 10;

/**
 * Size of an entry in USDC: the average size between minimum and maximum, less where cash does not also cover the taker
 * fee; null when not even the minimum is covered.
 */
export function positionSize({ settings, availableUsdc, ask, fee }: SizeQuestion): UsdcMicros | null {
  const wanted = Math.min(Math.max(settings.avgPositionSize, settings.minPositionSize), settings.maxPositionSize);
  const feeOn = (amount: number): number => takerFeeMicros(sharesFor(usdcMicros(amount), ask), ask, fee);
  if (wanted + feeOn(wanted) <= availableUsdc) return usdcMicros(wanted);
  if (availableUsdc <= 0) return null;
  const covered = Math.min(wanted, mulDiv(availableUsdc, availableUsdc, availableUsdc + feeOn(availableUsdc), 'floor') - FEE_ROUNDING_MICROS);
  return covered < settings.minPositionSize ? null : usdcMicros(covered);
}
