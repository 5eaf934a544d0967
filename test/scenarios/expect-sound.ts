import { expect } from 'vitest';
import type { LedgerBalance } from '../../src/domain/ledger.ts';
import { verifyBooks } from '../../src/services/portfolio/verify-books.ts';
import { BALANCES, ORDER_IDS, ORDERS, RISK } from '../../src/services/tables.ts';
import type { Scenario, ScenarioUser } from './scenario.ts';

/** What a service at rest must be, whatever went wrong on the way; the seed and the hash stand beside what is not. */
export function expectSound(scenario: Scenario): void {
  const { seed, hash, isAtRest, service, users } = scenario;
  const found = {
    isAtRest,
    books: verifyBooks(service.store),
    openOrders: users.flatMap(({ userId }) => service.core.orders.listOpen(userId)).map(({ intent, state }) => `${intent.intentId} ${state}`),
    venueOrdersOfNoIntent: strangers(scenario),
    ordersPerIntentAboveOne: doubled(scenario),
    misjudged: misjudged(scenario),
    reservations: users.flatMap(({ userId }) => reservationsOf(scenario, userId)),
    differences: users.flatMap((user) => differencesOf(scenario, user)),
    errors: scenario.log.lines.filter(({ level }) => level === 'error').map(({ event, fields }) => `${event} ${JSON.stringify(fields)}`),
  };
  expect({ seed, hash, ...found }).toEqual({
    seed, hash,
    isAtRest: true,
    books: { entries: expect.any(Number), imbalanceMicros: 0, differing: [] },
    openOrders: [],
    venueOrdersOfNoIntent: [],
    ordersPerIntentAboveOne: [],
    misjudged: [],
    reservations: [],
    differences: [],
    errors: [],
  });
}

/** Orders of our users at the venue, by id. */
function venueOrders({ model }: Scenario): readonly string[] {
  return model.exchange.snapshot().records.flatMap((record) => (record.kind === 'order' ? [record.order.order.orderId] : []));
}

/** Every order id we ever signed, with the intent it was signed for. */
function signedOrders({ service }: Scenario): ReadonlyMap<string, string> {
  return new Map(service.store.range(ORDER_IDS).map(({ key, value }) => [String(key[0]), value.intentId]));
}

/** L1: the venue holds nothing that no intent of ours made. */
function strangers(scenario: Scenario): readonly string[] {
  const signed = signedOrders(scenario);
  return venueOrders(scenario).filter((orderId) => !signed.has(orderId));
}

/** L1: intents for which the venue holds more than one order. */
function doubled(scenario: Scenario): readonly string[] {
  const signed = signedOrders(scenario);
  const intents = venueOrders(scenario).flatMap((orderId) => signed.get(orderId) ?? []);
  return intents.filter((intentId, index) => intents.indexOf(intentId) !== index);
}

/** L2: what we say of an order is what became of it: as much filled as the venue matched, and refused only if it never stood. */
function misjudged({ service, model }: Scenario): readonly string[] {
  return service.store.range(ORDERS).flatMap(({ value: { intent, signed, state, filledShares } }) => {
    const there = signed === null ? null : model.exchange.order(signed.orderId);
    const isMarketType = intent.timeInForce !== 'GTD';
    const stood = there !== null && (there.matchedShares > 0 || !isMarketType);
    const isRight = filledShares === (there?.matchedShares ?? 0) && !(stood && state === 'rejected') && !(there?.status === 'MATCHED' && state !== 'filled');
    return isRight ? [] : [`${intent.intentId} ${intent.timeInForce} is ${state} with ${filledShares}, at the venue ${there?.status ?? 'unknown'} with ${there?.matchedShares ?? 0}`];
  });
}

/** L5: what was set aside is given back. */
function reservationsOf({ service }: Scenario, userId: string): readonly string[] {
  const risk = service.store.get(RISK, [userId])?.value;
  const shares = Object.values(risk?.tokens ?? {}).map(({ reservedShares }) => reservedShares);
  return shares.filter((micros) => micros !== 0).map((micros) => `${userId} ${micros} shares`);
}

/** L3, L4: the ledger holds what the venue holds, all of it settled. */
function differencesOf({ service, model }: Scenario, { userId, address }: ScenarioUser): readonly string[] {
  const balances = new Map<string, LedgerBalance>(service.store.range(BALANCES, { prefix: [userId] }).map(({ key, value }) => [String(key[1]), value]));
  const { reserved } = service.core.trading.portfolio.cash(userId);
  const venue = new Map<string, number>([['usdc', model.exchange.balanceOf(address)]]);
  for (const { tokens } of model.exchange.markets()) for (const token of tokens) venue.set(token, model.exchange.sharesOf(address, token));
  const assets = new Set([...balances.keys(), ...venue.keys()]);
  const unequal = [...assets].flatMap((asset) => {
    const { settled, provisional } = balances.get(asset) ?? { settled: 0, provisional: 0 };
    const there = venue.get(asset) ?? 0;
    return settled === there && provisional === 0 ? [] : [`${userId} ${asset}: ledger ${settled} and ${provisional} provisional, venue ${there}`];
  });
  return reserved === 0 ? unequal : [...unequal, `${userId}: ${reserved} micros of cash are set aside`];
}
