import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { isTerminal, type OrderRecord } from '../../src/domain/order.ts';
import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { TRANSACTIONS } from '../../src/services/transactions/tables.ts';
import { noteFaults } from '../support/checks/noted-faults.ts';
import { brokenLaws } from '../support/worlds/trading-world.ts';
import {
  createVenueCChainWorld,
  type VenueCChainWorld,
} from '../support/worlds/venue-c-chain-world.ts';
import { startLife, type VenueLife } from '../support/worlds/venue-life.ts';
import { createFindings, type Findings, type Scenario } from './findings.ts';

/**
 * The whole service at venue_c on a node of chain 8453, whose wallet holds the money. Time passes
 * by itself, ten times as fast as life.
 */
export interface VenueCChainFixture {
  readonly world: VenueCChainWorld;
  readonly is: Findings['is'];
  life(): VenueLife;
  arm(name: FaultName, rule?: FaultRule): void;
  /** Buys so many shares of Yes at the market. */
  buy(shares: number, change?: Partial<PlaceOrder>): Promise<OrderRecord>;
  sell(shares: number): Promise<OrderRecord>;
  order(record: OrderRecord): OrderRecord;
  /** Waits until an order has ended, and returns it. */
  ended(record: OrderRecord): Promise<OrderRecord>;
  /** Waits for something, and notes where it does not come. */
  comes(what: string, isSo: () => boolean): Promise<void>;
  /** Waits until every fill is final. */
  final(): Promise<void>;
  /** Transactions of the wallet that did what they were for, by their kinds. */
  done(): readonly string[];
  /** Redemptions under way or done. */
  claims(): number;
  cash(): { readonly settled: number; readonly reserved: number; readonly provisional: number };
  /** Kills the process, loses what was not flushed, and starts it again. */
  restart(): Promise<void>;
}

/** What the user begins with, micros of USDC. */
export const CASH = 1_000_000_000;
/** Market time in which all comes to rest: a transaction is paid more after a minute. */
const REST_MS = 240_000;
const AGAIN_MS = 1_000;

/**
 * Makes a row's scenario of what happens in it. Afterwards nothing goes wrong any more, all comes
 * to rest, and books and chain are held against one another to the atom. A fault that was armed and
 * never came to happen fails the row.
 */
export function onChain(
  mechanism: 'order_book' | 'pool',
  play: (fixture: VenueCChainFixture) => Promise<void>,
): Scenario {
  return async () => {
    const findings = createFindings();
    const world = await createVenueCChainWorld(mechanism);
    try {
      const met = noteFaults(world.faults);
      const armed = new Set<FaultName>();
      const current = { life: await startLife([world], createMemoryStore(), 'first') };
      const fixture = fixtureOf({ world, current, findings, armed });
      await untilSo(world, async () => {
        await current.life.syncDeposits();
        return fixture.cash().settled === CASH;
      });
      await play(fixture);
      for (const name of armed) findings.is(`${name} came to happen`, met.has(name), true);
      world.faults.clearAll();
      await fixture.comes(
        'all comes to rest',
        () => current.life.core.orders.listOpen(world.userId).length === 0,
      );
      await fixture.final();
      await agree(fixture);
      await current.life.end();
    } finally {
      await world.closed();
    }
    return findings.wrong;
  };
}

interface Parts {
  readonly world: VenueCChainWorld;
  readonly current: { life: VenueLife };
  readonly findings: Findings;
  readonly armed: Set<FaultName>;
}

function fixtureOf({ world, current, findings, armed }: Parts): VenueCChainFixture {
  const shares = (number: number) => ({ unit: 'shares', micros: number * 1_000_000 }) as const;
  const comes: VenueCChainFixture['comes'] = async (what, isSo) => {
    await world.clock.advanceUntil(isSo, REST_MS);
    findings.is(what, isSo(), true);
  };
  const order: VenueCChainFixture['order'] = ({ intent: { userId, intentId } }) => {
    const found = current.life.core.orders.get(userId, intentId);
    if (found === null) throw new Error(`order ${intentId} is kept`);
    return found;
  };
  const cash: VenueCChainFixture['cash'] = () => {
    const { settled, reserved, provisional } = current.life.cash();
    return { settled, reserved, provisional };
  };
  return {
    world,
    is: findings.is,
    life: () => current.life,
    arm(name, rule = { times: 1 }) {
      armed.add(name);
      world.faults.arm(name, rule);
    },
    buy: (number, change = {}) => current.life.placed({ amount: shares(number), ...change }),
    sell: (number) => current.life.placed({ side: 'sell', amount: shares(number) }),
    order,
    async ended(record) {
      await comes('the order ends', () => isTerminal(order(record).state));
      return order(record);
    },
    comes,
    final: () =>
      comes('all is final', () =>
        current.life.fills().every(({ settlement }) => settlement !== 'provisional'),
      ),
    done: () =>
      current.life.store
        .range(TRANSACTIONS)
        .filter(({ value: { state } }) => state === 'done')
        .map(({ value: { purpose } }) => purpose.kind)
        .sort(),
    claims: () =>
      current.life.store
        .range(TRANSACTIONS)
        .filter(({ value: { purpose } }) => purpose.kind === 'venue_redemption').length,
    cash,
    async restart() {
      current.life = await current.life.killed();
    },
  };
}

/** Books = chain to the atom: dollars, shares of each outcome; and the laws. */
async function agree({ world, life, is, cash }: VenueCChainFixture): Promise<void> {
  const { on, user, market, userId } = world;
  await life().syncDeposits();
  is('cash, as in the wallet', cash(), {
    settled: Number(await on.dollars(user.account)),
    reserved: 0,
    provisional: 0,
  });
  for (const [outcome, { tokenId, label }] of market.outcomes.entries()) {
    // Tokens of the side that lost stay in the wallet and are worth nothing.
    if (world.payouts()?.[outcome] === 0) continue;
    const booked = life()
      .core.trading.portfolio.holdings(userId, { type: 'open', marketId: market.marketId })
      .filter(({ position }) => position.tokenId === tokenId)
      .reduce((sum, { settledShares }) => sum + settledShares, 0);
    is(
      `shares of ${label}, as in the wallet`,
      booked,
      Number(await on.shares(user.account, tokenId)),
    );
  }
  is('laws', brokenLaws(life().store, userId), []);
}

/** Waits for something that is asked for. */
async function untilSo(
  { clock }: Pick<VenueCChainWorld, 'clock'>,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const untilMs = clock.nowMs() + REST_MS;
  while (!(await isSo())) {
    if (clock.nowMs() > untilMs) throw new Error('it does not come');
    await clock.advance(AGAIN_MS);
  }
}
