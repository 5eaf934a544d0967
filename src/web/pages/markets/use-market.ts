import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Problem } from '../../api/problem.ts';
import { type Market, VENUE_CALLS } from '../../api/venues.ts';

/** Reads a market of any venue, once for all that show it; nothing of a venue that is not here. */
export function useMarket(
  venue: string,
  marketId: string,
  { everyMs = false }: { readonly everyMs?: number | false } = {},
): UseQueryResult<Market, Problem> {
  const calls = VENUE_CALLS[venue];
  return useQuery<Market, Problem>({
    queryKey: ['market', venue, marketId],
    queryFn: ({ signal }) => {
      if (calls === undefined) throw new Error(`no venue ${venue}`);
      return calls.market(marketId, signal);
    },
    enabled: calls !== undefined,
    refetchInterval: everyMs,
  });
}
