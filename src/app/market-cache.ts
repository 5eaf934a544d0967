import { API } from '../../config/limits/api.ts';
import type { MarketId, TokenId } from '../domain/ids.ts';
import type { Market } from '../domain/market.ts';
import type { PriceTicks } from '../domain/units.ts';
import type { Clock } from '../ports/clock.ts';
import type { Catalogue } from '../ports/catalogue.ts';
import type { Lookups } from '../services/lookups.ts';
import type { MarketReader } from '../services/venues.ts';

/** Markets known for the moment: those of running rounds, and those asked for manually. */
export interface MarketCache extends MarketReader {
  /** A market for an agent, asked for where it is not known. Errors: those of the directory. */
  discover(marketId: MarketId): Promise<Market | null>;
  /** The market of a token, asked for by a user who browses. Errors: those of the directory. */
  ofToken(tokenId: TokenId): Promise<Market | null>;
  /**
   * The market of a token where it is in memory, however long ago it was asked for: its ids and
   * outcomes never change, its tick and state may have.
   */
  heldOfToken(tokenId: TokenId): Market | null;
  /** A market asked for by a user who browses. Errors: those of the directory. */
  browsed(marketId: MarketId): Promise<Market | null>;
  /**
   * A market where it is in memory, however long ago it was asked for, as `heldOfToken` gives it.
   */
  held(marketId: MarketId): Market | null;
  remember(market: Market): void;
  /**
   * The venue changed a market's tick: listings learn of it minutes later (venue_a.md section 5.2).
   */
  tickChanged(tokenId: TokenId, tickSize: PriceTicks): void;
}

interface Entry {
  readonly market: Market;
  readonly atMs: number;
}

/** Makes the cache: at most API.marketsKeptMaximum markets, each believed for API.marketKeptMs. */
export function createMarketCache({
  directory,
  discovery,
  browsing,
  lookups,
  clock,
  roundMarket,
}: {
  readonly directory: Pick<Catalogue, 'market'>;
  /**
   * The same for agents, and for people who browse: each asks the venue within a share of its own.
   */
  readonly discovery: Pick<Catalogue, 'market'>;
  readonly browsing: Pick<Catalogue, 'market' | 'marketOfToken'>;
  /** Bounds what users have looked up for their orders. */
  readonly lookups: Lookups;
  readonly clock: Clock;
  /** Markets of running rounds, kept fresh by their stream. */
  readonly roundMarket: (marketId: MarketId) => Market | null;
}): MarketCache {
  const entries = new Map<MarketId, Entry>();
  const byToken = new Map<TokenId, MarketId>();
  const ticks = new Map<MarketId, PriceTicks>();

  const current = (market: Market): Market => {
    const tickSize = ticks.get(market.marketId);
    return tickSize === undefined ? market : { ...market, tickSize };
  };
  const remember = (market: Market): void => {
    entries.delete(market.marketId);
    entries.set(market.marketId, { market, atMs: clock.nowMs() });
    for (const { tokenId } of market.outcomes) byToken.set(tokenId, market.marketId);
    if (entries.size > API.marketsKeptMaximum) forgetOldest();
  };
  const forgetOldest = (): void => {
    const oldest = entries.entries().next().value;
    if (oldest === undefined) return;
    const [marketId, { market }] = oldest;
    entries.delete(marketId);
    ticks.delete(marketId);
    for (const { tokenId } of market.outcomes) byToken.delete(tokenId);
  };
  const known = (marketId: MarketId): Market | null => {
    const round = roundMarket(marketId);
    if (round !== null) {
      if (!entries.has(marketId)) remember(round);
      return current(round);
    }
    const entry = entries.get(marketId);
    return entry !== undefined && clock.nowMs() - entry.atMs <= API.marketKeptMs
      ? current(entry.market)
      : null;
  };
  const taken = (market: Market | null): Market | null => {
    if (market === null) return null;
    ticks.delete(market.marketId);
    remember(market);
    return market;
  };
  const held = (marketId: MarketId): Market | null =>
    known(marketId) ?? entries.get(marketId)?.market ?? null;
  const heldOfToken = (tokenId: TokenId): Market | null => {
    const marketId = byToken.get(tokenId);
    return marketId === undefined ? null : held(marketId);
  };
  return {
    known,
    held,
    heldOfToken,
    remember,
    async find(marketId, userId) {
      const market = await lookups.ask({ userId, name: marketId }, async () =>
        taken(await directory.market(marketId)),
      );
      return market === null ? null : current(market);
    },
    discover: async (marketId) => known(marketId) ?? taken(await discovery.market(marketId)),
    browsed: async (marketId) => taken(await browsing.market(marketId)),
    ofToken: async (tokenId) => taken(await browsing.marketOfToken(tokenId)),
    tickChanged(tokenId, tickSize) {
      const marketId = byToken.get(tokenId);
      if (marketId !== undefined) ticks.set(marketId, tickSize);
    },
  };
}
