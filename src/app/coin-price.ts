import type { CoinPrice } from '../services/orders/estimate.ts';
import { web3Chain } from '../domain/web3-chains.ts';
import type { ExchangePrices } from '../../streams/exchange.ts';

/** The exchange's prices have eight decimals (AssetPriceE8). */
const E18_OF_E8 = 10n ** 10n;

/**
 * Creates the reader of what coins are worth by the exchange: none while its price is absent or
 * stale (L8), and none of a coin that is not followed there.
 */
export function coinPriceOf({ price }: Pick<ExchangePrices, 'price'>): CoinPrice {
  return (chain) => {
    const { pricedAs } = web3Chain(chain).native;
    if (pricedAs === null) return null;
    const now: { e8: number | null } = { e8: null };
    // the newest reading comes while it is subscribed to
    price(pricedAs)
      .subscribe((reading) => (now.e8 = reading?.value ?? null))
      .unsubscribe();
    return now.e8 === null ? null : BigInt(now.e8) * E18_OF_E8;
  };
}
