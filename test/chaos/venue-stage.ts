import {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreHooks,
} from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { IntentId, UserId } from '../../src/domain/ids.ts';
import type { Random } from '../../src/ports/random.ts';
import type { Venue } from '../../src/ports/venue.ts';
import { ORDER_KEYS } from '../../src/services/books/tables.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import type { VenueWorld } from '../contracts/venue/fixture.ts';
import { watchUser } from '../support/watched-users.ts';
import { openProcess, type VenueProcess } from '../support/worlds/venue-life.ts';

/** What a caller was answered of an intent in the end. */
export type CallerAnswer =
  | { readonly kind: 'order'; readonly intentId: IntentId }
  | { readonly kind: 'refused'; readonly code: string };

const AGAIN_MS = 1_000;
/** Who is answered "later" this often gives the intent up. */
const TRIES = 60;

/** The service in one of its lives. */
interface Life {
  readonly process: VenueProcess;
  /** Resolves with null when it is killed. */
  readonly death: Promise<null>;
  kill(): void;
}

/** Whom the callers call: none while it starts. */
export interface Stage<World extends VenueWorld = VenueWorld> {
  readonly world: World;
  readonly users: readonly UserId[];
  readonly reported: Map<string, CallerAnswer>;
  readonly random: Random;
  life: Life | null;
  store: MemoryStore;
  /** Of the present life's disk. */
  power: { isOn: boolean };
  again: number;
  lives: number;
}

/** Puts up a stage and starts the service on it. */
export function openStage<World extends VenueWorld>(
  world: World,
  users: readonly UserId[],
  seed: string,
): Stage<World> {
  const power = { isOn: true };
  const stage: Stage<World> = {
    world,
    users,
    reported: new Map(),
    random: createSeededRandom(seed),
    life: null,
    store: createMemoryStore(diskOf(power)),
    power,
    again: 0,
    lives: 0,
  };
  begin(stage);
  return stage;
}

/** Starts a life; the callers have it once it has recovered. */
function begin(stage: Stage): void {
  const { users } = stage;
  stage.lives += 1;
  const raise = async (): Promise<void> => {
    const process = await openProcess([stage.world], stage.store, `life-${stage.lives}`);
    for (const [, venue] of process.opened)
      for (const userId of users) await opened(stage, venue, userId);
    await process.core.start();
    process.core.walletRounds.start();
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

/** Opens an account at a venue that may be out of reach for a while. */
async function opened(stage: Stage, { accounts }: Venue, userId: UserId): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await accounts.open(userId);
    } catch (error) {
      if (!(error instanceof AppError) || !error.retryable || tries >= TRIES) throw error;
      await waited(stage.world, AGAIN_MS);
    }
  }
}

/** The power goes: what was not flushed is lost, and nothing of the process runs any more. */
export function restart(stage: Stage): void {
  const { life } = stage;
  if (life === null) return;
  stage.life = null;
  stage.power.isOn = false;
  life.process.die();
  stage.power = { isOn: true };
  stage.store = stage.store.crash(diskOf(stage.power));
  life.kill();
  begin(stage);
}

/** What a dead process still does reaches no disk. */
function diskOf(power: { readonly isOn: boolean }): MemoryStoreHooks {
  const hold = (): void => {
    if (!power.isOn) throw new Error('the power is gone');
  };
  return { beforeCommit: hold, onCommit: hold, onFlush: hold };
}

/** Asks under one key until it is answered. */
export async function placed(
  stage: Stage,
  userId: UserId,
  wanted: PlaceOrder,
): Promise<CallerAnswer> {
  let code = 'not there';
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

/** Takes an order back where there is a process that does; whatever that answers. */
export async function cancelled(
  { life }: Pick<Stage, 'life'>,
  userId: UserId,
  intentId: IntentId,
): Promise<void> {
  if (life === null) return;
  const { orders } = life.process.core;
  await Promise.race([orders.cancel(userId, intentId).catch(() => null), life.death]);
}

/** Does something again and again until it is ended. */
export function every({ world }: Pick<Stage, 'world'>, ms: number, run: () => void): () => void {
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

/** Lets so much of the world's time pass. */
export function waited({ clock }: Pick<VenueWorld, 'clock'>, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** Passes time until something is done. */
export async function lived<T>(
  { clock }: Pick<VenueWorld, 'clock'>,
  work: Promise<T>,
  withinMs: number,
): Promise<T> {
  let isDone = false;
  const settled = work.finally(() => (isDone = true));
  settled.catch(() => undefined);
  if (!(await clock.advanceUntil(() => isDone, withinMs)))
    throw new Error(`nothing came of it in ${withinMs / 3_600_000} hours of the clock`);
  return settled;
}

/** Says which callers were answered otherwise than the store has it. */
export function lostOf({ store, reported }: Pick<Stage, 'store' | 'reported'>): readonly string[] {
  return [...reported].flatMap(([key, answer]) => {
    const [userId = ''] = key.split(' ');
    const ref = store.get(ORDER_KEYS, [userId, key])?.value;
    if (answer.kind === 'refused')
      return ref === undefined ? [] : [`${key} was refused (${answer.code}) and made`];
    return ref?.intentId === answer.intentId ? [] : [`${key} is not there`];
  });
}
