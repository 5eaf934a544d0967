import { asId, type UserId } from '../../src/domain/ids.ts';
import { isTerminal } from '../../src/domain/order.ts';
import { isTransactionOver } from '../../src/domain/transaction.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import { TRANSACTIONS } from '../../src/services/transactions/tables.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { noteFaults } from '../support/checks/noted-faults.ts';
import {
  createVenueCChainWorld,
  type VenueCChainWorld,
} from '../support/worlds/venue-c-chain-world.ts';
import type { ContractChaosSize } from './contracts.ts';
import { judgePools, noteCoins, walletsThatDiffer, type PoolVerdict } from './pool-verdict.ts';
import {
  cancelled,
  every,
  lived,
  openStage,
  placed,
  restart,
  waited,
  type Stage,
} from './venue-stage.ts';

/** What came of it. */
export interface PoolChaosReport {
  readonly verdict: PoolVerdict;
  readonly kills: number;
  /** Faults that came to happen, each at least once. */
  readonly met: readonly FaultName[];
  /** Calls that were made again: asked to, or cut off by a kill. */
  readonly again: number;
}

/** What goes wrong at venue_c's pools and on their chain, and can reach a trade. */
const POOL_FAULTS: readonly FaultName[] = [
  'nonce-gap',
  'evm-answer-lost',
  'underpriced-gas',
  'block-taken-back',
  'pool-moved',
  'allowance-missing',
  'bad-gateway',
  'rate-limited',
  'refused-silently',
];
const FAULT_EVERY_MS = 6_000;
const MOVED_EVERY_MS = 5_000;
const HOURS_MS = 100 * 3_600_000;
const REST_MS = 2 * 3_600_000;
/** The last transaction is final by then, and every wallet was looked at several times after it. */
const AFTERWARDS_MS = 10 * 60_000;
/** A round over all wallets begins in this time. */
const LOOKED_AT_MS = 60_000;
const ASKED_EVERY_MS = 2_000;
const SHARE = 1_000_000;

/** Times as fast as life: what is waited for is blocks, and a node makes them at any pace. */
const SPEED = 40;

type PoolStage = Stage<VenueCChainWorld>;

/**
 * Has people trade with a pool of venue_c on a node of chain 8453, through the faults of both and
 * kills of the service, drawn from the seed; time passes by itself. Then compares
 * what callers were answered, what is stored and what the chain has.
 */
export async function liveThroughPools(
  { intents, people, kills, seed }: ContractChaosSize,
  tell: (line: string) => void = () => undefined,
): Promise<PoolChaosReport> {
  const others = Array.from({ length: people - 1 }, (_, index) =>
    asId<UserId>(`usr_other_${index + 1}`),
  );
  const world = await createVenueCChainWorld('pool', { others, speed: SPEED });
  try {
    const { clock, faults } = world;
    const users = [world.userId, ...others];
    const coins = await noteCoins(world, users);
    const met = noteFaults(faults);
    const stage = openStage(world, users, `${seed}:pools`);
    const { random } = stage;
    const stopMoves = every(stage, MOVED_EVERY_MS, () => move(stage));
    const stopFaults = every(stage, FAULT_EVERY_MS, () => goWrong(stage));
    const killEvery = Math.ceil(intents / (kills + 1));
    const answered = (): void => {
      const { size } = stage.reported;
      if (size % killEvery !== 0 || size === intents) return;
      tell(`${size} intents answered, the service is killed`);
      clock.after(random.integer(3_000), () => restart(stage));
    };
    const callers = users.map((userId, who) =>
      call(stage, { userId, count: Math.ceil((intents - who) / people), answered }),
    );
    await lived(world, Promise.all(callers), HOURS_MS);
    tell(`all ${stage.reported.size} intents answered; waiting until all is settled`);
    stopFaults();
    faults.clearAll();
    stopMoves();
    for (const line of await comeToRest(stage)) tell(line);
    const verdict = await judgePools(stage, coins);
    const last = stage.life;
    await lived(world, Promise.resolve(last?.process.core.stop()), REST_MS);
    last?.process.stopCarrying();
    await last?.process.closeVenues();
    return { verdict, kills: stage.lives - 1, met: [...met], again: stage.again };
  } finally {
    await world.closed();
  }
}

/** One person: orders one after another, asked for under one key until answered. */
async function call(
  stage: PoolStage,
  {
    userId,
    count,
    answered,
  }: { readonly userId: UserId; readonly count: number; readonly answered: () => void },
): Promise<void> {
  const { random, world, reported } = stage;
  await waited(world, random.integer(5_000));
  await isFunded(stage, userId);
  for (let number = 0; number < count; number += 1) {
    const key = `${userId} ${number}`;
    const wanted = draw(stage, userId, key);
    const answer = await placed(stage, userId, wanted);
    reported.set(key, answer);
    answered();
    if (answer.kind === 'order' && wanted.type.kind === 'limit' && random.integer(3) === 0) {
      await waited(world, random.integer(20_000));
      await cancelled(stage, userId, answer.intentId);
    }
    await waited(world, random.integer(1_500));
  }
}

