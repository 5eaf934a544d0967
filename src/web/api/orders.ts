import { call } from './client.ts';
import { type PagedRead, usePages } from './paged.ts';
import { useRead } from './query.ts';
import type { ListedOrder } from './venues.ts';

const ORDER_READ = 'GET /api/portfolio/orders';

/** The most that one page holds, and no user has more open orders. */
const OPEN_AT_MOST = '200';

/** A market whose orders are asked for; those of all where absent. */
type OfMarket = { readonly marketId: string } | undefined;

/** Reads a user's orders of all venues, or of one market, newest first, page by page. */
export function useOrders(of?: OfMarket): PagedRead<ListedOrder> {
  const market = of === undefined ? {} : { marketId: of.marketId };
  return usePages(
    ORDER_READ,
    (query, options) => call(ORDER_READ, { query: { ...market, ...query } }, options),
    { about: [of?.marketId ?? ''] },
  );
}

/** Reads all orders of a user that are not over, or those of one market, newest first. */
export function useOpenOrders(of?: OfMarket) {
  const market = of === undefined ? {} : { marketId: of.marketId };
  return useRead(ORDER_READ, { query: { state: 'open', limit: OPEN_AT_MOST, ...market } });
}
