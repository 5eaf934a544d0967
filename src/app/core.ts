import type { Subscription } from 'rxjs';
import type { Bus } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Inference } from '../ports/inference.ts';
import type { Log } from '../ports/log.ts';
import type { Exemplars, Metrics } from '../ports/metrics.ts';
import type { PriceFeed } from '../ports/price-feed.ts';
import type { Random } from '../ports/random.ts';
import type { RiskAssessor } from '../ports/risk-assessor.ts';
import type { Store } from '../ports/store.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { Venue } from '../ports/venue.ts';
import { AppError, type FieldError } from '../domain/errors.ts';
import type { Asset, UserId, VenueId } from '../domain/ids.ts';
import type { StrategyTable } from '../domain/strategy/strategy-row.ts';
import type { RiskCaps } from '../domain/reservation.ts';
import { createMemoryBus } from '../adapters/bus/memory-bus.ts';
import { createAgents } from '../services/agents/agents.ts';
import type { Agents } from '../services/agents/agents-types.ts';
import type { FarmSource } from '../services/farming/farm-source.ts';
import type { Orders } from '../services/orders/orders.ts';
import { createPaperTrading, type PaperTrading } from '../services/paper/paper-trading.ts';
import { createCommitOrder } from '../services/commit.ts';
import { identityProblem } from '../services/orders/identity-gate.ts';
import { createTrading, type Trading } from '../services/trading.ts';
import {
  createVenues,
  type ClosedVenue,
  type AccountFunds,
  type OpenVenue,
  type Venues,
} from '../services/venues.ts';
import { createBooks } from '../../streams/book.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { createExchange, type ExchangePrices } from '../../streams/exchange.ts';
import { createPredictions, type Predictions } from '../../streams/inference.ts';
import { createOracle, type Oracle } from '../../streams/oracle.ts';
import { createRoundViews } from '../../streams/round-view.ts';
import { createRounds } from '../../streams/rounds.ts';
import { createSignals } from '../../streams/signal.ts';
import { coinPriceOf } from './coin-price.ts';
import { streamReports } from './stream-reports.ts';
import {
  createLateFunds,
  type AdoptingFunds,
  type LateFunds,
  type WalletFundsParts,
} from './wallet-funds.ts';
import type { WalletRounds } from '../services/funding/wallet-rounds.ts';
import { followVenue, NO_BOOKS, followed, type VenueStreams } from './venue-streams.ts';

/** Assets whose prices are followed. */
export const ASSETS: readonly Asset[] = ['BTC', 'ETH', 'SOL'];

/**
 * Everything outside, behind ports. The same core runs over wire adapters, and over the models on a
 * virtual clock.
 */
export interface CorePorts {
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Wall time; absent where market time is the same. */
  readonly wallClock?: Clock;
  readonly random: Random;
  /** Chance for paper trading, so that it takes none away from what is real; absent: `random`. */
  readonly paperRandom?: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Those that are open. */
  readonly venues: readonly Venue[];
  /** Those that could not be opened; none where absent. */
  readonly closedVenues?: readonly ClosedVenue[];
  /** Null or absent where no language model looks at markets before they are farmed. */
  readonly assessor?: RiskAssessor | null;
  /** Null without a key to the oracle: the venue's mirror of it is then the only one. */
  readonly oracle: PriceFeed | null;
  readonly exchange: PriceFeed;
  readonly inference: Inference;
  /** See `createTrading`; absent: nothing is traced. */
  readonly tracing?: (Tracing & Partial<Exemplars>) | undefined;
  /** See `createTrading`; absent: no bound. */
  readonly caps?: RiskCaps;
  /** Takes the place of the product's strategies. */
  readonly strategies?: StrategyTable;
  /** Looks at users' own wallets beside those of the venues; none where absent. */
  readonly walletReads?: WalletFundsParts['walletReads'];
  /** Accounts whose funds orders move; none where absent: orders move the keys' own. */
  readonly accountFunds?: AccountFunds;
  /** See WalletFundsParts; absent where no venue redeems by transactions of users' own accounts. */
  readonly transactions?: WalletFundsParts['transactions'];
}

