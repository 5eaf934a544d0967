import { poolPrice } from '../../../../domain/fixed-product-pool.ts';
import type { OutcomeIndex } from '../../../../domain/market.ts';
import { fillPrice, type PoolFill } from '../amm/pool-fill.ts';
import type { KnownPool } from '../amm/pools.ts';
import type { BookExchange } from '../model/exchange.ts';
import { payoutMicros, type VenueMarket } from '../model/market.ts';
import { commonShape, pricesOf } from './market-shapes.ts';
import { formatted } from './replies.ts';

/** What YES is worth, 0 to 1: the pool's word, and its payout once the market has ended. */
export function yesPriceOf(exchange: BookExchange, pool: KnownPool): number {
  const ending = exchange.ending(pool.market);
  return ending === null ? poolPrice(pool, 0) : payoutMicros(ending, 0) / 1_000_000;
}

/** A market of a pool as listings and its own page show it (venue_c.md section 7.1). */
export function poolMarketShape(
  exchange: BookExchange,
  pool: KnownPool,
  fills: readonly PoolFill[],
) {
  const volume = fills.reduce((sum, { usdc }) => sum + usdc, 0);
  const held = Math.max(0, ...([0, 1] as const).map((outcome) => heldOf(fills, outcome)));
  const liquidity = valueOf(pool);
  return {
    ...commonShape(exchange, pool.market, volume),
    address: pool.address,
    outcomeTokens: ['Yes', 'No'],
    prices: pricesOf(yesPriceOf(exchange, pool)),
    liquidity: String(liquidity),
    liquidityFormatted: formatted(liquidity),
    openInterest: String(held),
    openInterestFormatted: formatted(held),
  };
}

/** A public trade with a pool, as one of a book is shown (venue_c.md section 7.3). */
export function fillEventShape(market: VenueMarket, fill: PoolFill) {
  const isBuy = fill.side === 'buy';
  return {
    createdAt: iso(fill.atMs),
    makerAmount: String(isBuy ? fill.usdc : fill.shares),
    takerAmount: String(isBuy ? fill.shares : fill.usdc),
    matchedSize: String(fill.shares),
    price: fillPrice(fill),
    profile: { account: fill.account },
    side: isBuy ? 0 : 1,
    title: '',
    tokenId: market.tokens[fill.outcome],
    txHash: fill.txHash,
  };
}

/** What the shares in a pool are worth at its own prices, micros. */
function valueOf({ reserves: [yes, no] }: KnownPool): number {
  return Number((2n * yes * no) / (yes + no));
}

/** Shares of an outcome that the known trades have left with those who trade. */
function heldOf(fills: readonly PoolFill[], of: OutcomeIndex): number {
  return fills
    .filter(({ outcome }) => outcome === of)
    .reduce((sum, { side, shares }) => sum + (side === 'buy' ? shares : -shares), 0);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
