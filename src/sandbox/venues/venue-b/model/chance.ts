import type { SettlementPrices } from '../../../feeds/prices/settlement-prices.ts';
import { createFairValue } from '../../../feeds/prices/fair-value.ts';
import type { ExchangePrices } from '../../../feeds/prices/exchange-prices.ts';
import { hashedUniform, streamOf } from '../../../hashed-chance.ts';
import type { Listing } from './listing.ts';
import { walkChance, walkEndsInside } from './walk.ts';

/** What markets are worth, and how they end. */
export interface Chances {
  /**
   * Chance of Yes as makers see it at a moment that has come; null while the price feed has a hole.
   */
  at(listing: Listing, nowMs: number): number | null;
  /** Whether a market that is over ended in Yes. */
  endedYes(listing: Listing): boolean;
}

/** Before the start nothing is known. */
const EVEN = 0.5;

/** Creates the chances of a world. */
export function createChances(
  seed: number,
  { prices, quotes }: { readonly prices: SettlementPrices; readonly quotes: ExchangePrices },
): Chances {
  const fair = createFairValue({ seed, prices, exchange: quotes, rule: 'spot' });
  return {
    at(listing, nowMs) {
      const { process, openMs, closeMs, ticker } = listing;
      if (process.kind === 'walk')
        return walkChance(process, {
          seed,
          stream: process.stream,
          part: (nowMs - openMs) / (closeMs - openMs),
        });
      if (nowMs <= openMs) return EVEN;
      const strikeE18 = prices.at(process.asset, openMs / 1_000);
      return strikeE18 === null
        ? null
        : fair({
            asset: process.asset,
            strikeE18,
            endsAtMs: closeMs,
            nowMs: Math.min(nowMs, closeMs),
            stream: streamOf(ticker),
          });
    },
    endedYes(listing) {
      const { process, openMs, closeMs, ticker } = listing;
      if (process.kind === 'walk') return walkEndsInside(process, seed);
      const [from, to] = [
        prices.at(process.asset, openMs / 1_000),
        prices.at(process.asset, closeMs / 1_000),
      ];
      // Prices of long ago are gone: an end that was not read is drawn.
      if (from === null || to === null) return hashedUniform(seed, streamOf(ticker), 1) < EVEN;
      return to >= from;
    },
  };
}
