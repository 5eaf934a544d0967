import type { Subscription } from 'rxjs';
import { TRADING_LOOKUPS } from '../../config/limits/lookups.ts';
import { ONBOARDING } from '../../config/limits/money.ts';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Inference } from '../ports/inference.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { PriceFeed } from '../ports/price-feed.ts';
import type { Random } from '../ports/random.ts';
import type { RiskAssessor } from '../ports/risk-assessor.ts';
import type { Store } from '../ports/store.ts';
import type { BookChange, BookSource, Venue } from '../ports/venue.ts';
import { AppError, assert } from '../domain/errors.ts';
import type { Asset, UserId } from '../domain/ids.ts';
import type { StrategyTable } from '../domain/strategy/strategy-row.ts';
import type { RiskCaps } from '../domain/reservation.ts';
import { createMemoryBus } from '../adapters/bus/memory-bus.ts';
import { createAgents } from '../services/agents/agents.ts';
import type { Agents } from '../services/agents/agents-types.ts';
import { createLookups } from '../services/lookups.ts';
import type { FarmSource } from '../services/farming/farm-source.ts';
import type { Orders } from '../services/orders/orders.ts';
import type { PlaceOrder } from '../services/orders/place-order.ts';
import type { PaperTrading } from '../services/paper/paper-trading.ts';
import { createPaperTrading } from '../services/paper/paper-trading.ts';
import type { Funding } from '../services/funding/venue-deposits.ts';
import { createTrading } from '../services/trading.ts';
import type { PortfolioDeps } from '../services/portfolio/portfolio.ts';
import type { Trading } from '../services/trading.ts';
import { createBooks } from '../../streams/book.ts';
import type { Books } from '../../streams/book.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { createExchange } from '../../streams/exchange.ts';
import type { ExchangePrices } from '../../streams/exchange.ts';
import { createPredictions } from '../../streams/inference.ts';
import type { Predictions } from '../../streams/inference.ts';
import { createOracle } from '../../streams/oracle.ts';
import type { Oracle } from '../../streams/oracle.ts';
import { createRoundViews } from '../../streams/round-view.ts';
import { createRounds } from '../../streams/rounds.ts';
import { createSignals } from '../../streams/signal.ts';
import { createMarketCache } from './market-cache.ts';
import type { MarketCache } from './market-cache.ts';
import { streamReports } from './stream-reports.ts';
import { createWarmBooks } from './warm-books.ts';

/** Assets whose prices are followed. */
export const ASSETS: readonly Asset[] = ['BTC', 'ETH', 'SOL'];

/** Everything outside, behind ports. The same core runs over wire adapters, and over the models on a virtual clock. */
export interface CorePorts {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  /** People's time; absent where the markets' is the same. */
  readonly wallClock?: Clock;
  readonly random: Random;
  /** Chance for paper trading, so that it takes none away from what is real; absent: `random`. */
  readonly paperRandom?: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly venue: Venue;
  /** Null or absent where no language model looks at markets before they are farmed. */
  readonly assessor?: RiskAssessor | null;
  /** Null without a key to the oracle: the venue's mirror of it then stands alone. */
  readonly oracle: PriceFeed | null;
  readonly exchange: PriceFeed;
  readonly inference: Inference;
  /** See TradingDeps; absent: no bound. */
  readonly caps?: RiskCaps;
  /** Takes the place of the product's strategies. */
  readonly strategies?: StrategyTable;
  /** Where orders move the funds of Safes; absent or null where they move the key's own. */
  readonly fundsInSafes?: FundsInSafes | null;
}

/** What trading asks of the Safes. */
export interface FundsInSafes {
  /** See PortfolioDeps. */
  readonly redeem: NonNullable<PortfolioDeps['redeem']>;
  /** Books what the chain says has arrived. */
  readonly syncDeposits: Funding['syncDeposits'];
  /** What a user's Safe still waits for; nothing when it may trade. */
  missing(userId: UserId): readonly string[];
}

