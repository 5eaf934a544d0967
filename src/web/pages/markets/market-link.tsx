import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Problem } from '../../api/problem.ts';
import { type Market, VENUE_CALLS } from '../../api/venues.ts';
import { marketPath } from '../../routes.ts';

/** What a market asks; its id where it cannot be read. */
export function MarketLink({
  venue,
  marketId,
}: {
  readonly venue: string;
  readonly marketId: string;
}) {
  const calls = VENUE_CALLS[venue];
  const market = useQuery<Market, Problem>({
    queryKey: ['market', venue, marketId],
    queryFn: ({ signal }) => {
      if (calls === undefined) throw new Error(`no venue ${venue}`);
      return calls.market(marketId, signal);
    },
    enabled: calls !== undefined,
  });
  return (
    <Link href={marketPath(venue, marketId)} className="link">
      <bdi>{market.data?.question ?? marketId}</bdi>
    </Link>
  );
}
