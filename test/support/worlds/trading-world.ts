import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { LOCK, SYNC } from '../../../config/limits.ts';
import type { BookView } from '../../../src/domain/book.ts';
import { CASH_ACCOUNTS, type CashAccount } from '../../../src/domain/cash.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { MarketId, TokenId, UserId, VenueId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { RiskCaps } from '../../../src/domain/reservation.ts';
import { cashRisk } from '../../../src/domain/risk.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Tracing } from '../../../src/ports/tracing.ts';
import { isRiskSound } from '../../../src/services/recovery.ts';
import { balanceOf, riskOf } from '../../../src/services/books/record-changes.ts';
import { bookArrival } from '../../../src/services/funding/movement-booking.ts';
import { BALANCES, ORDERS, POSITIONS, FILLS } from '../../../src/services/books/tables.ts';
import { createTrading, type Trading } from '../../../src/services/trading.ts';
import {
  createVenues,
  type TradedVenue,
  type VenueFunds,
  type Venues,
} from '../../../src/services/venues.ts';
import { aBook, aMarket, aUserId, T0 } from '../builders.ts';
import { createFakeSigner, FakeVenue } from '../fakes/fake-venue.ts';
import { leash } from '../fakes/leashed-venue.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../quiet.ts';
import { ReplayedLedger } from '../checks/replayed-ledger.ts';
import { verifyBooks } from '../checks/verify-books.ts';
import { aTradedVenue } from '../traded-venues.ts';
import { VENUE_A, VENUE_B, VENUE_C } from '../venue-ids.ts';

/** The trading services of one process life over a store, with the fakes around them. */
export interface Life extends Trading {
  readonly store: Store;
  /** Ends the process as a power failure does: nothing it does from now on reaches the venue. */
  die(): void;
  readonly bus: ReturnType<typeof createKeptBus>;
  readonly log: ReturnType<typeof createKeptLog>;
  readonly metrics: ReturnType<typeof createKeptMetrics>;
}

/** What outlives a process: clock, venue, books. */
export interface World {
  readonly clock: VirtualClock;
  readonly venue: FakeVenue;
  /**
   * What the venue says when it is asked whether it takes no orders from us; null: nothing of use.
   */
  readonly region: { isBlocked: boolean | null; asked: number };
  readonly market: Market;
  readonly markets: readonly Market[];
  readonly user: UserId;
  readonly books: Map<TokenId, BookView>;
  /** Starts a process on a store. */
  live(store: Store, options?: LifeOptions): Life;
}

/** How a process is set up. */
export interface LifeOptions {
  readonly seed?: string;
  readonly lock?: { readonly leaseMs: number; readonly queueMaximum: number };
  readonly caps?: RiskCaps;
  /** Users whose channel is watched at a time. */
  readonly watchedMaximum?: number;
  /** Where spans of orders go; absent: nothing is traced. */
  readonly tracing?: Tracing;
  /** Has won shares redeemed on chain; absent, the venue pays by itself. */
  readonly redeem?: VenueFunds['redeem'] | null;
  /** What is kept of books; a fresh one of each unless stated. */
  readonly books?: TradedVenue['books'];
  /** Opens the venues in another way than all of them, as they are. */
  readonly venues?: (venues: readonly TradedVenue[]) => Venues;
  /** No market is known before it is looked up, which takes this long. */
  readonly lookupMs?: number;
}

/** Makes a world with two markets; the user's deposit waits at the venue. */
export function aWorld(
  depositUsdc = 100_000_000,
  markets: readonly Market[] = [aMarket(1), aMarket(2)],
  clock: VirtualClock = createVirtualClock(T0),
): World {
  const venue = new FakeVenue(clock, markets);
  const region: World['region'] = { isBlocked: null, asked: 0 };
  const user = aUserId(1);
  const books = new Map<TokenId, BookView>();
  const [market = aMarket(1)] = markets;
  venue.deposit(user, depositUsdc);
  return {
    clock,
    venue,
    region,
    market,
    markets,
    user,
    books,
    live(
      store,
      {
        seed = 'life',
        lock = LOCK,
        caps = {},
        watchedMaximum = SYNC.activeUsersMaximum,
        redeem = null,
        tracing,
        lookupMs,
        venues = createVenues,
        books: kept = (tokenId: TokenId) =>
          books.get(tokenId) ?? freshBook(markets, tokenId, clock.nowMs()),
      } = {},
    ) {
      const bus = createKeptBus();
      const log = createKeptLog();
      const metrics = createKeptMetrics();
      const random = createSeededRandom(seed);
      const line = leash(venue);
      const listing = (venue: VenueId): TradedVenue['markets'] => {
        const listed = (marketId: MarketId) =>
          markets.find((market) => market.venue === venue && market.marketId === marketId) ?? null;
        return {
          known: (marketId) => (lookupMs === undefined ? listed(marketId) : null),
          find: (marketId) =>
            new Promise((resolve) =>
              lookupMs === undefined
                ? resolve(null)
                : void clock.after(lookupMs, () => resolve(listed(marketId))),
            ),
        };
      };
      const main = aTradedVenue({
        signer: createFakeSigner(random),
        ...line,
        markets: listing(VENUE_A),
        books: kept,
        access: { isBlocked: () => askRegion(region) },
        identity: null,
        funds: redeem && { redeem, missing: () => [], syncDeposits: null },
      });
      const others = OTHER_VENUES.filter(({ id }) => markets.some(({ venue }) => venue === id)).map(
        (other) => ({
          ...main,
          ...other,
          markets: listing(other.id),
          accounts: { deposits: async () => [] },
          access: null,
          identity: null,
        }),
      );
      const trading = createTrading({
        store,
        bus,
        clock,
        random,
        log,
        metrics,
        venues: venues([main, ...others]),
        lock,
        caps,
        watchedMaximum,
        tracing,
      });
      return { ...trading, store, bus, log, metrics, die: () => line.cut() };
    },
  };
}

