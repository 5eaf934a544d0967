import { expect } from 'vitest';
import type { BookLevel } from '../../../src/domain/book.ts';
import type { FillLeg, VenueFill } from '../../../src/domain/fill.ts';
import { asId, type OrderId, type TokenId, type UserId } from '../../../src/domain/ids.ts';
import type { Market, OutcomeIndex } from '../../../src/domain/market.ts';
import type {
  ImmediateLife,
  OrderAmount,
  OrderHandle,
  OrderIntent,
  TradeSide,
} from '../../../src/domain/order.ts';
import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { assert } from '../../../src/domain/errors.ts';
import { priceTicks, TICKS_PER_USD } from '../../../src/domain/units.ts';
import type { CashAccount } from '../../../src/domain/cash.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { TermsQuestion } from '../../../src/ports/order-rules.ts';
import type { Prepared } from '../../../src/ports/order-signer.ts';
import type { Venue, VenueAccounts, VenueTrading } from '../../../src/ports/venue.ts';
import type { LookupOutcome, SubmitOutcome, VenueOrder } from '../../../src/ports/order-gateway.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { BookSource } from '../../../src/ports/venue-books.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import type { Transactions } from '../../../src/services/transactions/transactions.ts';
import type { VenueRow } from '../../../src/venues/contract.ts';
import { pump } from '../../support/clocks/pumped-clock.ts';
import { aBook, aLevel } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { handleOf } from '../../support/attempts.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

/** A venue with one open market of tick 0.01, and hands on its world. */
export interface TradingUnderTest {
  readonly trading: VenueTrading;
  readonly cashAccount: CashAccount;
  readonly accounts: VenueAccounts;
  readonly books: BookSource;
  readonly clock: Clock;
  /** Holds 1 000 USDC in one deposit and no shares. */
  readonly userId: UserId;
  readonly market: Market;
  /**
   * What prices come from: orders, each at the price it states, or a curve that every trade moves,
   * on which nothing is to be had at a price of choice; orders unless it is said.
   */
  readonly pricedBy?: 'orders' | 'curve';
  /**
   * Another trader rests an order. On a curve they trade until so many shares can be had, or sold,
   * each at that price or better.
   */
  quote(order: OtherOrder): void | Promise<void>;
  /** Another trader takes what rests, at most to that price; on a curve as `quote`. */
  take(order: OtherOrder): void | Promise<void>;
  /** The next frame about a book cannot be read. */
  readonly garbleFrame: (() => void) | null;
  close(): Promise<void>;
}

/**
 * A venue's row and the world beside it, which outlives any process: one open market of tick 0.01,
 * a user with 1 000 USDC.
 */
export interface VenueWorld
  extends Pick<
    TradingUnderTest,
    'userId' | 'market' | 'pricedBy' | 'quote' | 'take' | 'garbleFrame'
  > {
  readonly row: VenueRow;
  readonly clock: VirtualClock;
  /**
   * What becomes of the next order on its way: it arrives and the answer is lost, or it is lost
   * itself.
   */
  befall(accident: 'unanswered' | 'lost'): void;
  /** Has the next trade fail to settle. */
  failTrade(): void;
  /** How long it and we may take to agree, ms; a minute unless said otherwise. */
  readonly patienceMs?: number;
  /** After this they agree once nothing is under way, ms; as long as `patienceMs` unless said. */
  readonly agreedAfterMs?: number;
  /** Ends the market and pays its winners. */
  resolve(payoutTicks: readonly [number, number]): void;
  /**
   * Opens the row as a start of a process does, whose clock and chance are its own. Closed, it
   * hears nothing more.
   */
  open(clock: Clock, life: string): Promise<Venue>;
  /** Carries the transactions of a process, by the name it opened the row with; absent: none. */
  carry?(process: CarryingProcess): Transactions;
  close(): void | Promise<void>;
}

/** A process whose transactions are carried. */
interface CarryingProcess {
  readonly name: string;
  readonly store: Store;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly log: Log;
}

