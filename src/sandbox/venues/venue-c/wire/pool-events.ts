import type { KnownPool } from '../amm/pools.ts';
import type { BookExchange } from '../model/exchange.ts';
import { pricesOf } from './market-shapes.ts';
import { yesPriceOf } from './pool-shapes.ts';

/** Prices of a pool, to who hears of its address (venue_c.md section 12). */
export function priceEvent(exchange: BookExchange, pool: KnownPool) {
  const [yesPrice, noPrice] = pricesOf(yesPriceOf(exchange, pool));
  const { address: marketAddress, market } = pool;
  return {
    marketAddress,
    updatedPrices: [{ marketId: market.id, marketAddress, yesPrice, noPrice }],
    blockNumber: pool.blockNumber,
    timestamp: iso(exchange.clock.nowMs()),
  };
}

/** What an account has of a pool's outcomes; micros. */
export function positionsEvent(
  account: string,
  { address, market }: KnownPool,
  shares: readonly [number, number],
) {
  return {
    account,
    marketAddress: address,
    positions: market.tokens.map((tokenId, outcomeIndex) => ({
      tokenId,
      balance: String(shares[outcomeIndex] ?? 0),
      outcomeIndex,
    })),
    type: 'AMM',
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
