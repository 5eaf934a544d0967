import { Link } from 'wouter';
import { marketPath } from '../../routes.ts';
import { MarketEnd } from '../../ui/market-name.tsx';
import { linkText } from './link-text.ts';
import { useMarket } from './use-market.ts';

/** What a market asks and when it ends. */
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
        <bdi>{linkText(market, marketId)}</bdi>
      </Link>
      <span className="faint">
        <MarketEnd atMs={market.data?.endsAtMs ?? null} />
      </span>
    </>
  );
}