/** A venue as its row opens it, in its world. */
export interface VenueUnderTest extends TradingUnderTest {
  readonly world: VenueWorld;
  readonly venue: Venue;
}

/** Opens the row of a world whose clock moves on by itself, `stepMs` at a time. */
export async function opened(making: Promise<VenueWorld>, stepMs = 1): Promise<VenueUnderTest> {
  const world = await making;
  const venue = await world.open(world.clock, 'only');
  const { books, accounts, cashAccount } = venue;
  const trading = tradingAt(venue, world.market);
  assert(books !== null, `${venue.id} has books`);
  const carried = carriedIn(world);
  const motion = pump(world.clock, stepMs);
  return {
    ...world,
    world,
    venue,
    trading,
    books,
    accounts,
    cashAccount,
    async close() {
      carried?.stop();
      await motion.stop();
      await venue.close();
      await world.close();
    },
  };
}

/** The queues of transactions of a venue that trades by them, in books of their own. */
function carriedIn({ carry, clock }: VenueWorld): Transactions | undefined {
  const store = createMemoryStore();
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  return carry?.({ name: 'only', store, commit, clock, log: createKeptLog() });
}

/** Returns the mechanism by which a venue trades a market. */
export function tradingAt({ id, mechanisms }: Venue, { mechanism }: Market): VenueTrading {
  const [, trading] =
    Object.entries(mechanisms).find(
      ([name]) => mechanism === undefined || name === String(mechanism),
    ) ?? [];
  assert(trading !== undefined, `${id} trades the market`);
  return trading;
}

/**
 * Expects that a trade came to so many shares at a price: exactly that where orders state prices.
 * A curve is asked for dollars, so that millionths more or fewer change hands, at no worse a price
 * on the whole.
 */
export function expectTraded(
  { pricedBy, trading }: Pick<TradingUnderTest, 'pricedBy' | 'trading'>,
  legs: readonly FillLeg[],
  traded: { readonly side: TradeSide; readonly shares: number; readonly price: number },
): void {
  const { side, price } = traded;
  const wanted = traded.shares * 1_000_000;
  if (pricedBy !== 'curve')
    return expect(legs).toMatchObject([{ shares: wanted, price: traded.price }]);
  const sum = (of: (leg: FillLeg) => number) => legs.reduce((total, leg) => total + of(leg), 0);
  const [shares, dollars] = [sum((leg) => leg.shares), sum(({ usdc }) => usdc ?? Number.NaN)];
  const { dustShareMicros } = trading.traits;
  expect(Math.abs(shares - wanted)).toBeLessThanOrEqual(dustShareMicros);
  if (side === 'buy') {
    expect(shares).toBeGreaterThanOrEqual(wanted);
    expect(dollars).toBeLessThanOrEqual((wanted * price) / TICKS_PER_USD);
  } else expect(dollars).toBeGreaterThanOrEqual((wanted * price) / TICKS_PER_USD);
}

/** An order of another user: ticks and whole shares. */
export interface OtherOrder {
  readonly tokenId: TokenId;
  readonly side: TradeSide;
  readonly price: number;
  readonly shares: number;
}

