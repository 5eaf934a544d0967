import { AppError } from '../../domain/errors.ts';
import type { Market } from '../../domain/market.ts';
import type { VenueId } from '../../domain/ids.ts';
import type { Catalogue, RoundDirectory } from '../../ports/catalogue.ts';
import type { MarketScan } from '../../ports/market-scan.ts';
import type { FeedLink } from './feed-link.ts';
import { readMarket, readResolution, readScanPage } from './market-schema.ts';
import type { Question } from './protocol.ts';

/** Reads markets of a venue from a feed, as agents and rounds discover them. */
export function linkedCatalogue(link: FeedLink, venue: VenueId): Catalogue & RoundDirectory {
  const ask = async (question: Question): Promise<Market | null> => {
    const answer = readMarket(await link.ask(question));
    if (!answer.ok) throw unreadable('market', venue);
    return answer.value;
  };
  return {
    market: (marketId) => ask({ kind: 'market', venue, marketId }),
    marketOfToken: (tokenId) => ask({ kind: 'market_of_token', venue, tokenId }),
    round: (asset, minutes, startsAtMs) =>
      ask({ kind: 'round', venue, asset, minutes, startsAtMs: Math.floor(startsAtMs) }),
    async resolution(marketId) {
      const answer = readResolution(await link.ask({ kind: 'resolution', venue, marketId }));
      if (!answer.ok) throw unreadable('resolution', venue);
      return answer.value;
    },
  };
}

/** Reads the open markets of a venue from a feed, page by page. */
export function linkedScan(link: FeedLink, venue: VenueId): MarketScan {
  return {
    async page(query) {
      const answer = readScanPage(await link.ask({ kind: 'scan', venue, query }));
      if (!answer.ok) throw unreadable('page of markets', venue);
      return answer.value;
    },
  };
}

function unreadable(what: string, venue: VenueId): AppError {
  return new AppError('venue_protocol', `the feed answered no ${what} of ${venue}`);
}
