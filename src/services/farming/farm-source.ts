import type { BookTop } from '../../domain/book.ts';
import type { MarketId, TokenId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { Observed } from '../../domain/signal.ts';
import type { MarketScan } from '../../ports/market-scan.ts';
import type { RiskAssessor } from '../../ports/risk-assessor.ts';

/** Judged books of watched markets. */
export interface FarmQuotes {
  /**
   * Watches a market's books until the function it gives is called. A market that cannot be watched
   * has no top.
   */
  watch(market: Market): () => void;
  /** The best of each side where the book is trusted now, else null (L8). */
  top(tokenId: TokenId): Observed<BookTop> | null;
}

/**
 * What is known of a venue's long-running markets; the composition root joins it with streams and
 * adapters.
 */
export interface FarmSource {
  readonly scan: MarketScan;
  readonly quotes: FarmQuotes;
  /** The market as its venue has it now; null without one. Errors: `venue_unavailable`. */
  market(marketId: MarketId): Promise<Market | null>;
  /** Null without an assessor. */
  readonly assessor: RiskAssessor | null;
}
