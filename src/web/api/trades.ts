import { call } from './client.ts';
import { type PagedRead, usePages } from './paged.ts';
import type { Output } from './routes.ts';

type Trade = Output<'GET /api/portfolio/trades'>['data'][number];
type Fill = Extract<Trade, { readonly kind: 'fill' }>;
type Closed = Extract<Trade, { readonly kind: 'closed' }>;

/** Reads a user's fills of all venues, or of one market, page by page. */
export function useFills(marketId?: string): PagedRead<Fill> {
  const market = marketId === undefined ? {} : { marketId };
  return usePages(
    'GET /api/portfolio/trades',
    async (query, options) => {
      const page = await call(
        'GET /api/portfolio/trades',
        { query: { ...market, ...query } },
        options,
      );
      return { ...page, data: page.data.flatMap((each) => (each.kind === 'fill' ? [each] : [])) };
    },
    { about: ['fill', marketId ?? ''] },
  );
}

/** Reads a user's closed positions of all venues, page by page. */
export function useClosedPositions(): PagedRead<Closed> {
  return usePages(
    'GET /api/portfolio/trades',
    async (query, options) => {
      const page = await call(
        'GET /api/portfolio/trades',
        { query: { kind: 'closed', ...query } },
        options,
      );
      return { ...page, data: page.data.flatMap((each) => (each.kind === 'closed' ? [each] : [])) };
    },
    { about: ['closed'] },
  );
}
