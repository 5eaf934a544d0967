import type { PoolMaker } from '../amm/pool-maker.ts';
import type { Pools } from '../amm/pools.ts';
import type { BookExchange } from '../model/exchange.ts';
import type { VenueMarket } from '../model/market.ts';
import type { Quotes } from '../model/quotes.ts';
import { bookMarketShape, groupShape, type ListedRow } from './market-shapes.ts';
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
  shapes(rows: readonly ListedRow[]): Promise<readonly object[]>;
  /** The markets of a group by its slug; null for none. */
  group(slug: string): ListedRow | null;
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
    group(slug) {
      const [first, ...others] = exchange.group(slug);
      return first === undefined ? null : [first, ...others];
    },
    async shapes(rows) {
      await amm?.pools.open(rows.flat());
      return rows.flatMap((row): readonly object[] => {
        const [market] = row;
        if (market.group !== null) return [groupShape(exchange, market.group, row)];
        if (market.tradeType === 'clob') return [bookMarketShape(exchange, market)];
        const pool = amm?.pools.of(market) ?? null;
        return pool === null || amm === null
          ? []
          : [poolMarketShape(exchange, pool, amm.pools.tape.ofMarket(market.slug))];
      });
    },
  };
}
