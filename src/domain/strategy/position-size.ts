import type { AgentSettings } from '../agent.ts';
import type { Market } from '../market.ts';
import { costMicros, mulDiv, usdcMicros, type PriceTicks, type UsdcMicros } from '../units.ts';

/** What a size is cut from. */
export interface SizeQuestion {
  readonly settings: Pick<AgentSettings, 'minPositionSize' | 'avgPositionSize' | 'maxPositionSize'>;
  readonly availableUsdc: UsdcMicros;
  /** Least the venue takes, in USDC; zero where the settings' own minimum is above it anyway. */
  readonly leastUsdc: UsdcMicros;
  /** Most that a buy for a sum of money sets aside by its venue's rules, its fee included. */
  readonly mostSetAside: (amountUsdc: UsdcMicros) => UsdcMicros;
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
  mostSetAside,
}: SizeQuestion): UsdcMicros | null {
  const minimum = Math.max(settings.minPositionSize, leastUsdc);
  if (minimum > settings.maxPositionSize) return null;
  const wanted = usdcMicros(
    Math.min(Math.max(settings.avgPositionSize, minimum), settings.maxPositionSize),
  );
  if (mostSetAside(wanted) <= availableUsdc) return wanted;
  const fixed = mostSetAside(usdcMicros(0));
  // One micro less for the fee's rounding up.
  const spendable = usdcMicros(availableUsdc - fixed - 1);
  if (spendable <= 0) return null;
  const covered = mulDiv(spendable, spendable, mostSetAside(spendable) - fixed, 'floor');
  if (covered >= minimum) return usdcMicros(Math.min(covered, wanted));
  return mostSetAside(usdcMicros(minimum)) <= availableUsdc ? usdcMicros(minimum) : null;
}

/** Least USDC that a bid at `price` may be for in a market: its smallest number of shares. */
export function leastBid({ minSize }: Pick<Market, 'minSize'>, price: PriceTicks): UsdcMicros {
  return costMicros(minSize, price, 'ceil');
}
