import type { AgentSettings } from '../agent.ts';
import type { FeeSchedule } from '../market.ts';
import type { UsdcMicros } from '../units.ts';
import { worstBuyFee } from '../risk.ts';
import { mulDiv, usdcMicros } from '../units.ts';

/** What a size is cut from. */
export interface SizeQuestion {
  readonly settings: Pick<AgentSettings, 'minPositionSize' | 'avgPositionSize' | 'maxPositionSize'>;
  readonly availableUsdc: UsdcMicros;
  readonly fee: FeeSchedule | null;
}

/**
 * Size of an entry in USDC: the average size between minimum and maximum, less where cash does not also cover the largest
 * fee that is set aside with it; null when not even the minimum is covered.
 */
export function positionSize({ settings, availableUsdc, fee }: SizeQuestion): UsdcMicros | null {
  const wanted = usdcMicros(Math.min(Math.max(settings.avgPositionSize, settings.minPositionSize), settings.maxPositionSize));
  if (mostSetAside(wanted, fee) <= availableUsdc) return wanted;
  const fixed = worstBuyFee(0, fee);
  // One micro less for the fee's rounding up.
  const spendable = availableUsdc - fixed - 1;
  if (spendable <= 0) return null;
  const covered = mulDiv(spendable, spendable, spendable + worstBuyFee(spendable, fee) - fixed, 'floor');
  return covered < settings.minPositionSize ? null : usdcMicros(Math.min(covered, wanted));
}

/** Most that an entry of this size sets aside: the size and the largest fee it can meet. */
export function mostSetAside(amountUsdc: UsdcMicros, fee: FeeSchedule | null): UsdcMicros {
  return usdcMicros(amountUsdc + worstBuyFee(amountUsdc, fee));
}
