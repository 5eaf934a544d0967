import { Link } from 'wouter';
import { marketLine } from '../../format/market-name.ts';
import { marketPath } from '../../routes.ts';
import { MarketEnd } from '../../ui/market-name.tsx';
import { useMarket } from './use-market.ts';

/** What a market asks and when it ends; its id where it cannot be read. */
export function MarketLink({
  venue,
  marketId,
}: {
  readonly venue: string;
  readonly marketId: string;
}) {
  const market = useMarket(venue, marketId);
  return (
    <>
      <Link href={marketPath(venue, marketId)} className="link">
        <bdi>{market.data === undefined ? marketId : marketLine(market.data)}</bdi>
      </Link>
      <span className="faint">
        <MarketEnd atMs={market.data?.endsAtMs ?? null} />
      </span>
    </>
  );
}
