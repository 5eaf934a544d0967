import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Stage, Step } from '../scenarios/scenario.ts';
import type { Disk } from './disk.ts';
import { numbered, replaced, type NumberedStore } from './numbered-store.ts';

/**
 * When the power goes, seen from a durable write: before it; after it, the disk having it (`after`)
 * or nothing that was not flushed (`lost`); or after the flush that made it durable, before
 * any caller hears of it (`flushed`).
 */
export const MOMENTS = ['before', 'lost', 'after', 'flushed'] as const;
/** See MOMENTS. */
export type Moment = (typeof MOMENTS)[number];

/** A moment of a run: durable writes are counted from 1 over all lives. */
export interface CutPoint {
  readonly moment: Moment;
  readonly write: number;
  /**
   * True where the process is held up there and not killed: another one takes its log over, and it
   * goes on beside that one, its lease lost. What was committed is kept, whoever has flushed it.
   */
  readonly isTakenOver?: boolean;
}

/** What a run came to. */
export interface LivedThrough<Life> {
  readonly store: Store;
  readonly life: Life;
  readonly lives: number;
  readonly writes: number;
  /** Moments met while nothing was cut. */
  readonly points: readonly CutPoint[];
}

/** A step that takes longer than this of the clock has come to a halt. */
const STEP_LIMIT_MS = 900_000;
/** A run that is started more often than this starts in vain. */
const LIVES_MAXIMUM = 5;

/**
 * Lives the steps on a disk, cuts the power at most once, and starts again on what the disk kept.
 * Throws when a step comes to nothing.
 */
export async function liveThrough<Life>(
  { stage, steps }: { readonly stage: Stage<Life>; readonly steps: readonly Step<Life>[] },
  disk: Disk,
  point: CutPoint | null,
): Promise<LivedThrough<Life>> {
  const power = createPower(stage, disk, point);
  const replacedLives: Life[] = [];
  let process = await startAgain();
  for (const step of steps) {
    while (!(await finishes(process, step(process.life)))) process = await buryAndStart(process);
  }
  for (const life of replacedLives) stage.bury(life);
  return {
    store: process.store,
    life: process.life,
    lives: power.lives,
    writes: power.writes,
    points: power.points,
  };

  async function buryAndStart(dead: Process<Life>): Promise<Process<Life>> {
    leave(dead);
    return startAgain();
  }

  /** One that was replaced goes on beside the next. */
  function leave({ life, death }: Process<Life>): void {
    if (death.aborted) stage.bury(life);
    else replacedLives.push(life);
  }

  /** A start that is cut short itself is followed by another. */
  async function startAgain(): Promise<Process<Life>> {
    for (;;) {
      const process = await power.begin();
      if (process === null) continue;
      if (await finishes(process, stage.start(process.life))) return process;
      leave(process);
    }
  }

  /**
   * True once the work is done, false when its process died over it; the failures of a dead process
   * do not count.
   */
  async function finishes(
    { store, over }: Process<Life>,
    work: Promise<unknown>,
  ): Promise<boolean> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    if (stage.pace === 'hands') await Promise.race([done, power.goes(over)]).catch(() => undefined);
    else await passTime(stage.clock, () => isDone || over.aborted, store);
    if (over.aborted) return false;
    if (!isDone) throw new Error('a step came to nothing');
    await done;
    return true;
  }
}

interface Process<Life> {
  readonly life: Life;
  readonly store: NumberedStore;
  readonly death: AbortSignal;
  /** Aborted when it is dead, or was replaced. */
  readonly over: AbortSignal;
}

interface Power<Life> {
  readonly lives: number;
  readonly writes: number;
  readonly points: readonly CutPoint[];
  /** The next process; null when the power went while it was made. */
  begin(): Promise<Process<Life> | null>;
  goes(death: AbortSignal): Promise<void>;
}

/** Counts the writes of all lives and ends one of them at the point. */
function createPower<Life>(stage: Stage<Life>, disk: Disk, point: CutPoint | null): Power<Life> {
  const points: CutPoint[] = [];
  let isCut = false;
  let [lives, writes, flushedTo] = [0, 0, 0];

  function meet(moment: Moment, write: number, kill: () => void): void {
    if (isCut) return;
    points.push({ moment, write });
    if (point === null || point.moment !== moment || point.write !== write) return;
    isCut = true;
    const isTakenOver = point.isTakenOver === true;
    disk.cut(isTakenOver ? 'after' : moment, () => stage.world());
    kill();
    throw isTakenOver ? replaced() : new Error('the power is gone');
  }

  function wire(store: Store, death: AbortController, over: AbortController): NumberedStore {
    const kill = (): void => {
      if (point?.isTakenOver !== true) death.abort();
      over.abort();
    };
    return numbered(store, {
      isDead: () => death.signal.aborted,
      isReplaced: () => over.signal.aborted,
      before() {
        writes += 1;
        meet('before', writes, kill);
        return writes;
      },
      after(write) {
        meet('lost', write, kill);
        meet('after', write, kill);
      },
      flushed() {
        if (flushedTo === writes) return;
        flushedTo = writes;
        meet('flushed', writes, kill);
      },
    });
  }

  const goes = (death: AbortSignal): Promise<void> =>
    new Promise((resolve) =>
      death.aborted ? resolve() : death.addEventListener('abort', () => resolve(), { once: true }),
    );
  return {
    get lives() {
      return lives;
    },
    get writes() {
      return writes;
    },
    points,
    goes,
    async begin() {
      lives += 1;
      if (lives > LIVES_MAXIMUM) throw new Error('it starts again and again');
      const [death, over] = [new AbortController(), new AbortController()];
      const store = wire(await disk.open(), death, over);
      const begun = stage.begin(store, lives, {
        death: death.signal,
        lease: { isHeld: () => !over.signal.aborted },
      });
      begun.catch(() => undefined);
      await Promise.race([begun, goes(over.signal)]).catch(() => undefined);
      return over.signal.aborted
        ? null
        : { life: await begun, store, death: death.signal, over: over.signal };
    },
  };
}

/**
 * Passes time until something is so, and none while the disk is at work: what a write starts does
 * not depend on how fast it was.
 */
async function passTime(
  clock: VirtualClock,
  isSo: () => boolean,
  store: NumberedStore,
): Promise<void> {
  const untilMs = clock.nowMs() + STEP_LIMIT_MS;
  while (!isSo()) {
    if (store.pending > 0) await turn();
    else if (
      !(await clock.advanceUntil(() => isSo() || store.pending > 0, untilMs - clock.nowMs()))
    )
      return;
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
