import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { canonicalJson } from '../../../src/tools/replay/run-record.ts';
import type { Lease } from '../../../src/ports/lease.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Disk } from '../support/disk.ts';
import { liveThrough, type CutPoint } from '../support/live-through.ts';

/** What bounds the life of a process. */
interface LifeBounds {
  /** Nothing of it reaches the world any more once this is aborted. */
  readonly death: AbortSignal;
  /** Lost once another process has taken over. */
  readonly lease: Lease;
}

/** What outlives a process, and how a process is started over a store. */
export interface Stage<Life> {
  readonly clock: VirtualClock;
  /**
   * `clock`: work waits for time that passes. `hands`: work takes the machine's own time, and the
   * steps move the clock themselves.
   */
  readonly pace: 'clock' | 'hands';
  /** Makes a process over what is kept. */
  begin(store: Store, number: number, bounds: LifeBounds): Promise<Life>;
  /** Its recovery. */
  start(life: Life): Promise<unknown>;
  /** Frees what a dead process left in memory. */
  bury(life: Life): void;
  /** The present state of the world, plain JSON: two runs that did the same to it have the same. */
  world(): unknown;
  /** What must be the same in two runs that came to the same end, plain JSON. */
  end(store: Store, life: Life): unknown;
  /** Sentences of what breaks a law at the end. */
  broken(store: Store, life: Life): readonly string[];
  /** Ends the world. */
  close(): void;
}

/** Something a person or the world does. Repeated when the power went while it was done. */
export type Step<Life> = (life: Life) => Promise<unknown>;

/** What a run of a scenario came to. */
export interface Lived {
  /** Durable writes of all lives. */
  readonly writes: number;
  /** Every moment at which the power could have gone before it went. */
  readonly points: readonly CutPoint[];
  readonly lives: number;
  /** Canonical JSON. */
  readonly end: string;
  readonly broken: readonly string[];
}

/** A life that is lived whole, and with the power going at one point. */
export interface CrashScenario {
  readonly name: string;
  readonly family: string;
  /** True where a process may be replaced by another one, and goes on beside that. */
  readonly takesOver: boolean;
  /** Lives it on a disk; `point` null: uncut. Throws when a step comes to nothing. */
  live(disk: Disk, point: CutPoint | null): Promise<Lived>;
}

/** Where a scenario plays and what happens in it. */
export interface ScenarioPlan<Life, S extends Stage<Life>> {
  readonly family: string;
  readonly takesOver?: boolean;
  open(): Promise<S>;
  steps(stage: S): readonly Step<Life>[];
}

/** Makes a scenario of a stage and its steps; each run opens a stage of its own. */
export function scenario<Life, S extends Stage<Life>>(
  name: string,
  { family, takesOver = false, open, steps }: ScenarioPlan<Life, S>,
): CrashScenario {
  return {
    name,
    family,
    takesOver,
    async live(disk, point) {
      const stage = await open();
      const { store, life, writes, points, lives } = await liveThrough<Life>(
        { stage, steps: steps(stage) },
        disk,
        point,
      );
      const lived = {
        writes,
        points,
        lives,
        end: canonicalJson(stage.end(store, life)),
        broken: stage.broken(store, life),
      };
      stage.bury(life);
      stage.close();
      await store.close();
      return lived;
    },
  };
}
