import { VENUE_A, VENUE_A_TRAITS } from '../../../../config/limits/venue-a.ts';
import { AppError } from '../../../domain/errors.ts';
import type { TradeSide } from '../../../domain/order.ts';
import {
  TICKS_PER_USD,
  formatDecimal,
  formatPrice,
  mulDiv,
  type PriceTicks,
  type ShareMicros,
  type UsdcMicros,
} from '../../../domain/units.ts';

/**
 * The two amounts of an order: what it gives (the venue's makerAmount) and what it gets (its
 * takerAmount), in micros of USDC or shares by side.
 */
export interface OrderAmounts {
  readonly spendMicros: number;
  readonly receiveMicros: number;
}

/** A resting order: a number of shares at a price. */
export interface LimitTerms {
  readonly side: TradeSide;
  readonly price: PriceTicks;
  readonly shares: ShareMicros;
  readonly tick: PriceTicks;
}

/**
 * A market order: what its maker gives, USDC for a buy and shares for a sale, and the worst price
 * that is accepted.
 */
export type MarketTerms = {
  readonly price: PriceTicks;
  readonly tick: PriceTicks;
} & (
  | { readonly side: 'buy'; readonly usdc: UsdcMicros }
  | { readonly side: 'sell'; readonly shares: ShareMicros }
);

const { shareStepMicros: SHARE_STEP, cashStepMicros: MARKET_USDC_STEP } = VENUE_A_TRAITS;
const MARKET_TAKER_STEP = VENUE_A.marketReceiveStepMicros;

/**
 * Amounts of a limit order: shares rounded down to hundredths, money exact, since a price of at
 * most four decimals times hundredths has at most six. Errors: `price_off_tick`,
 * `price_out_of_range`, `amount_too_small`.
 */
export function limitAmounts(terms: LimitTerms): OrderAmounts {
  assertPrice(terms.price, terms.tick);
  const shares = floorTo(terms.shares, SHARE_STEP);
  const usdc = mulDiv(shares, terms.price, TICKS_PER_USD, 'floor');
  return bySide(terms.side, shares, usdc);
}

/**
 * Amounts of a market order under the venue's fixed rule: the side given is rounded down to two
 * decimals, the side taken to four, never up, for a taken amount rounded up asks for a better price
 * than the book has. Errors: `price_off_tick`, `price_out_of_range`, `amount_too_small`. Source:
 * venue_a.md section 5.2.
 */
export function marketAmounts(terms: MarketTerms): OrderAmounts {
  assertPrice(terms.price, terms.tick);
  if (terms.side === 'buy') {
    const usdc = floorTo(terms.usdc, MARKET_USDC_STEP);
    return bySide(
      'buy',
      floorTo(mulDiv(usdc, TICKS_PER_USD, terms.price, 'floor'), MARKET_TAKER_STEP),
      usdc,
    );
  }
  const shares = floorTo(terms.shares, SHARE_STEP);
  return bySide(
    'sell',
    shares,
    floorTo(mulDiv(shares, terms.price, TICKS_PER_USD, 'floor'), MARKET_TAKER_STEP),
  );
}

function assertPrice(price: PriceTicks, tick: PriceTicks): void {
  const isInRange = price >= tick && price <= TICKS_PER_USD - tick;
  if (isInRange && price % tick === 0) return;
  const wanted = `a multiple of ${formatPrice(tick)} between ${formatPrice(tick)} and ${formatDecimal(TICKS_PER_USD - tick, 4)}`;
  throw new AppError(
    isInRange ? 'price_off_tick' : 'price_out_of_range',
    `the price must be ${wanted}, not ${formatPrice(price)}`,
    { fields: [{ path: '/price', message: `must be ${wanted}` }] },
  );
}

function floorTo(micros: number, step: number): number {
  return micros - (micros % step);
}

function bySide(side: TradeSide, shares: number, usdc: number): OrderAmounts {
  if (shares <= 0 || usdc <= 0) {
    throw new AppError(
      'amount_too_small',
      `nothing is left after rounding: ${formatDecimal(shares, 6)} shares for ${formatDecimal(usdc, 6)} USDC`,
      { fields: [{ path: '/amount', message: 'nothing is left after rounding' }] },
    );
  }
  return side === 'buy'
    ? { spendMicros: usdc, receiveMicros: shares }
    : { spendMicros: shares, receiveMicros: usdc };
}
