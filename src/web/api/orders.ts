import { useRead } from './query.ts';
import type { CallName } from './routes.ts';
import type { ListedOrder } from './venues.ts';
import type { Problem } from './problem.ts';

/** Reads that an order makes old, of every venue. */
export const ORDER_READS = [
  'GET /api/venue_a/order/',
  'GET /api/venue_b/order/',
  'GET /api/venue_c/order/:id',
  'GET /api/venue_c/portfolio/orders',
] as const satisfies readonly CallName[];

/** Orders of all venues, or of one market, as `Read` shows an answer. */
export interface OrdersRead {
  /** Newest first, of the venues that have answered; undefined before the first. */
  readonly data: readonly ListedOrder[] | undefined;
  /** Of a venue whose orders are missing. */
  readonly error: Problem | null;
  refetch(): Promise<unknown>;
}

/** Reads a user's orders of all venues, or of one market. */
export function useOrders(
  state: 'all' | 'open',
  of?: { readonly venue: string; readonly marketId: string },
): OrdersRead {
  const query = { state, ...(of === undefined ? {} : { marketId: of.marketId }) } as const;
  const isOf = (venue: string): boolean => of === undefined || of.venue === venue;
  const venueA = useRead('GET /api/venue_a/order/', { query }, { enabled: isOf('venue_a') });
  const venueB = useRead('GET /api/venue_b/order/', { query }, { enabled: isOf('venue_b') });
  const venueC = useRead(
    'GET /api/venue_c/portfolio/orders',
    { query: { state } },
    { enabled: of === undefined },
  );
  const market = useRead(
    'GET /api/venue_c/order/:id',
    { params: { id: of?.marketId ?? '' }, query: { state } },
    { enabled: of?.venue === 'venue_c' },
  );
  const reads = [venueA, venueB, venueC, market];
  const answers = reads.flatMap(({ data }) => data ?? []);
  return {
    data:
      answers.length === 0
        ? undefined
        : answers
            .flatMap(({ data }) => data)
            .toSorted((one, other) => other.createdAtMs - one.createdAtMs),
    error: reads.find(({ error }) => error !== null)?.error ?? null,
    refetch: () =>
      Promise.all(reads.map(({ error, refetch }) => (error === null ? null : refetch()))),
  };
}
