import { watchUser } from '../support/watched-users.ts';
import {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId, type IntentId, type UserId } from '../../src/domain/ids.ts';
import { isTerminal } from '../../src/domain/order.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { Random } from '../../src/ports/random.ts';
import type { FaultName } from '../../src/sandbox/faults.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { watchBacking } from '../support/checks/backed-pairs.ts';
import { CONTRACT_FAULTS } from '../support/contract-faults.ts';
import { noteFaults } from '../support/checks/noted-faults.ts';
import { openProcess, type VenueProcess } from '../support/worlds/venue-life.ts';
import { createVenueBWorld, type VenueBWorld } from '../support/worlds/venue-b-world.ts';
import { judgeContracts, type ContractVerdict } from './contract-verdict.ts';

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
  /** Calls that were made again: told to, or cut off by a kill. */
  readonly again: number;
}

/** What a caller was told of an intent in the end. */
export type ContractAnswer =
  | { readonly kind: 'order'; readonly intentId: IntentId }
  | { readonly kind: 'refused'; readonly code: string };

const FAULT_EVERY_MS = 2_000;
const BOOK_EVERY_MS = 3_000;
const AGAIN_MS = 1_000;
/** Who is told "later" this often gives the intent up. */
const TRIES = 60;
const HOURS_MS = 100 * 3_600_000;
/** Everything has come to rest, and the last word of it is in. */
const REST_MS = 2 * 3_600_000;
const AFTERWARDS_MS = 150_000;
const CONTRACT = 1_000_000;

/** The service in one of its lives. */
interface Life {
  readonly process: VenueProcess;
  /** Resolves with null when it is killed. */
  readonly death: Promise<null>;
  kill(): void;
}

/** Whom the callers call: nobody while it starts. */
interface Stage {
  readonly world: VenueBWorld;
  readonly reported: Map<string, ContractAnswer>;
  readonly random: Random;
  life: Life | null;
  store: MemoryStore;
  /** Of the present life's disk. */
  power: { isOn: boolean };
  again: number;
  lives: number;
}

/**
 * Has people trade at venue_b through its own faults, those of its chain and kills of the service,
 * all drawn from the seed and on the virtual clock; then has the market end, and compares what
 * callers were told, what is stored and what the chain holds.
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
  const random = createSeededRandom(`${seed}:contracts`);
  const power = { isOn: true };
  const stage: Stage = {
    world,
    reported: new Map(),
    random,
    life: null,
    store: createMemoryStore(diskOf(power)),
    power,
    again: 0,
    lives: 0,
  };
  begin(stage, users);
  const stopBook = every(stage, BOOK_EVERY_MS, () => quote(stage));
  const stopFaults = every(stage, FAULT_EVERY_MS, () => goWrong(stage));
  const killEvery = Math.ceil(intents / (kills + 1));
  const answered = (key: string, answer: ContractAnswer): void => {
    stage.reported.set(key, answer);
    if (stage.reported.size % killEvery !== 0 || stage.reported.size === intents) return;
    tell(`${stage.reported.size} intents answered, the service is killed`);
    clock.after(random.integer(3_000), () => restart(stage, users));
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

/** Starts a life; the callers have it once it has recovered. */
function begin(stage: Stage, users: readonly UserId[]): void {
  stage.lives += 1;
  const raise = async (): Promise<void> => {
    const process = await openProcess([stage.world], stage.store, `life-${stage.lives}`);
    for (const [, venue] of process.opened)
      for (const userId of users) await venue.accounts.open(userId);
    await process.core.start();
    for (const userId of users) {
      await process.core.trading.funding.syncDeposits(userId).catch(() => undefined);
      watchUser(process.core.trading, userId);
    }
    let kill = (): void => undefined;
    const death = new Promise<null>((resolve) => {
      kill = () => resolve(null);
    });
    stage.life = { process, death, kill };
  };
  void raise();
}

/** The power goes: what was not flushed is lost, and nothing of the process runs any more. */
function restart(stage: Stage, users: readonly UserId[]): void {
  const { life } = stage;
  if (life === null) return;
  stage.life = null;
  stage.power.isOn = false;
  life.process.die();
  stage.power = { isOn: true };
  stage.store = stage.store.crash(diskOf(stage.power));
  life.kill();
  begin(stage, users);
}