/** Venues beside the first, which trade over the same line from another wallet. */
const OTHER_VENUES = [
  { id: VENUE_B, cashAccount: 'usdc:solana' },
  { id: VENUE_C, cashAccount: 'usdc:base' },
] as const;

async function askRegion(region: World['region']): Promise<boolean> {
  region.asked += 1;
  if (region.isBlocked === null)
    throw new AppError('venue_protocol', 'unexpected format of the answer about our region');
  return region.isBlocked;
}

/** A world whose user has the deposit booked. */
export async function aFundedLife(
  depositUsdc?: number,
  options: LifeOptions = {},
): Promise<{ readonly world: World; readonly life: Life; readonly store: MemoryStore }> {
  const world = aWorld(depositUsdc);
  const store = createMemoryStore();
  const life = world.live(store, options);
  await life.orders.recover();
  await life.funding.syncDeposits(world.user);
  return { world, life, store };
}

/** Books money that came to the user's other wallets, by account. */
export async function fundWallets(
  life: Life,
  { user, clock }: World,
  usdc: Readonly<Partial<Record<CashAccount, number>>>,
): Promise<void> {
  const time = { nowMs: clock.nowMs(), bookedAtMs: clock.nowMs() };
  await life.commit((tx) => {
    for (const cashAccount of CASH_ACCOUNTS) {
      const micros = usdc[cashAccount];
      if (micros === undefined) continue;
      const arrival = { userId: user, cashAccount, transferId: cashAccount, transactionHash: null };
      bookArrival(tx, { ...arrival, usdc: usdcMicros(micros), via: 'direct' }, time);
    }
  });
}

/** A trusted book of the fake venue's standing quote, received now. */
function freshBook(markets: readonly Market[], tokenId: TokenId, atMs: number): BookView | null {
  const market = markets.find(({ outcomes }) =>
    outcomes.some((outcome) => outcome.tokenId === tokenId),
  );
  if (market === undefined) return null;
  return aBook(market, market.outcomes[0].tokenId === tokenId ? 0 : 1, {
    receivedAtMs: atMs,
    venueAtMs: atMs,
  });
}

/** Passes time until a promise settles, at most `maximumMs`. */
export async function during<T>(
  world: Pick<World, 'clock'>,
  work: Promise<T>,
  maximumMs = 120_000,
): Promise<T> {
  let isDone = false;
  const settled = work.finally(() => (isDone = true));
  settled.catch(() => undefined);
  await world.clock.advanceUntil(() => isDone, maximumMs);
  if (!isDone) throw new Error(`nothing came of it in ${maximumMs} ms`);
  return settled;
}

/** All orders of a store. */
export function ordersOf(store: Store): readonly OrderRecord[] {
  return store.range(ORDERS).map(({ value }) => value);
}

/**
 * What must hold after every step (L4, L5): sums, replay, risk. Gives the sentences of what does
 * not.
 */
export function brokenLaws(store: Store, user: UserId): readonly string[] {
  const broken: string[] = [];
  const books = verifyBooks(store);
  if (books.imbalanceMicros !== 0) broken.push('the books do not balance');
  broken.push(
    ...books.differing.map((name) => `the journal replays to another balance of ${name}`),
  );
  const entries = store
    .readJournal(0, 1_000_000)
    .flatMap(({ event }) => (event.type === 'ledger.posted' ? [event.entry] : []));
  if (
    JSON.stringify([...new ReplayedLedger().replay(entries).accounts()]) !==
    JSON.stringify([...new ReplayedLedger().replay(entries).replay(entries).accounts()])
  )
    broken.push('a second replay changes the books');
  if (!isRiskSound(store, user)) broken.push('risk differs from its records');
  for (const account of CASH_ACCOUNTS) {
    const { reservedUsdc, outgoingUsdc } = cashRisk(riskOf(store, user), account);
    if (reservedUsdc + outgoingUsdc > balanceOf(store, user, account).settled)
      broken.push(`${account} has promised more than there is`);
  }
  for (const { value: position } of store.range(POSITIONS)) {
    const ledger = balanceOf(store, position.userId, position.tokenId);
    if (ledger.settled + ledger.provisional !== position.shares)
      broken.push(`position in ${position.tokenId} differs from the ledger`);
  }
  return broken;
}

/**
 * What is the same in two runs that came to the same end: orders, fills, positions and balances
 * without their times.
 */
export function endState(store: Store): unknown {
  return {
    orders: ordersOf(store).map(
      ({ intent, state, filledShares, filledUsdc, feesUsdc, reserved }) => ({
        tokenId: intent.tokenId,
        side: intent.side,
        spendMicros: intent.spendMicros,
        state,
        filledShares,
        filledUsdc,
        feesUsdc,
        reserved,
      }),
    ),
    fills: store
      .range(FILLS)
      .map(({ value: { tradeId, shares, usdc, fee, settlement } }) => ({
        tradeId,
        shares,
        usdc,
        fee,
        settlement,
      }))
      .sort((a, b) => (a.tradeId < b.tradeId ? -1 : 1)),
    positions: store
      .range(POSITIONS)
      .map(({ value: { tokenId, state, shares, costUsdc, realizedPnl } }) => ({
        tokenId,
        state,
        shares,
        costUsdc,
        realizedPnl,
      })),
    balances: store.range(BALANCES).map(({ key, value }) => ({ key, value })),
  };
}
