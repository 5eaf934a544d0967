import { VENUE_C_CHAIN } from '../chain-addresses.ts';
import type { BookExchange } from '../model/exchange.ts';
import type { VenueMarket } from '../model/market.ts';

/** The market of a position (venue_c.md section 10). */
export function positionMarket(
  exchange: BookExchange,
  market: VenueMarket,
  traded: {
    /** Of its pool; null for a market of a book. */
    readonly address: string | null;
    readonly venue: object | null;
  },
) {
  const ending = exchange.ending(market);
  return {
    id: market.id,
    slug: market.slug,
    title: market.title,
    status: ending === null ? 'FUNDED' : 'RESOLVED',
    closed: ending !== null,
    conditionId: market.conditionId,
    address: traded.address,
    deadline: iso(market.endsAtMs),
    expirationDate: iso(market.endsAtMs),
    winningOutcomeIndex: ending?.winner ?? null,
    negRiskRequestId: market.group === null ? null : market.questionId,
    yesPositionId: market.tokens[0],
    noPositionId: market.tokens[1],
    collateralToken: { id: 7, decimals: 6, symbol: 'USDC', address: VENUE_C_CHAIN.usdc },
    venue: traded.venue,
    group: market.group === null ? {} : { slug: market.group.slug, title: market.group.title },
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
