import { isTerminal, type OrderRecord } from '../../src/domain/order.ts';
import type { UserId } from '../../src/domain/ids.ts';
import type { VenueOrder } from '../../src/sandbox/venues/venue-c/model/order.ts';
import { balanceOf } from '../../src/services/books/record-changes.ts';
import { FILLS, ORDER_KEYS } from '../../src/services/books/tables.ts';
import { brokenLaws, ordersOf } from '../support/worlds/trading-world.ts';
import type { VenueCWorld } from '../support/worlds/venue-c-world.ts';
import { lostOf, type Stage } from './venue-stage.ts';

/**
 * What callers, store and venue say of the intents, read apart from one another. All but the first
 * three is to be 0 or empty.
 */
export interface BookVerdict {
  readonly intents: number;
  readonly orders: number;
  /** Orders that the venue matched, in part at least. */
  readonly filled: number;
  /** Orders at the venue beyond the one of an intent, and orders beyond the one of a key. */
  readonly doubled: number;
  /** Intents whose caller knows of an order that is not there, or of none where there is one. */
  readonly lost: number;
  /** Orders that are undecided, or whose matches are other than the venue's. */
  readonly guessed: number;
  /** Orders at the venue that are no attempt of an order, or that are still open there. */
  readonly strangers: number;
  /** Users whose ledger is not what the venue holds, to the atom, or with something set aside. */
  readonly ledgerDiffers: number;
  readonly brokenLaws: readonly string[];
  /** Errors that the last life has logged. */
  readonly errors: readonly string[];
  /** The first few things that are not as they should be, in words. */
  readonly findings: readonly string[];
}

const FINDINGS_SHOWN = 10;

/** True when nothing is wrong. */
export function isCleanOfBooks({
  intents: _intents,
  orders: _orders,
  filled: _filled,
  brokenLaws: laws,
  errors,
  findings,
  ...counts
}: BookVerdict): boolean {
  return (
    Object.values(counts).every((count) => count === 0) &&
    laws.length + errors.length + findings.length === 0
  );
}

/** Compares the three records once all has come to rest. */
export async function judgeBooks({
  world,
  users,
  store,
  reported,
  life,
}: Stage<VenueCWorld>): Promise<BookVerdict> {
  const findings: string[] = [];
  const count = (found: readonly string[]): number => {
    findings.push(...found.slice(0, FINDINGS_SHOWN));
    return found.length;
  };
  const { exchange, access } = world.direct.model;
  const there = users.flatMap((userId) => {
    const profile = access.profileOf(world.walletOf(userId));
    return profile === null ? [] : exchange.ordersOf(profile.id);
  });
  const byName = new Map(there.map((order) => [order.clientOrderId, order]));
  const orders = ordersOf(store);
  const keys = store.range(ORDER_KEYS).length;
  const named = new Set(
    orders.flatMap(({ attempts }) => attempts.map(({ attemptId }) => String(attemptId))),
  );
  const atVenue = ({ attempts }: OrderRecord): readonly VenueOrder[] =>
    attempts.flatMap(({ attemptId }) => byName.get(String(attemptId)) ?? []);
  const differing: string[] = [];
  for (const userId of users) differing.push(...(await ledgerDiffers(world, store, userId)));
  return {
    intents: reported.size,
    orders: orders.length,
    filled: there.filter(({ matchedShares }) => matchedShares > 0).length,
    doubled: count([
      ...orders.flatMap((order) =>
        atVenue(order).length > 1 ? [`${order.intent.intentId} is there twice`] : [],
      ),
      ...(keys === orders.length ? [] : [`${orders.length} orders of ${keys} keys`]),
    ]),
    lost: count(lostOf({ store, reported })),
    guessed: count(
      orders.flatMap((order) => {
        const { intent, state, filledShares } = order;
        const matched = atVenue(order).reduce((sum, { matchedShares }) => sum + matchedShares, 0);
        const booked = store
          .range(FILLS, { prefix: [intent.userId] })
          .filter(({ value }) => value.intentId === intent.intentId)
          .reduce((sum, { value: { shares } }) => sum + shares, 0);
        const is = `${intent.side} ${intent.intentId} (${state})`;
        return [
          ...(isTerminal(state) ? [] : [`${is} is undecided`]),
          ...(matched === filledShares && matched === booked
            ? []
            : [`${is}: ${filledShares} filled, ${booked} booked, ${matched} at the venue`]),
        ];
      }),
    ),
    strangers: count(
      there.flatMap(({ orderId, clientOrderId, status }) => [
        ...(named.has(clientOrderId ?? '') ? [] : [`${orderId} is of no order`]),
        ...(status === 'LIVE' || status === 'DELAYED' ? [`${orderId} is still open`] : []),
      ]),
    ),
    ledgerDiffers: count(differing),
    brokenLaws: users.flatMap((userId) => brokenLaws(store, userId)),
    errors: (life?.process.log.lines ?? [])
      .filter(({ level }) => level === 'error')
      .map(({ event, fields }) => `${event} ${JSON.stringify(fields)}`),
    findings,
  };
}

/** Cash and shares of a user, by the books and by the venue. */
async function ledgerDiffers(
  { direct, listed, market, walletOf }: VenueCWorld,
  store: Stage['store'],
  userId: UserId,
): Promise<readonly string[]> {
  const held = await direct.model.exchange.holdings(walletOf(userId), listed);
  const cash = balanceOf(store, userId, 'usdc:base');
  const pairs = [
    ['cash', cash.settled, held.usdc],
    ['cash not final', cash.provisional, 0],
    ...market.outcomes.flatMap(({ tokenId, label }, outcome) => {
      const { settled, provisional } = balanceOf(store, userId, tokenId);
      return [
        [label, settled, held.shares[outcome]],
        [`${label} not final`, provisional, 0],
      ] as const;
    }),
  ] as const;
  return pairs.flatMap(([what, books, venue]) =>
    books === venue ? [] : [`${userId}: ${what} ${books}, at the venue ${venue}`],
  );
}