/** Waits until the books have what the wallet was given, asking as a page does. */
async function isFunded(stage: PoolStage, userId: UserId): Promise<void> {
  for (;;) {
    const { life, world } = stage;
    if (life !== null) {
      const { funding, portfolio } = life.process.core.trading;
      await Promise.race([funding.syncDeposits(userId).catch(() => null), life.death]);
      if (portfolio.cash(userId, 'usdc:base').settled > 0) return;
    }
    await waited(world, ASKED_EVERY_MS);
  }
}

function draw({ random, world, life }: PoolStage, userId: UserId, key: string): PlaceOrder {
  const outcome = random.integer(3) === 0 ? 1 : 0;
  const { marketId } = world.market;
  const held =
    life?.process.core.trading.portfolio
      .holdings(userId, { type: 'open', marketId })
      .find(({ position }) => position.outcome === outcome)?.settledShares ?? 0;
  // The least that may be bought is worth a dollar.
  const shares = (3 + random.integer(6)) * SHARE;
  const lot = random.integer(10);
  const side = held >= SHARE && (lot < 4 || held > 40 * SHARE) ? 'sell' : 'buy';
  const isInDollars = lot === 6 && side === 'buy';
  const micros = side === 'sell' ? Math.floor(Math.min(held, shares) / 1_000) * 1_000 : shares;
  const price = (side === 'buy' ? 44 + random.integer(10) : 44 + random.integer(10)) * 100;
  return {
    venue: world.row.id,
    marketId,
    outcome,
    side,
    amount: isInDollars ? { unit: 'usdc', micros: 2_500_000 } : { unit: 'shares', micros },
    type:
      lot > 6
        ? {
            kind: 'limit',
            price: priceTicks(price),
            expiresAtMs: world.clock.nowMs() + 20_000 + random.integer(120_000),
          }
        : { kind: 'market' },
    origin: { kind: 'manual' },
    idempotencyKey: key,
  };
}

/** Another trader moves the pool by a cent or two, and over what rests with us. */
function move({ world, random }: PoolStage): void {
  const [{ tokenId }] = world.market.outcomes;
  const side = random.integer(2) === 0 ? 'sell' : 'buy';
  // a node that is busy leaves the pool where it is
  void Promise.resolve(
    world.quote({ tokenId, side, price: 4_700 + 100 * random.integer(7), shares: 20 }),
  ).catch(() => undefined);
}

function goWrong({ world, random }: PoolStage): void {
  const name = POOL_FAULTS[random.integer(POOL_FAULTS.length)] ?? 'nonce-gap';
  const times = 1 + random.integer(3);
  // before the books call it final, as far as the node is that fast
  world.faults.arm(name, name === 'block-taken-back' ? { times, delayMs: 1_000 } : { times });
  world.clock.after(1_000 + random.integer(12_000), () => world.faults.clear(name));
}

/**
 * Waits until nothing rests or is under way, and every transaction of the venue is over; gives
 * sentences of what is not.
 */
async function comeToRest(stage: PoolStage): Promise<readonly string[]> {
  const { world, users } = stage;
  await world.clock.advanceUntil(() => stage.life !== null, REST_MS);
  const core = stage.life?.process.core;
  for (const userId of users)
    for (const { intent } of core?.orders.listOpen(userId) ?? [])
      await cancelled(stage, userId, intent.intentId);
  await world.clock.advanceUntil(
    () =>
      core !== undefined &&
      users.every(
        (userId) =>
          core.orders.listOpen(userId).every(({ state }) => isTerminal(state)) &&
          core.trading.portfolio.cash(userId, 'usdc:base').provisional === 0,
      ) &&
      stage.store.range(TRANSACTIONS).every(({ value: { state } }) => isTransactionOver(state)),
    REST_MS,
  );
  for (let waitedMs = 0; waitedMs < AFTERWARDS_MS; waitedMs += LOOKED_AT_MS) {
    await world.clock.advance(LOOKED_AT_MS);
    if ((await walletsThatDiffer(stage)).length === 0) break;
  }
  return [
    ...users
      .flatMap((userId) => core?.orders.listOpen(userId) ?? [])
      .map(({ intent, state, reason }) => `${intent.intentId} is still ${state}: ${reason}`),
    ...stage.store
      .range(TRANSACTIONS)
      .filter(({ value: { state } }) => !isTransactionOver(state))
      .map(({ value: { transactionId, state } }) => `${transactionId} is still ${state}`),
  ];
}