/** Streams, machines and services joined; nothing runs before `start`. */
export interface Core {
  readonly trading: Trading;
  readonly orders: Orders;
  readonly paper: PaperTrading;
  readonly agents: Agents;
  readonly oracle: Oracle;
  readonly exchange: ExchangePrices;
  readonly predictions: Predictions;
  readonly venues: readonly VenueStreams[];
  readonly closedVenues: readonly ClosedVenue[];
  /** Looks at users' own wallets; not begun. */
  readonly walletRounds: WalletRounds;
  /** What adopting asks of users' own wallets. */
  readonly adopting: AdoptingFunds;
  /** See LateFunds. */
  claimsAt: LateFunds['claimsAt'];
  /**
   * Returns what is known of a venue's markets and books. Errors: `venue_unavailable` for one that
   * is not open.
   */
  at(venue: VenueId): VenueStreams;
  /** Recovers trading, then agents, then lets signals in (L9). */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Joins streams, machines and services over the given ports. */
export function createCore(ports: CorePorts): Core {
  const { clock, random, venues, accountFunds = {} } = ports;
  const scheduler = clockScheduler(clock);
  const reports = streamReports(ports);
  const roundVenue = venues.find(({ rounds }) => rounds !== null);
  const rounds = createRounds({
    directory: roundVenue?.rounds ?? NO_ROUNDS,
    random,
    scheduler,
    onFailed: reports.roundFailed,
  });
  const paperFeed: { trade: PaperTrading['onTrade']; resolved: PaperTrading['resolutionHint'] } = {
    trade: () => undefined,
    resolved: () => undefined,
  };
  const wallets = createLateFunds();
  const hints: { resolved: Trading['resolutionHint'] } = { resolved: () => undefined };
  const streams = venues.map((venue) =>
    followVenue(venue, {
      clock,
      wallClock: ports.wallClock ?? clock,
      random,
      scheduler,
      report: reports.books(venue.id),
      roundMarket: (marketId) => (venue === roundVenue ? rounds.market(marketId) : null),
      hear(change) {
        if (change.kind === 'resolved') hints.resolved(change.marketId);
        if (change.kind === 'trade') paperFeed.trade(change.tokenId, change);
      },
      accountFunds,
      fundsInWallets: (one) => wallets.fundsOf(one),
    }),
  );
  const roundBooks =
    streams.find(({ venue }) => venue === roundVenue)?.books ??
    createBooks({ source: NO_BOOKS, random, scheduler, report: {} });
  const at = (id: VenueId): VenueStreams => {
    const found = streams.find(({ venue }) => venue.id === id);
    if (found === undefined) throw notOpen();
    return found;
  };
  const priceDeps = { random, scheduler, report: reports.prices, assets: ASSETS };
  const oracle = createOracle({
    ...priceDeps,
    primary: ports.oracle,
    fallback: roundVenue?.prices ?? null,
  });
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
      books: roundBooks,
      scheduler,
      report: reports.rounds,
    }),
  );
  const tradedVenues = createVenues(
    streams.flatMap(({ traded }) => traded),
    ports.closedVenues,
  );
  const order = createCommitOrder();
  const trading = createTrading({
    ...ports,
    order,
    venues: tradedVenues,
    coinPrice: coinPriceOf(exchange),
  });
  const walletRounds = wallets.begin({
    ...ports,
    wallClock: ports.wallClock ?? clock,
    walletReads: ports.walletReads ?? (() => []),
    venues: tradedVenues,
    commit: trading.commit,
    orders: trading.orders,
    portfolio: trading.portfolio,
  });
  hints.resolved = (marketId) => {
    trading.resolutionHint(marketId);
    paperFeed.resolved(marketId);
  };
  const paper = createPaperTrading({
    ...ports,
    order,
    venues: tradedVenues,
    random: ports.paperRandom ?? random,
    bus: createMemoryBus({ log: ports.log }),
    realBus: ports.bus,
  });
  paperFeed.trade = paper.onTrade;
  paperFeed.resolved = paper.resolutionHint;
  const agents = createAgents({
    ...ports,
    paper,
    commit: trading.commit,
    userStreams: trading.userStreams,
    orders: trading.orders,
    portfolio: trading.portfolio,
    signals,
    farming: (venue) => farmSource(streams, venue, ports.assessor ?? null),
    lacking: (userId, venue) => lacking(tradedVenues, userId, venue),
    isServed: trading.isServed,
    walletMissing: (userId, venue) =>
      tradedVenues.isServed(venue)
        ? (accountFunds[tradedVenues.cashAccountOf(venue)]?.missing(userId) ?? [])
        : [],
  });
  let transitions: Subscription | null = null;

  return {
    trading,
    orders: trading.orders,
    paper,
    agents,
    oracle,
    exchange,
    predictions,
    venues: streams,
    closedVenues: tradedVenues.closed,
    walletRounds,
    adopting: wallets.adopting,
    claimsAt: (venue) => wallets.claimsAt(venue),
    at,
    async start() {
      const beganMs = performance.now();
      await trading.orders.recover();
      transitions = signals.transitions().subscribe((transition) => agents.onSignal(transition));
      const enrolled = await agents.recover();
      ports.metrics.gauge('recovery_seconds', (performance.now() - beganMs) / 1_000);
      ports.log.info({ ...enrolled }, 'agents.recovered');
    },
    async stop() {
      walletRounds.stop();
      await agents.stop();
      transitions?.unsubscribe();
      for (const { warmBooks } of streams) warmBooks.stop();
      await trading.orders.stop();
      for (const { books } of streams) books.close();
    },
  };
}

