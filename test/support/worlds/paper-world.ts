import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { BookView } from '../../../src/domain/book.ts';
import { assert } from '../../../src/domain/errors.ts';
import type { TokenId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { Store } from '../../../src/ports/store.ts';
import {
  createPaperTrading,
  type PaperTrading,
} from '../../../src/services/paper/paper-trading.ts';
import { isShadow } from '../../../src/domain/shadow-account.ts';
import { createVenues } from '../../../src/services/venues.ts';
import { createAgents } from '../../../src/services/agents/agents.ts';
import { ORDERS, paperTable } from '../../../src/services/books/tables.ts';
import { FakeSignals, type AgentsLife } from './agents-world.ts';
import { aBook, T0 } from '../builders.ts';
import { NO_FARMING } from '../fakes/no-farming.ts';
import { createKeptBus } from '../quiet.ts';
import { aRoundMarket } from './round-views.ts';
import { aWorld, type Life, type World } from './trading-world.ts';
import { aTradedVenue } from '../traded-venues.ts';
import { VENUE_A, VENUE_B } from '../venue-ids.ts';
import { SELLING_STRATEGIES } from './selling-strategies.ts';

/** A process with agents that may trade on paper too. */
export interface PaperLife extends AgentsLife {
  readonly paper: PaperTrading;
}

/** Paper trading of a process over its world's books and markets. */
export function aPaperExchange(
  world: World,
  { store, log, bus }: Pick<Life, 'store' | 'log' | 'bus'>,
): PaperTrading {
  return createPaperTrading({
    store,
    clock: world.clock,
    random: createSeededRandom('paper'),
    log,
    bus: createKeptBus(),
    realBus: bus,
    venues: createVenues(
      PAPER_VENUES.map((place) =>
        aTradedVenue({
          ...place,
          directory: world.venue,
          books: (tokenId) => world.books.get(tokenId) ?? standingBook(world, tokenId),
          markets: {
            known: (marketId) =>
              world.markets.find(
                (market) => market.venue === place.id && market.marketId === marketId,
              ) ?? null,
            find: () => Promise.resolve(null),
          },
        }),
      ),
    ),
  });
}

/** Two venues that trade from wallets of their own. */
const PAPER_VENUES = [
  { id: VENUE_A, cashAccount: 'usdc:safe' },
  { id: VENUE_B, cashAccount: 'usdc:solana' },
] as const;

/** Starts trading, paper trading and agents over a store, as the daemon does. */
export async function startPaper(world: World, store: Store): Promise<PaperLife> {
  const life = world.live(store);
  const signals = new FakeSignals();
  const paper = aPaperExchange(world, life);
  const agents = createAgents({
    ...life,
    clock: world.clock,
    random: createSeededRandom('agents'),
    signals,
    strategies: SELLING_STRATEGIES,
    farming: () => NO_FARMING,
    paper,
  });
  signals.onTransition = (transition) => agents.onSignal(transition);
  await life.orders.recover();
  await agents.recover();
  return { ...life, agents, signals, paper };
}

/**
 * A world with two five-minute rounds, a minute into the first, with paper trading in its first
 * process.
 */
export async function aPaperWorld(depositUsdc?: number) {
  const world = aWorld(depositUsdc, [aRoundMarket(1), aRoundMarket(2, { endsAtMs: T0 + 600_000 })]);
  const store = createMemoryStore();
  const life = await startPaper(world, store);
  await life.funding.syncDeposits(world.user);
  await world.clock.advance(60_000);
  return { world, store, life };
}

/** Orders on paper: of users' agents, and of shadow runs. */
export function paperOrders(store: Store): {
  readonly agents: readonly OrderRecord[];
  readonly shadows: readonly OrderRecord[];
} {
  const all = store.range(paperTable(ORDERS)).map(({ value }) => value);
  return {
    agents: all.filter(({ intent }) => !isShadow(intent.userId)),
    shadows: all.filter(({ intent }) => isShadow(intent.userId)),
  };
}

function standingBook({ markets, clock }: World, tokenId: TokenId): BookView {
  const market = markets.find(({ outcomes }) =>
    outcomes.some((outcome) => outcome.tokenId === tokenId),
  );
  assert(market !== undefined, `token ${tokenId} has a market`);
  return aBook(market, market.outcomes[0].tokenId === tokenId ? 0 : 1, {
    receivedAtMs: clock.nowMs(),
    venueAtMs: clock.nowMs(),
  });
}
