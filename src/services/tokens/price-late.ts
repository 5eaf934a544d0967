import { TOKEN_PRICES } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import type { PricedToken, TokenPrices } from './token-prices.ts';

/**
 * Refuses for now what is decided by a price that has not come in time: it is neither unknown, nor
 * may an older one stand for it (L8). Errors: `price_late`, retryable.
 */
export function assertNotLate(
  prices: Pick<TokenPrices, 'isLate'>,
  wanted: readonly PricedToken[],
): void {
  const late = wanted.find(({ chain, address }) => prices.isLate(chain, address));
  if (late === undefined) return;
  const { name, native } = web3Chain(late.chain);
  throw new AppError(
    'price_late',
    `our price of ${late.address ?? native.symbol} on ${name} is late`,
    { retryable: true, retryAfterMs: TOKEN_PRICES.lateRetryMs },
  );
}
