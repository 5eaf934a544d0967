import type { PoolMaker } from '../amm/pool-maker.ts';
import type { Pools } from '../amm/pools.ts';
import type { BookExchange } from '../model/exchange.ts';
import type { VenueMarket } from '../model/market.ts';
import type { Quotes } from '../model/quotes.ts';
import { bookMarketShape } from './market-shapes.ts';
import { poolMarketShape } from './pool-shapes.ts';

/** The pools of a world with chains, and who moves their prices. */
export interface PoolSide {
  readonly pools: Pools;
  readonly maker: PoolMaker;
}

/** The markets as routes and sockets show them, books and pools alike. */
export interface ShownMarkets {
  /** By slug, or by the address of its pool; null for none. */
  find(name: string): VenueMarket | null;
  /** Has a market's prices move from now on and for a while. */
  read(market: VenueMarket): void;
  /**
   * As listings show them, in their order; pools are made where they are not there yet. Errors:
   * `chain_unavailable`, `chain_reverted`.
   */
  shapes(markets: readonly VenueMarket[]): Promise<readonly object[]>;
}

/** Joins books and pools; a world without chains has none of the latter. */
export function showMarkets(
  exchange: BookExchange,
  quotes: Quotes,
  amm: PoolSide | null,
): ShownMarkets {
  return {
    find: (name) => exchange.market(name) ?? amm?.pools.marketAt(name) ?? null,
    read(market) {
      if (market.tradeType === 'clob') quotes.read(market);
      else amm?.maker.read(market);
    },
    async shapes(markets) {
      await amm?.pools.open(markets);
      return markets.flatMap((market): readonly object[] => {
        if (market.tradeType === 'clob') return [bookMarketShape(exchange, market)];
        const pool = amm?.pools.of(market) ?? null;
        return pool === null || amm === null
          ? []
          : [poolMarketShape(exchange, pool, amm.pools.tape.ofMarket(market.slug))];
      });
    },
  };
}
