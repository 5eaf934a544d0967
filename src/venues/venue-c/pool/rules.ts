import { VENUE_C_POOL } from '../../../../config/limits/venue-c.ts';
import { AppError } from '../../../domain/errors.ts';
import type { TradeSide } from '../../../domain/order.ts';
import {
  TICKS_PER_USD,
  costMicros,
  formatMicros,
  mulDiv,
  shareMicros,
  usdcMicros,
} from '../../../domain/units.ts';
import type { OrderRules } from '../../../ports/order-rules.ts';
import { assertNotTooMany, assertPrice, assertStep, bySide, pricedBy } from '../order-terms.ts';

/**
 * Rules of orders that are trades with a pool (venue_c.md section 9): all of it or nothing, at a
 * price or better on the whole. The contract is asked for dollars, so that a purchase of a number
 * of shares may bring some millionths more, and a sale may leave some.
 */
export const poolRules: OrderRules = {
  assertStep,
  terms(question) {
    const { market, side, amount, type } = question;
    // A pool moves with each trade: whoever states how far it may is not held to less.
    const isBounded = type.kind === 'market' && type.worstPrice !== undefined;
    const slippageTicks = isBounded ? TICKS_PER_USD : VENUE_C_POOL.slippageTicks;
    const { price, offered } = pricedBy(question, slippageTicks);
    assertPrice(price, market.tickSize);
    const { unit, micros } = amount;
    const shares =
      unit === 'shares' ? micros : (offered ?? mulDiv(micros, TICKS_PER_USD, price, 'floor'));
    assertNotTooMany(shares);
    assertWorth(side, unit === 'usdc' ? micros : costMicros(shareMicros(shares), price, 'ceil'));
    if (side === 'buy' && unit === 'usdc')
      return { price, spendMicros: micros, receiveMicros: shares, exact: 'spend' };
    return { price, ...bySide(side, shares, price), exact: side === 'buy' ? 'receive' : 'spend' };
  },
  rest({ side, price, exact, spendMicros, receiveMicros }, filled) {
    const shares =
      side === 'sell'
        ? spendMicros - filled.shares
        : exact === 'receive'
          ? receiveMicros - filled.shares
          : mulDiv(spendMicros - filled.usdc, TICKS_PER_USD, price, 'floor');
    return costMicros(shareMicros(Math.max(shares, 0)), price, 'floor') <
      VENUE_C_POOL.leastUsdcMicros[side]
      ? null
      : bySide(side, shares, price);
  },
  // What the pool keeps is inside its prices.
  worstFee: () => usdcMicros(0),
  mostSetAside: (_market, amountUsdc) => amountUsdc,
  feeOf: () => usdcMicros(0),
};

function assertWorth(side: TradeSide, micros: number): void {
  if (micros >= VENUE_C_POOL.leastUsdcMicros[side]) return;
  const least = formatMicros(usdcMicros(VENUE_C_POOL.leastUsdcMicros[side]));
  throw new AppError(
    'amount_too_small',
    `a trade with a pool is worth at least ${least} USDC, for each costs gas`,
    { fields: [{ path: '/amount', message: `worth at least ${least} USDC` }] },
  );
}
