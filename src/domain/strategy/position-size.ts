import type { AgentSettings } from '../agent.ts';
import type { FeeSchedule, Market } from '../market.ts';
import { costMicros, mulDiv, usdcMicros, type PriceTicks, type UsdcMicros } from '../units.ts';
import { worstBuyFee } from '../fees.ts';

/** What a size is cut from. */
export interface SizeQuestion {
  readonly settings: Pick<AgentSettings, 'minPositionSize' | 'avgPositionSize' | 'maxPositionSize'>;
  readonly availableUsdc: UsdcMicros;
  /** Least the venue takes, in USDC; zero where the settings' own minimum is above it anyway. */
  readonly leastUsdc: UsdcMicros;
  readonly fee: FeeSchedule | null;
}

/**
 * Size of an entry in USDC: the average size between minimum and maximum, more where the venue
 * takes no less, less where cash does not also cover the largest fee that is set aside with it;
 * null when not even the minimum is covered, or the venue's least is above the maximum.
 */
export function positionSize({
  settings,
  availableUsdc,
  leastUsdc,
  fee,
}: SizeQuestion): UsdcMicros | null {
  const minimum = Math.max(settings.minPositionSize, leastUsdc);
  if (minimum > settings.maxPositionSize) return null;
  const wanted = usdcMicros(
    Math.min(Math.max(settings.avgPositionSize, minimum), settings.maxPositionSize),
  );
  if (mostSetAside(wanted, fee) <= availableUsdc) return wanted;
  const fixed = worstBuyFee(0, fee);
  // One micro less for the fee's rounding up.
  const spendable = availableUsdc - fixed - 1;
  if (spendable <= 0) return null;
  const covered = mulDiv(
    spendable,
    spendable,
    spendable + worstBuyFee(spendable, fee) - fixed,
    'floor',
  );
  if (covered >= minimum) return usdcMicros(Math.min(covered, wanted));
  return mostSetAside(usdcMicros(minimum), fee) <= availableUsdc ? usdcMicros(minimum) : null;
}

/** Least USDC that a bid at `price` may be for in a market: its smallest number of shares. */
export function leastBid({ minSize }: Pick<Market, 'minSize'>, price: PriceTicks): UsdcMicros {
  return costMicros(minSize, price, 'ceil');
}

/** Most that an entry of this size sets aside: the size and the largest fee it can meet. */
export function mostSetAside(amountUsdc: UsdcMicros, fee: FeeSchedule | null): UsdcMicros {
  return usdcMicros(amountUsdc + worstBuyFee(amountUsdc, fee));
}
