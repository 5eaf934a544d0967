import type { VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { isTerminal, type OrderRecord, type TradeSide } from '../../src/domain/order.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import { accountOf } from '../../src/sandbox/chains/solana/instructions.ts';
import { memosOf } from '../../src/sandbox/chains/solana/transactions.ts';
import { readTokenData } from '../../src/sandbox/chains/solana/token-layout.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { watchBacking } from '../support/checks/backed-pairs.ts';
import { noteFaults } from '../support/checks/noted-faults.ts';
import { brokenLaws, during } from '../support/worlds/trading-world.ts';
import { startLife, type VenueLife } from '../support/worlds/venue-life.ts';
import {
  createVenueBWorld,
  type VenueBWorld,
  type VenueBWorldOptions,
} from '../support/worlds/venue-b-world.ts';
import { createFindings, type Findings, type Scenario } from './findings.ts';

/**
 * The whole service at venue_b, its model and a chain of its own in this process, on a virtual
 * clock.
 */
export interface VenueBFixture {
  readonly world: VenueBWorld;
  readonly clock: VirtualClock;
  readonly is: Findings['is'];
  /** The service of the present process. */
  life(): VenueLife;
  arm(name: FaultName, rule?: FaultRule): void;
  calm(name: FaultName): void;
  /** Another trader offers contracts of Yes, at a half unless stated. */
  offer(contracts: number, price?: number): void;
  /** Another trader bids for contracts of Yes, at 0.48 unless stated. */
  bid(contracts: number, price?: number): void;
  /** Buys so many contracts of Yes at the market. */
  buy(contracts: number, change?: Partial<PlaceOrder>): Promise<OrderRecord>;
  sell(contracts: number): Promise<OrderRecord>;
  /** Rests a limit of twenty contracts of Yes. */
  rest(price: number, side?: TradeSide): Promise<OrderRecord>;
  order(record: OrderRecord): OrderRecord;
  /** Waits until an order has ended, and returns it. */
  ended(record: OrderRecord, withinMs?: number): Promise<OrderRecord>;
  /** Waits for something, and notes where it does not come. */
  comes(what: string, isSo: () => boolean, withinMs?: number): Promise<void>;
  /** Calls of a family to the venue so far. */
  calls(family: 'metadata' | 'quote' | 'status' | 'identity'): number;
  /** The user's USDC, micros. */
  cash(): { readonly settled: number; readonly reserved: number; readonly provisional: number };
  /** Nothing was made, and nothing is set aside. */
  nothingMade(): void;
  /** Kills the process, loses what was not flushed, and starts it again. */
  restart(): Promise<void>;
}

/** What the user begins with, micros of USDC. */
export const CASH = 1_000_000_000;
/** Times a fault happens that is to hit the last quote of an order: a quote may be asked again. */
export const QUOTES = 3;
const REST_MS = 10 * 60_000;
/** What is reported once more of final trades comes in this. */
const FINAL_MS = 20_000;

/**
 * Makes a row's scenario of what happens in it. Afterwards nothing goes wrong any more, resting
 * orders are taken back, all comes to rest, and ledger, chain and orders are held against one
 * another. A fault that was armed and never came to happen fails the row.
 */
export function atVenueB(
  play: (fixture: VenueBFixture) => Promise<void>,
  options: VenueBWorldOptions = {},
): Scenario {
  return async () => {
    const findings = createFindings();
    const world = await createVenueBWorld(options);
    const backing = watchBacking(world.direct);
    const met = noteFaults(world.faults);
    const armed = new Set<FaultName>();
    const current = { life: await startLife([world], createMemoryStore(), 'first') };
    const fixture = fixtureOf({ world, current, findings, armed });
    await play(fixture);
    for (const name of armed) findings.is(`${name} came to happen`, met.has(name), true);
    await comeToRest(fixture);
    await agree(fixture);
    findings.is('transactions after which tokens were not backed', backing, []);
    await current.life.end();
    return findings.wrong;
  };
}

interface Parts {
  readonly world: VenueBWorld;
  readonly current: { life: VenueLife };
  readonly findings: Findings;
  readonly armed: Set<FaultName>;
}

function fixtureOf({ world, current, findings, armed }: Parts): VenueBFixture {
  const { clock, faults, metrics, market } = world;
  const [{ tokenId }] = market.outcomes;
  const shares = (contracts: number) =>
    ({ unit: 'shares', micros: contracts * 1_000_000 }) as const;
  const comes: VenueBFixture['comes'] = async (what, isSo, withinMs = REST_MS) => {
    await clock.advanceUntil(isSo, withinMs);
    findings.is(what, isSo(), true);
  };
  const order = ({ intent: { userId, intentId } }: OrderRecord): OrderRecord => {
    const found = current.life.core.orders.get(userId, intentId);
    if (found === null) throw new Error(`order ${intentId} is kept`);
    return found;
  };
  return {
    world,
    clock,
    is: findings.is,
    life: () => current.life,
    arm(name, rule = { times: 1 }) {
      armed.add(name);
      faults.arm(name, rule);
    },
    calm: (name) => faults.clear(name),
    offer: (contracts, price = 5_000) =>
      world.quote({ tokenId, side: 'sell', price, shares: contracts }),
    bid: (contracts, price = 4_800) =>
      world.quote({ tokenId, side: 'buy', price, shares: contracts }),
    buy: (contracts, change = {}) => current.life.placed({ amount: shares(contracts), ...change }),
    sell: (contracts) => current.life.placed({ side: 'sell', amount: shares(contracts) }),
    rest: (price, side = 'buy') =>
      current.life.placed({
        side,
        amount: shares(20),
        type: { kind: 'limit', price: priceTicks(price), expiresAtMs: null, untilCancelled: true },
      }),
    order,
    async ended(record, withinMs) {
      await comes('the order ends', () => isTerminal(order(record).state), withinMs);
      return order(record);
    },
    comes,
    calls: (family) =>
      [...metrics.counts]
        .filter(([name]) => name.startsWith(`venue_calls_total venue_b ${family} `))
        .reduce((sum, [, times]) => sum + times, 0),
    cash() {
      const { settled, reserved, provisional } = current.life.cash();
      return { settled, reserved, provisional };
    },
    nothingMade() {
      findings.is('orders', current.life.orders().length, 0);
      findings.is('money set aside', current.life.cash().reserved, 0);
    },
    async restart() {
      current.life = await current.life.killed();
    },
  };
}

async function comeToRest(fixture: VenueBFixture): Promise<void> {
  const { world, clock } = fixture;
  const { userId } = world;
  world.faults.clearAll();
  const { orders } = fixture.life().core;
  for (const { intent } of orders.listOpen(userId))
    await during(
      world,
      orders.cancel(userId, intent.intentId).catch(() => undefined),
    );
  await fixture.comes('all comes to rest', () => orders.listOpen(userId).length === 0);
  await fixture.comes('all is final', () => fixture.cash().provisional === 0);
  await clock.advance(FINAL_MS);
}

/** Ledger = chain to the atom, one opening for each attempt that was made, and the laws. */
async function agree({ world, life, is }: VenueBFixture): Promise<void> {
  const { userId, direct, listing, wallet } = world;
  const { venue, core, store, orders, fills, cash } = life();
  const { chain } = direct;
  const collateral = await during(world, venue.accounts.collateral(userId));
  const { settled, reserved, provisional } = cash();
  is(
    'cash at rest, as on the chain',
    { settled, reserved, provisional },
    {
      settled: collateral,
      reserved: 0,
      provisional: 0,
    },
  );
  const onChain = (['yes', 'no'] as const).map((side) => {
    const token = direct.venue.settlement.outcome(listing, side);
    const account = chain.account(accountOf(wallet, token));
    const data = account === null ? null : readTokenData(account.data);
    return data?.kind === 'account' ? Number(data.amount) : 0;
  });
  const { winner } = resultOf(world);
  const held = world.market.outcomes.map(({ tokenId }) =>
    core.trading.portfolio
      .holdings(userId, { type: 'open', marketId: world.market.marketId })
      .filter(({ position }) => position.tokenId === tokenId)
      .reduce((sum, { position }) => sum + position.shares, 0),
  );
  // Tokens of the side that lost stay in the wallet and are worth nothing.
  is(
    'contracts held, as on the chain',
    held.map((shares, side) => (winner === null || side === winner ? shares : 0)),
    onChain.map((shares, side) => (winner === null || side === winner ? shares : 0)),
  );
  const openings = [...chain.transactionsOf(wallet)].filter(
    (transaction) =>
      transaction.error === null && memosOf(transaction).some((note) => note.startsWith('order:')),
  );
  // A fill that was taken back may have been so with the transaction that opened its order.
  const isForked = (orderId: unknown) =>
    fills().some((fill) => fill.orderId === orderId && fill.settlement === 'reversed');
  const signatures = new Set(openings.map(({ signature }) => signature));
  is(
    'openings on the chain, each an attempt that was done',
    [...signatures].sort(),
    orders()
      .flatMap(({ attempts }) => attempts)
      .filter(({ ended }) => ended?.how === 'done')
      .map(({ attemptId }) => String(attemptId))
      .filter((name) => signatures.has(name) || !isForked(name))
      .sort(),
  );
  is('laws', brokenLaws(store, userId), []);
}

function resultOf({ direct, listing }: VenueBWorld): { readonly winner: 0 | 1 | null } {
  const { result } = direct.venue.model.state(listing);
  return { winner: result === null ? null : result === 'yes' ? 0 : 1 };
}