/** What is farmed of a venue: its long-running markets. */
function farmSource(
  streams: readonly VenueStreams[],
  id: VenueId,
  assessor: RiskAssessor | null,
): FarmSource {
  const farmed = streams.find(({ venue }) => venue.id === id && venue.scan !== null);
  return {
    scan: farmed?.venue.scan ?? NO_SCAN,
    assessor,
    market: (marketId) => farmed?.markets.discover(marketId) ?? Promise.resolve(null),
    quotes: {
      watch: (market) => (farmed === undefined ? () => undefined : followed(farmed.books, market)),
      top: (tokenId) => farmed?.books.top(tokenId) ?? null,
    },
  };
}

/**
 * What a user lacks to buy at a venue, beside the money itself: to be known there, and coin for the
 * network.
 */
function lacking(
  venues: Venues,
  userId: UserId,
  id: VenueId,
): Promise<readonly FieldError[]> | null {
  if (!venues.isOpen(id)) return null;
  const venue = venues.of(id);
  return venue.identity === null && venue.accounts.missing === undefined
    ? null
    : lackingAt(venue, userId);
}

async function lackingAt(venue: OpenVenue, userId: UserId): Promise<readonly FieldError[]> {
  const problem = await identityProblem(venue, userId);
  const region = regionProblem(venue);
  const short = (await venue.accounts.missing?.(userId)) ?? [];
  return [
    ...(region === null ? [] : [{ path: '/region', code: region.code, message: region.message }]),
    ...(problem === null
      ? []
      : [
          {
            path: '/identity',
            code: problem.code,
            message: `${problem.message}: ${problem.link ?? ''}`,
          },
        ]),
    ...short.map((message) => ({ path: '/wallet', code: 'insufficient_funds' as const, message })),
  ];
}

function regionProblem({ assertRegionAllowsBuys }: OpenVenue): AppError | null {
  try {
    assertRegionAllowsBuys?.();
    return null;
  } catch (cause) {
    if (cause instanceof AppError) return cause;
    throw cause;
  }
}

/** Of agents whose venue could not be opened: they wait for it as for one that is down. */
const NO_ROUNDS: NonNullable<Venue['rounds']> = {
  round: () => Promise.reject(notOpen()),
  market: () => Promise.reject(notOpen()),
};
const NO_SCAN: NonNullable<Venue['scan']> = { page: () => Promise.reject(notOpen()) };

function notOpen(): AppError {
  return new AppError('venue_unavailable', 'the venue could not be opened', { retryable: true });
}
