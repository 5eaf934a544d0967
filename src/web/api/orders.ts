import { call } from './client.ts';
import { type PagedRead, usePages } from './paged.ts';
import type { ListedOrder } from './venues.ts';

const ORDER_READ = 'GET /api/portfolio/orders';

/** A market whose orders are asked for; those of all where absent. */
type OfMarket = { readonly marketId: string } | undefined;

/**
 * Reads a user's orders of all venues, or of one market, newest first, page by page: all, or those
 * that are not over.
 */
export function useOrders(of?: OfMarket, state: 'all' | 'open' = 'all'): PagedRead<ListedOrder> {
  const which = { state, ...(of === undefined ? {} : { marketId: of.marketId }) };
  return usePages(
    ORDER_READ,
    (query, options) => call(ORDER_READ, { query: { ...which, ...query } }, options),
    { about: [state, of?.marketId ?? ''] },
  );
}
