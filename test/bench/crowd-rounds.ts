import { Subject } from 'rxjs';
import { roundProfile } from '../../src/domain/agent.ts';
import type { BookView } from '../../src/domain/book.ts';
import type { Asset, MarketId, TokenId } from '../../src/domain/ids.ts';
import type { Market } from '../../src/domain/market.ts';
import type { RoundView } from '../../src/domain/signal.ts';
import type { RoundViews } from '../../streams/round-view.ts';
import { aBook, aLevel, aMarket } from '../support/builders.ts';
import { aPrediction, aPrice, aTop, observed } from '../support/worlds/round-views.ts';
import { ROUND_AGENTS } from './crowd-store.ts';

/** What a view says: nothing to act upon, or enter. */
export type Mood = 'quiet' | 'enter';

/** One round of every kind at a time, shown manually. */
export interface CrowdRounds extends RoundViews {
  /** Begins new rounds, a minute old, of which nothing has been said. */
  begin(): readonly Market[];
  /** Shows every open round anew, at this moment. */
  show(mood: Mood): void;
  /** Shows the one of the BTC 5-minute agents, with another price each time. */
  tick(number: number): void;
  readonly markets: ReadonlyMap<MarketId, Market>;
  book(tokenId: TokenId): BookView | null;
}

interface Kind {
  readonly asset: Asset;
  readonly minutes: 5 | 15;
  readonly views: Subject<RoundView>;
  market: Market | null;
}

/** Makes the rounds. Prices are the same for every asset: only their signs count. */
export function createCrowdRounds(): CrowdRounds {
  const kinds = new Map<string, Kind>();
  const markets = new Map<MarketId, Market>();
  const newest = new Map<MarketId, RoundView>();
  let serial = 0;
  for (const agentId of ROUND_AGENTS) {
    const { asset, minutes } = roundProfile(agentId);
    kinds.set(`${asset} ${minutes}`, { asset, minutes, views: new Subject(), market: null });
  }

  function show({ asset, minutes, views, market }: Kind, mood: Mood, cents: number): void {
    if (market === null) return;
    const now = Date.now();
    const startsAtMs = market.endsAtMs - minutes * 60_000;
    const view: RoundView = {
      market,
      asset,
      minutes,
      startsAtMs,
      endsAtMs: market.endsAtMs,
      atMs: now,
      oracle: observed(aPrice(70_070 + cents / 100), now),
      exchange: observed(aPrice(70_072), now),
      exchangeAtStart: aPrice(70_000),
      prediction: mood === 'quiet' ? null : observed(aPrediction(70_150), now),
      strike: { price: aPrice(70_000), source: 'captured' },
      volatility: 0.00005,
      books: [aTop(7_000, 7_200, now), aTop(2_800, 3_000, now)],
    };
    newest.set(market.marketId, view);
    views.next(view);
  }

  return {
    views: (asset, minutes) => kinds.get(`${asset} ${minutes}`)?.views ?? new Subject(),
    roundView: (marketId) => newest.get(marketId) ?? null,
    markets,
    begin() {
      newest.clear();
      markets.clear();
      for (const kind of kinds.values()) {
        serial += 1;
        // A minute in, and for the shorter ones as much of it left as a large crowd needs.
        kind.market = aMarket(serial, { endsAtMs: Date.now() + kind.minutes * 60_000 - 10_000 });
        markets.set(kind.market.marketId, kind.market);
      }
      return [...markets.values()];
    },
    show: (mood) => kinds.forEach((kind) => show(kind, mood, 0)),
    tick(number) {
      const kind = kinds.get('BTC 5');
      if (kind !== undefined) show(kind, 'quiet', number % 100);
    },
    book(tokenId) {
      const market = [...markets.values()].find(({ outcomes }) =>
        outcomes.some((outcome) => outcome.tokenId === tokenId),
      );
      const now = Date.now();
      return market === undefined
        ? null
        : aBook(market, market.outcomes[0].tokenId === tokenId ? 0 : 1, {
            bids: [aLevel(7_000, 1_000_000)],
            asks: [aLevel(7_200, 1_000_000)],
            venueAtMs: now,
            receivedAtMs: now,
          });
    },
  };
}