/** What a dead process still does reaches no disk. */
function diskOf(power: { readonly isOn: boolean }): MemoryStoreOptions {
  const hold = (): void => {
    if (!power.isOn) throw new Error('the power is gone');
  };
  return { beforeCommit: hold, onCommit: hold, onFlush: hold };
}

interface Calling {
  readonly userId: UserId;
  readonly count: number;
  answered(key: string, answer: ContractAnswer): void;
}

/** One person: orders one after another, asked for under one key until told. */
async function call(stage: Stage, { userId, count, answered }: Calling): Promise<void> {
  const { random, world } = stage;
  await waited(world, 5_000 + random.integer(5_000));
  for (let number = 0; number < count; number += 1) {
    const key = `${userId} ${number}`;
    const wanted = draw(stage, userId, key);
    const answer = await placed(stage, userId, wanted);
    answered(key, answer);
    if (answer.kind === 'order' && wanted.type.kind === 'limit' && random.integer(3) === 0) {
      await waited(world, random.integer(20_000));
      await stage.life?.process.core.orders.cancel(userId, answer.intentId).catch(() => undefined);
    }
    await waited(world, random.integer(4_000));
  }
}

function draw({ random, world, life }: Stage, userId: UserId, key: string): PlaceOrder {
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

async function placed(stage: Stage, userId: UserId, wanted: PlaceOrder): Promise<ContractAnswer> {
  let code = 'nobody there';
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { life } = stage;
    try {
      const record =
        life === null
          ? null
          : await Promise.race([life.process.core.orders.place(userId, wanted), life.death]);
      if (record !== null) return { kind: 'order', intentId: record.intent.intentId };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      ({ code } = error);
      if (!error.retryable) return { kind: 'refused', code };
    }
    stage.again += 1;
    await waited(stage.world, AGAIN_MS + stage.random.integer(AGAIN_MS));
  }
  return { kind: 'refused', code };
}

/** A book that moves by a cent or two, and holds enough for everybody. */
function quote({ world, random }: Stage): void {
  const middle = 4_800 + 100 * random.integer(4);
  world.direct.venue.model.script(world.listing, {
    book: {
      yes: { [middle - 100]: 40, [middle - 200]: 400 },
      no: { [10_000 - middle - 100]: 40, [10_000 - middle - 200]: 400 },
    },
  });
}

function goWrong({ world, random }: Stage): void {
  const name = CONTRACT_FAULTS[random.integer(CONTRACT_FAULTS.length)] ?? 'slow-fill';
  const lasts = random.integer(4) === 0;
  world.faults.arm(name, lasts ? { percent: 60 } : { times: 1 + random.integer(3) });
  world.clock.after(1_000 + random.integer(12_000), () => world.faults.clear(name));
}

async function comeToRest(stage: Stage, users: readonly UserId[]): Promise<void> {
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

function holdAnything({ life, world }: Stage, users: readonly UserId[]): boolean {
  return users.some((userId) => {
    const portfolio = life?.process.core.trading.portfolio;
    return (
      portfolio === undefined ||
      portfolio.holdings(userId, { type: 'open', marketId: world.market.marketId }).length > 0
    );
  });
}

function every({ world }: Stage, ms: number, run: () => void): () => void {
  let isOver = false;
  const next = (): void =>
    void world.clock.after(ms, () => {
      if (isOver) return;
      run();
      next();
    });
  run();
  next();
  return () => {
    isOver = true;
  };
}

function waited({ clock }: VenueBWorld, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

async function lived<T>({ clock }: VenueBWorld, work: Promise<T>, withinMs: number): Promise<T> {
  let isDone = false;
  const settled = work.finally(() => (isDone = true));
  settled.catch(() => undefined);
  if (!(await clock.advanceUntil(() => isDone, withinMs)))
    throw new Error(`nothing came of it in ${withinMs / 3_600_000} hours of the clock`);
  return settled;
}
