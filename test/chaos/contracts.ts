import { asId, type UserId } from '../../src/domain/ids.ts';
import { isTerminal } from '../../src/domain/order.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { watchBacking } from '../support/checks/backed-pairs.ts';
import { CONTRACT_FAULTS } from '../support/contract-faults.ts';
import { noteFaults } from '../support/checks/noted-faults.ts';
import { createVenueBWorld, type VenueBWorld } from '../support/worlds/venue-b-world.ts';
import { judgeContracts, type ContractVerdict } from './contract-verdict.ts';
import {
  cancelled,
  every,
  lived,
  openStage,
  placed,
  restart,
  waited,
  type Stage,
  type CallerAnswer,
} from './venue-stage.ts';

/** How much is lived through. */
export interface ContractChaosSize {
  readonly intents: number;
  readonly people: number;
  readonly kills: number;
  readonly seed: string;
}

/** What came of it. */
export interface ContractChaosReport {
  readonly verdict: ContractVerdict;
  readonly kills: number;
  /** Faults that came to happen, each at least once. */
  readonly met: readonly FaultName[];
  /** Calls that were made again: on request, or cut off by a kill. */
  readonly again: number;
}

type ContractStage = Stage<VenueBWorld>;

const FAULT_EVERY_MS = 2_000;
const BOOK_EVERY_MS = 3_000;
const HOURS_MS = 100 * 3_600_000;
/** Everything has come to rest, and the last report of it is in. */
const REST_MS = 2 * 3_600_000;
const AFTERWARDS_MS = 150_000;
const CONTRACT = 1_000_000;

/**
 * Has people trade at venue_b through its own faults, those of its chain and kills of the service,
 * all drawn from the seed and on the virtual clock; then has the market end, and compares what
 * callers were answered, what is stored and what the chain holds.
 */
export async function liveThroughContracts(
  { intents, people, kills, seed }: ContractChaosSize,
  tell: (line: string) => void = () => undefined,
): Promise<ContractChaosReport> {
  const others = Array.from({ length: people - 1 }, (_, index) =>
    asId<UserId>(`usr_other_${index + 1}`),
  );
  const world = await createVenueBWorld({ others });
  const { clock, direct, faults } = world;
  const users = [world.userId, ...others];
  const backing = watchBacking(direct);
  const met = noteFaults(faults);
  const stage = openStage(world, users, `${seed}:contracts`);
  const { random } = stage;
  const stopBook = every(stage, BOOK_EVERY_MS, () => quote(stage));
  const stopFaults = every(stage, FAULT_EVERY_MS, () => goWrong(stage));
  const killEvery = Math.ceil(intents / (kills + 1));
  const answered = (key: string, answer: CallerAnswer): void => {
    stage.reported.set(key, answer);
    if (stage.reported.size % killEvery !== 0 || stage.reported.size === intents) return;
    tell(`${stage.reported.size} intents answered, the service is killed`);
    clock.after(random.integer(3_000), () => restart(stage));
  };
  const callers = users.map((userId, who) =>
    call(stage, { userId, count: Math.ceil((intents - who) / people), answered }),
  );
  await lived(world, Promise.all(callers), HOURS_MS);
  stopFaults();
  faults.clearAll();
  await comeToRest(stage, users);
  stopBook();
  world.resolve([10_000, 0]);
  await clock.advanceUntil(() => !holdAnything(stage, users), REST_MS);
  await clock.advance(AFTERWARDS_MS);
  const verdict = judgeContracts({
    world,
    users,
    store: stage.store,
    reported: stage.reported,
    backing,
    log: stage.life?.process.log.lines ?? [],
  });
  const last = stage.life;
  await lived(world, Promise.resolve(last?.process.core.stop()), REST_MS);
  await last?.process.closeVenues();
  world.close();
  return { verdict, kills: stage.lives - 1, met: [...met], again: stage.again };
}

interface Calling {
  readonly userId: UserId;
  readonly count: number;
  answered(key: string, answer: CallerAnswer): void;
}

