import type { DirectService, DirectUser } from '../../src/tools/replay/direct-service.ts';
import { CASH_ACCOUNTS } from '../../src/domain/cash.ts';
import type { LedgerBalance } from '../../src/domain/ledger.ts';
import { BALANCES, ORDER_IDS, ORDERS, RISK } from '../../src/services/books/tables.ts';
import { verifyBooks } from '../support/checks/verify-books.ts';
import { orderIdOf } from '../support/attempts.ts';
import { VENUE_A } from '../support/venue-ids.ts';
import type { WorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';

/** A service after a run, and the world it ran in. */
export interface Rested {
  readonly service: DirectService;
  readonly model: WorldModel;
  readonly users: readonly DirectUser[];
  /** What users hold at venues beside the model's, by asset; nothing unless stated. */
  heldElsewhere?(user: DirectUser): ReadonlyMap<string, number>;
}

/**
 * What a service at rest must not be, each law by itself; every list is empty where all is well.
 */
export interface Findings {
  readonly books: readonly string[];
  readonly openOrders: readonly string[];
  readonly venueOrdersOfNoIntent: readonly string[];
  readonly ordersPerIntentAboveOne: readonly string[];
  readonly misjudged: readonly string[];
  readonly reservations: readonly string[];
  readonly differences: readonly string[];
}

/**
 * Reads the records of the service and those of the venue, each by itself, and lists where they
 * part.
 */
export function findingsOf(rested: Rested): Findings {
  const { service, users } = rested;
  return {
    books: booksOf(rested),
    openOrders: users
      .flatMap(({ userId }) => service.core.orders.listOpen(userId))
      .map(({ intent, state }) => `${intent.intentId} ${state}`),
    venueOrdersOfNoIntent: strangers(rested),
    ordersPerIntentAboveOne: doubled(rested),
    misjudged: misjudged(rested),
    reservations: users.flatMap(({ userId }) => reservationsOf(rested, userId)),
    differences: users.flatMap((user) => differencesOf(rested, user)),
  };
}

/** L4: the journal replays to the stored books, and those add up to nothing. */
function booksOf({ service }: Rested): readonly string[] {
  const { imbalanceMicros, differing } = verifyBooks(service.store);
  return imbalanceMicros === 0
    ? differing
    : [`the books are off by ${imbalanceMicros} micros`, ...differing];
}

/** Orders of our users at the venue, by id. */
function venueOrders({ model }: Rested): readonly string[] {
  return model.exchange
    .snapshot()
    .records.flatMap((record) => (record.kind === 'order' ? [record.order.order.orderId] : []));
}

/** Every order id we ever signed, with the intent it was signed for. */
function signedOrders({ service }: Rested): ReadonlyMap<string, string> {
  return new Map(
    service.store.range(ORDER_IDS).map(({ key, value }) => [String(key[0]), value.intentId]),
  );
}

/** L1: the venue holds nothing that no stored intent made. */
function strangers(rested: Rested): readonly string[] {
  const signed = signedOrders(rested);
  return venueOrders(rested).filter((orderId) => !signed.has(orderId));
}

/** L1: intents for which the venue holds more than one order. */
function doubled(rested: Rested): readonly string[] {
  const signed = signedOrders(rested);
  const intents = venueOrders(rested).flatMap((orderId) => signed.get(orderId) ?? []);
  return intents.filter((intentId, index) => intents.indexOf(intentId) !== index);
}

/**
 * L2: what we say of an order is what became of it: as much filled as the venue matched, and
 * refused only if it never stood.
 */
function misjudged({ service, model }: Rested): readonly string[] {
  return service.store
    .range(ORDERS)
    .flatMap(({ value: { intent, attempts, state, filledShares } }) => {
      if (intent.venue !== VENUE_A) return [];
      const there = attempts.length === 0 ? null : model.exchange.order(orderIdOf({ attempts }));
      const isMarketType = intent.life !== 'rests';
      const stood = there !== null && (there.matchedShares > 0 || !isMarketType);
      const isRight =
        filledShares === (there?.matchedShares ?? 0) &&
        !(stood && state === 'rejected') &&
        !(there?.status === 'MATCHED' && state !== 'filled');
      return isRight
        ? []
        : [
            `${intent.intentId} ${intent.life} is ${state} with ${filledShares}, at the venue ${there?.status ?? 'unknown'} with ${there?.matchedShares ?? 0}`,
          ];
    });
}

/** L5: what was set aside is given back. */
function reservationsOf({ service }: Rested, userId: string): readonly string[] {
  const risk = service.store.get(RISK, [userId])?.value;
  const shares = Object.values(risk?.tokens ?? {}).map(({ reservedShares }) => reservedShares);
  return shares.filter((micros) => micros !== 0).map((micros) => `${userId} ${micros} shares`);
}

/** L3, L4: the ledger holds what the venue holds, all of it settled. */
function differencesOf(rested: Rested, user: DirectUser): readonly string[] {
  const { service, model } = rested;
  const { userId, address } = user;
  const balances = new Map<string, LedgerBalance>(
    service.store
      .range(BALANCES, { prefix: [userId] })
      .map(({ key, value }) => [String(key[1]), value]),
  );
  const reserved = CASH_ACCOUNTS.reduce(
    (sum, account) => sum + service.core.trading.portfolio.cash(userId, account).reserved,
    0,
  );
  const venue = new Map<string, number>([
    ['usdc:safe', model.exchange.balanceOf(address)],
    ...(rested.heldElsewhere?.(user) ?? []),
  ]);
  for (const { marketId, tokens } of model.exchange.markets()) {
    // Shares of what lost are out of everybody's books, though a chain keeps them.
    for (const [outcome, token] of tokens.entries())
      venue.set(
        token,
        model.exchange.payout(marketId)?.[outcome] === 0
          ? 0
          : model.exchange.sharesOf(address, token),
      );
  }
  const assets = new Set([...balances.keys(), ...venue.keys()]);
  const unequal = [...assets].flatMap((asset) => {
    const { settled, provisional } = balances.get(asset) ?? { settled: 0, provisional: 0 };
    const there = venue.get(asset) ?? 0;
    return settled === there && provisional === 0
      ? []
      : [`${userId} ${asset}: ledger ${settled} and ${provisional} provisional, venue ${there}`];
  });
  return reserved === 0
    ? unequal
    : [...unequal, `${userId}: ${reserved} micros of cash are set aside`];
}