/** Streams, machines and services joined; nothing runs before `start`. */
export interface Core {
  readonly trading: Trading;
  readonly orders: Orders;
  readonly agents: Agents;
  readonly books: Books;
  readonly oracle: Oracle;
  readonly exchange: ExchangePrices;
  readonly predictions: Predictions;
  readonly markets: MarketCache;
  /** Recovers trading, then agents, then lets signals in (L9). */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Joins streams, machines and services over the given ports. */
export function createCore(ports: CorePorts): Core {
  const { clock, random, venue, fundsInSafes } = ports;
  const scheduler = clockScheduler(clock);
  const reports = streamReports(ports);
  const rounds = createRounds({
    directory: offered(venue.rounds),
    random,
    scheduler,
    onFailed: reports.roundFailed,
  });
  const markets = createMarketCache({
    directory: venue.catalogue,
    discovery: venue.discovery,
    clock,
    browsing: venue.browsing.directory,
    lookups: createLookups(ports.wallClock ?? clock, TRADING_LOOKUPS),
    roundMarket: (marketId) => rounds.market(marketId),
  });
  const paperFeed: { trade: PaperTrading['onTrade']; resolved: PaperTrading['resolutionHint'] } = {
    trade: () => undefined,
    resolved: () => undefined,
  };
  const hints: { resolved: Trading['resolutionHint'] } = { resolved: () => undefined };
  const source = observed(offered(venue.books), (change) => {
    if (change.kind === 'tick_size') markets.tickChanged(change.tokenId, change.tickSize);
    if (change.kind === 'resolved') hints.resolved(change.marketId);
    if (change.kind === 'trade') paperFeed.trade(change.tokenId, change);
  });
  const books = createBooks({
    source,
    random,
    scheduler,
    speed: clock.speed ?? 1,
    report: reports.books,
  });
  const priceDeps = { random, scheduler, report: reports.prices, assets: ASSETS };
  const oracle = createOracle({ ...priceDeps, primary: ports.oracle, fallback: venue.prices });
  const exchange = createExchange({ ...priceDeps, feed: ports.exchange });
  const predictions = createPredictions({
    inference: ports.inference,
    random,
    scheduler,
    onFailed: reports.predictionFailed,
  });
  const signals = createSignals(
    createRoundViews({
      rounds,
      oracle,
      exchange,
      predictions,
      books,
      scheduler,
      report: reports.rounds,
    }),
  );
  const terms = offered(venue.trading);
  const trading = createTrading({
    ...ports,
    ...terms,
    accounts: venue.accounts,
    directory: venue.catalogue,
    regionChecks: venue.access === null ? {} : { [venue.id]: venue.access },
    redeem: fundsInSafes?.redeem ?? null,
    syncDeposits: fundsInSafes?.syncDeposits ?? null,
    markets,
    books: (tokenId) => books.view(tokenId),
  });
  hints.resolved = (marketId) => {
    trading.resolutionHint(marketId);
    paperFeed.resolved(marketId);
  };
  const warmBooks = createWarmBooks({ books, clock, scheduler });
  const warmBook = async (
    userId: UserId,
    { marketId, outcome }: Pick<PlaceOrder, 'marketId' | 'outcome'>,
  ): Promise<void> => {
    const market = markets.known(marketId) ?? (await markets.find(marketId, userId));
    if (market !== null) await warmBooks.warm(market, market.outcomes[outcome].tokenId);
  };
  const orders: Orders = {
    ...trading.orders,
    async place(userId, request) {
      const missing = fundsInSafes?.missing(userId) ?? [];
      if (missing.length > 0)
        throw new AppError(
          'wallet_not_ready',
          `your Safe still waits for its ${missing.join(' and ')}, which come by themselves`,
          { retryable: true, retryAfterMs: ONBOARDING.retryFirstMs },
        );
      if (request.type.kind === 'market') await warmBook(userId, request);
      return trading.orders.place(userId, request);
    },
  };
  const farming: FarmSource = {
    scan: offered(venue.scan),
    assessor: ports.assessor ?? null,
    market: (marketId) => markets.discover(marketId),
    quotes: {
      watch(market) {
        // A market that cannot be watched has no trusted book, and says so by that.
        const subscription = books.watch(market).subscribe({ error: () => undefined });
        return () => subscription.unsubscribe();
      },
      top: (tokenId) => books.top(tokenId),
    },
  };
  const paper = createPaperTrading({
    ...ports,
    rules: terms.rules,
    traits: terms.traits,
    directory: venue.catalogue,
    random: ports.paperRandom ?? random,
    bus: createMemoryBus({ log: ports.log }),
    realBus: ports.bus,
    markets,
    books: (tokenId) => books.view(tokenId),
  });
  paperFeed.trade = paper.onTrade;
  paperFeed.resolved = paper.resolutionHint;
  const agents = createAgents({
    ...ports,
    paper,
    commit: trading.commit,
    userStreams: trading.userStreams,
    orders: trading.orders,
    warmBook,
    portfolio: trading.portfolio,
    signals,
    farming,
    walletMissing: fundsInSafes?.missing,
  });
  let transitions: Subscription | null = null;

  return {
    trading,
    orders,
    agents,
    books,
    oracle,
    exchange,
    predictions,
    markets,
    async start() {
      await trading.orders.recover();
      transitions = signals.transitions().subscribe((transition) => agents.onSignal(transition));
      const enrolled = await agents.recover();
      ports.log.info({ ...enrolled }, 'agents.recovered');
    },
    async stop() {
      await agents.stop();
      transitions?.unsubscribe();
      warmBooks.stop();
      await trading.orders.stop();
      books.close();
    },
  };
}

/** The one venue there is offers everything. */
function offered<T>(port: T | null): T {
  assert(port !== null, 'the venue has rounds, books, trading and a scan');
  return port;
}

/** Lets the house hear what the book channel says besides books. */
function observed(source: BookSource, hear: (change: BookChange) => void): BookSource {
  return {
    snapshot: (tokenId) => source.snapshot(tokenId),
    watch: (tokenIds, listener) =>
      source.watch(tokenIds, {
        next(change) {
          if (change.kind !== 'book') hear(change);
          listener.next(change);
        },
        error: (cause) => listener.error(cause),
      }),
  };
}
