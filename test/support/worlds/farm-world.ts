import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { AgentMode } from '../../../src/domain/agent.ts';
import type { BookView } from '../../../src/domain/book.ts';
import type { Assessment } from '../../../src/domain/farming/assessment.ts';
import { AppError, type FieldError } from '../../../src/domain/errors.ts';
import type { FarmListing } from '../../../src/domain/farming/listing.ts';
import { FARM_VENUE_A, FARM_VENUE_B, type FarmVenue } from '../../../src/domain/farming/venues.ts';
import type { TokenId, UserId } from '../../../src/domain/ids.ts';
import type { Market, OutcomeIndex } from '../../../src/domain/market.ts';
import type { RiskQuestion } from '../../../src/ports/risk-assessor.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Agents } from '../../../src/services/agents/agents-types.ts';
import { createAgents } from '../../../src/services/agents/agents.ts';
import type { FarmSource } from '../../../src/services/farming/farm-source.ts';
import type { PaperTrading } from '../../../src/services/paper/paper-trading.ts';
import { FakeSignals } from './agents-world.ts';
import { aBook, aLevel } from '../builders.ts';
import { aFarmMarket, aListing } from './farm-listings.ts';
import { aPaperExchange } from './paper-world.ts';
import { aWorld, type Life, type World } from './trading-world.ts';

/** A process with farming agents. */
export interface FarmProcess extends Life {
  readonly agents: Agents;
  readonly paper: PaperTrading;
}

/** A venue with markets to farm, its quotes and its assessor, all set manually. */
export interface FarmWorld {
  readonly world: World;
  readonly store: Store;
  readonly markets: readonly Market[];
  /** What a scan finds. */
  readonly listings: FarmListing[];
  /** Cursors scans asked for. */
  readonly scans: (string | null)[];
  /** Questions the assessor heard. */
  readonly questions: RiskQuestion[];
  /** What the assessor says; null: no assessor, from the next process on. */
  assess: ((question: RiskQuestion) => Promise<Assessment>) | null;
  /**
   * What is farmed, and by which thresholds, from the next process on; the product's when absent.
   */
  venue?: FarmVenue;
  /** What users lack to buy at the venue, beside the money. */
  readonly lacking: FieldError[];
  /** What they lack cannot be determined. */
  isVenueAway: boolean;
  /** Markets whose books are watched now. */
  readonly watched: Map<string, number>;
  /**
   * Sets what an outcome is quoted at: ticks for 1 000 shares each; null takes the book out of
   * trust, a side of 0 is empty.
   */
  quote(
    market: Market,
    outcome: OutcomeIndex,
    sides: { readonly bid: number; readonly ask: number } | null,
  ): void;
  /** Makes a process on a store; nothing moves before it recovers. */
  live(store: Store): FarmProcess;
  /** Starts a process on the store, as the daemon does. */
  start(): Promise<FarmProcess>;
  /** Chooses a size and what is given, and enables, with real money unless stated. */
  enable(
    life: FarmProcess,
    settings?: Readonly<Record<string, unknown>>,
    choice?: { readonly userId?: UserId; readonly mode?: AgentMode },
  ): Promise<void>;
}

/**
 * Makes a world with `count` markets whose No is quoted at 0.96 to 0.97, an assessor that allows
 * all, and a funded user. `wordsOf` changes what a market says of itself.
 */