/** One person: orders one after another, asked for under one key until answered. */
async function call(stage: ContractStage, { userId, count, answered }: Calling): Promise<void> {
  const { random, world } = stage;
  await waited(world, 5_000 + random.integer(5_000));
  for (let number = 0; number < count; number += 1) {
    const key = `${userId} ${number}`;
    const wanted = draw(stage, userId, key);
    const answer = await placed(stage, userId, wanted);
    answered(key, answer);
    if (answer.kind === 'order' && wanted.type.kind === 'limit' && random.integer(3) === 0) {
      await waited(world, random.integer(20_000));
      await cancelled(stage, userId, answer.intentId);
    }
    await waited(world, random.integer(4_000));
  }
}

function draw({ random, world, life }: ContractStage, userId: UserId, key: string): PlaceOrder {
  const outcome = random.integer(3) === 0 ? 1 : 0;
  const { marketId } = world.market;
  const held =
    life?.process.core.trading.portfolio
      .holdings(userId, { type: 'open', marketId })
      .find(({ position }) => position.outcome === outcome)?.settledShares ?? 0;
  const contracts = 1 + random.integer(6);
  const lot = random.integer(10);
  const side = held >= CONTRACT && (lot < 4 || held > 40 * CONTRACT) ? 'sell' : 'buy';
  const amount = side === 'sell' ? Math.min(held, contracts * CONTRACT) : contracts * CONTRACT;
  const rests = lot === 8 || lot === 9;
  const price = priceTicks(
    (side === 'buy' ? 46 + random.integer(8) : 44 + random.integer(8)) * 100,
  );
  return {
    venue: world.row.id,
    marketId,
    outcome,
    side,
    amount: { unit: 'shares', micros: amount },
    type: rests
      ? {
          kind: 'limit',
          price,
          expiresAtMs: world.clock.nowMs() + 20_000 + random.integer(120_000),
        }
      : { kind: 'market' },
    origin: { kind: 'manual' },
    idempotencyKey: key,
  };
}

/** A book that moves by a cent or two, and holds enough for everybody. */
function quote({ world, random }: ContractStage): void {
  const middle = 4_800 + 100 * random.integer(4);
  world.direct.venue.model.script(world.listing, {
    book: {
      yes: { [middle - 100]: 40, [middle - 200]: 400 },
      no: { [10_000 - middle - 100]: 40, [10_000 - middle - 200]: 400 },
    },
  });
}

function goWrong({ world, random }: ContractStage): void {
  const name = CONTRACT_FAULTS[random.integer(CONTRACT_FAULTS.length)] ?? 'slow-fill';
  const lasts = random.integer(4) === 0;
  world.faults.arm(name, lasts ? { percent: 60 } : { times: 1 + random.integer(3) });
  world.clock.after(1_000 + random.integer(12_000), () => world.faults.clear(name));
}

async function comeToRest(stage: ContractStage, users: readonly UserId[]): Promise<void> {
  const { world } = stage;
  await world.clock.advanceUntil(() => stage.life !== null, REST_MS);
  for (const userId of users)
    for (const { intent } of stage.life?.process.core.orders.listOpen(userId) ?? [])
      await lived(
        world,
        stage.life?.process.core.orders.cancel(userId, intent.intentId).catch(() => undefined) ??
          Promise.resolve(undefined),
        REST_MS,
      );
  await world.clock.advanceUntil(
    () =>
      users.every((userId) => {
        const core = stage.life?.process.core;
        return (
          core !== undefined &&
          core.orders.listOpen(userId).every(({ state }) => isTerminal(state)) &&
          core.trading.portfolio.cash(userId, 'usdc:solana').provisional === 0
        );
      }),
    REST_MS,
  );
  await world.clock.advance(AFTERWARDS_MS);
}

function holdAnything({ life, world }: ContractStage, users: readonly UserId[]): boolean {
  return users.some((userId) => {
    const portfolio = life?.process.core.trading.portfolio;
    return (
      portfolio === undefined ||
      portfolio.holdings(userId, { type: 'open', marketId: world.market.marketId }).length > 0
    );
  });
}