/** Makes orders at a venue as the service does: terms by its rules, bytes by its signer. */
export function ordersAt(venue: TradingUnderTest) {
  const { trading, market, userId, clock, cashAccount } = venue;
  let count = 0;
  const intentOf = (
    question: Pick<TermsQuestion, 'side' | 'amount' | 'type'>,
    {
      outcome = 0,
      expiresAtMs = null,
    }: { readonly outcome?: OutcomeIndex; readonly expiresAtMs?: number | null } = {},
  ): OrderIntent => ({
    intentId: asId(`int_${(count += 1)}`),
    userId,
    venue: market.venue,
    cashAccount,
    origin: { kind: 'manual' },
    marketId: market.marketId,
    tokenId: market.outcomes[outcome].tokenId,
    outcome,
    side: question.side,
    life: question.type.kind === 'limit' ? 'rests' : question.type.life,
    ...trading.rules.terms({ market, ...question }),
    createdAtMs: clock.nowMs(),
    expiresAtMs,
    sendUntilMs: clock.nowMs() + trading.traits.sendWindowMs,
  });
  const prepare = async (intent: OrderIntent): Promise<Prepared | null> =>
    (await trading.signer.prepare?.({ intent, market, atMs: clock.nowMs() })) ?? null;
  const made: OrderHandle[] = [];
  const sign = async (intent: OrderIntent): Promise<OrderHandle> => {
    const handle = handleOf(intent, trading.signer.sign(intent, await prepare(intent)));
    made.push(handle);
    return handle;
  };
  /** The user's trades: by the venue's list, or order by order where it has none. */
  const trades = async (sinceMs = 0): Promise<readonly VenueFill[]> => {
    const { gateway } = trading;
    if (gateway.fills !== null) return (await gateway.fills(userId, sinceMs)).read;
    const found = await Promise.all(made.map((order) => gateway.lookup(order)));
    return found.flatMap((word) => (word.kind === 'found' ? (word.fills ?? []) : []));
  };
  /** A book that offers a thousand shares on each side at a price. */
  const bookAt = (ticks: number, outcome: OutcomeIndex = 0) =>
    aBook(market, outcome, { bids: [aLevel(ticks, 1_000)], asks: [aLevel(ticks, 1_000)] });
  const shares = (number: number): OrderAmount => ({ unit: 'shares', micros: number * 1_000_000 });
  return {
    intentOf,
    prepare,
    sign,
    trades,
    bookAt,
    shares,
    /** An order for what is to be had at a price, by what the book is said to offer. */
    now: (
      side: TradeSide,
      number: number,
      price: number,
      life: ImmediateLife = trading.traits.lives.includes('all_now') ? 'all_now' : 'part_now',
      asks: readonly BookLevel[] = bookAt(price).asks,
    ) => {
      const type = { kind: 'market', life, worstPrice: priceTicks(price) } as const;
      const book = { ...bookAt(price), asks };
      return sign(intentOf({ side, amount: shares(number), type: { ...type, book } }));
    },
    /** An order that rests until it is cancelled, unless an end is given. */
    rest: (
      number: number,
      price: number,
      expiresAtMs: number | null = null,
      side: TradeSide = 'buy',
    ) =>
      sign(
        intentOf(
          { side, amount: shares(number), type: { kind: 'limit', price: priceTicks(price) } },
          { expiresAtMs },
        ),
      ),
    /**
     * Sends an order that is to be taken, and waits for what becomes of it where the answer says
     * nothing of that. Returns the venue's id, and the order as one that knows it.
     */
    async taken(order: OrderHandle): Promise<{
      readonly orderId: OrderId;
      readonly status: string;
      readonly order: OrderHandle;
    }> {
      const outcome = await trading.gateway.submit(order);
      const { orderId, status } =
        outcome.kind === 'sent'
          ? await eventually(async () => concluded(await trading.gateway.lookup(order)))
          : accepted(outcome);
      return { orderId, status, order: { ...order, attempt: { ...order.attempt, orderId } } };
    },
    async fillsOf(orderId: OrderId): Promise<readonly VenueFill[]> {
      return (await trades()).filter((fill) => fill.orderId === orderId);
    },
  };
}

function accepted(outcome: SubmitOutcome): Extract<SubmitOutcome, { kind: 'accepted' }> {
  if (outcome.kind === 'accepted') return outcome;
  throw new Error(`the order was not taken: ${JSON.stringify(outcome)}`);
}

/** The order as it ended; throws while it is under way. */
function concluded(word: LookupOutcome): Pick<VenueOrder, 'orderId' | 'status'> {
  if (word.kind === 'found' && word.order.status !== 'delayed') return word.order;
  throw new Error(`the order is under way: ${JSON.stringify(word)}`);
}