export function aFarmWorld(
  count = 3,
  depositUsdc = 100_000_000,
  wordsOf: (number: number) => Partial<Market> = () => ({}),
): FarmWorld {
  const markets = Array.from({ length: count }, (_, index) =>
    aFarmMarket(index + 1, wordsOf(index + 1)),
  );
  const world = aWorld(depositUsdc, markets);
  const store = createMemoryStore();
  const quotes = new Map<TokenId, { readonly bid: number; readonly ask: number } | null>();
  const listings = markets.map((market) => aListing(market));
  const farm: FarmWorld = {
    world,
    store,
    markets,
    listings,
    scans: [],
    questions: [],
    watched: new Map(),
    lacking: [],
    isVenueAway: false,
    assess: async () => ({ kind: 'allowed', reason: 'plain' }),
    quote(market, outcome, sides) {
      const { tokenId } = market.outcomes[outcome];
      quotes.set(tokenId, sides);
      const level = (ticks: number): readonly [number, number] | null =>
        ticks === 0 ? null : [ticks, 1_000];
      world.venue.quote(tokenId, {
        bid: sides === null ? null : level(sides.bid),
        ask: sides === null ? null : level(sides.ask),
      });
    },
    live(over) {
      const life = world.live(over);
      const paper = aPaperExchange(world, life);
      const venueSource = source();
      const agents = createAgents({
        ...life,
        clock: world.clock,
        random: createSeededRandom('farm'),
        signals: new FakeSignals(),
        farming: () => venueSource,
        paper,
        async lacking() {
          if (farm.isVenueAway)
            throw new AppError('venue_unavailable', 'the venue does not answer', {
              retryable: true,
            });
          return farm.lacking;
        },
        farmVenues: [farm.venue ?? FARM_VENUE_A, FARM_VENUE_B],
      });
      return { ...life, agents, paper };
    },
    async start() {
      const life = farm.live(store);
      await life.orders.recover();
      await life.agents.recover();
      await life.funding.syncDeposits(world.user);
      return life;
    },
    async enable(life, settings = {}, { userId = world.user, mode = 'live' } = {}) {
      await life.agents.updateSettings(userId, 'venue_a_farming', {
        avgPositionSize: 5,
        ...settings,
      });
      await life.agents.enable(userId, 'venue_a_farming', { mode });
    },
  };

  function bookOf(tokenId: TokenId): BookView | null {
    const market = markets.find(({ outcomes }) =>
      outcomes.some((outcome) => outcome.tokenId === tokenId),
    );
    const sides = quotes.get(tokenId);
    if (market === undefined || sides === undefined) return null;
    const atMs = world.clock.nowMs();
    const level = (ticks: number) => (ticks === 0 ? [] : [aLevel(ticks, 1_000)]);
    return aBook(market, market.outcomes[0].tokenId === tokenId ? 0 : 1, {
      receivedAtMs: atMs,
      venueAtMs: atMs,
      bids: level(sides?.bid ?? 0),
      asks: level(sides?.ask ?? 0),
      distrust: sides === null ? 'gap' : null,
    });
  }

  function source(): FarmSource {
    const { assess } = farm;
    return {
      scan: {
        async page({ cursor }) {
          farm.scans.push(cursor);
          const from = Number(cursor ?? 0);
          const data = farm.listings.slice(from, from + 100);
          return {
            data,
            nextCursor: from + 100 < farm.listings.length ? String(from + 100) : null,
          };
        },
      },
      market: async (marketId) => markets.find((market) => market.marketId === marketId) ?? null,
      quotes: {
        watch({ marketId }) {
          farm.watched.set(marketId, (farm.watched.get(marketId) ?? 0) + 1);
          return () => {
            const left = (farm.watched.get(marketId) ?? 0) - 1;
            if (left > 0) farm.watched.set(marketId, left);
            else farm.watched.delete(marketId);
          };
        },
        top(tokenId) {
          const market = markets.find(({ outcomes }) =>
            outcomes.some((outcome) => outcome.tokenId === tokenId),
          );
          const book =
            market !== undefined && farm.watched.has(market.marketId) ? bookOf(tokenId) : null;
          if (book === null || book.distrust !== null) return null;
          return {
            value: { bid: book.bids[0] ?? null, ask: book.asks[0] ?? null },
            sourceAtMs: book.venueAtMs,
            receivedAtMs: book.receivedAtMs,
          };
        },
      },
      assessor:
        assess === null
          ? null
          : {
              assess(question) {
                farm.questions.push(question);
                return (farm.assess ?? assess)(question);
              },
            },
    };
  }

  // Orders read the same books, made anew at each reading: an unchanged quote is confirmed all the
  // time.
  world.books.get = (tokenId) => bookOf(tokenId) ?? undefined;
  for (const market of markets) {
    farm.quote(market, 0, { bid: 300, ask: 400 });
    farm.quote(market, 1, { bid: 9_600, ask: 9_700 });
  }
  return farm;
}
