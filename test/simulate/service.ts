import {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreHooks,
} from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import type { DirectUser } from '../../src/tools/replay/direct-service.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Store } from '../../src/ports/store.ts';
import {
  ALWAYS_HELD,
  complaining,
  makeService,
  openUsers,
  startService,
  type LifeOptions,
  type ServiceOptions,
  type SimulatedService,
} from './life.ts';
import { createPushModel } from './push-service.ts';
import { createMachineTime, type ClockMoment } from './machine-time.ts';
import { createMortalClock, type MortalClock } from './mortal-clock.ts';
import type { CutMoment } from './happenings.ts';
import { AGAIN_MS, createRequests, type Asked, type Request } from './requests.ts';

/** The service through all its lives: cut off, started again on what the disk kept. */
export interface Runtime<S extends Store = Store> {
  /** The service that runs; null while it is down or starts. */
  service(): SimulatedService | null;
  store(): S;
  readonly users: readonly DirectUser[];
  readonly lives: number;
  /** Complaints of the lives, and starts that failed. */
  readonly problems: readonly string[];
  /** What was seen of the service from outside. */
  readonly seen: ServiceSeen;
  /**
   * Has a user want something: asked of the service that runs, and again of the next one until it
   * has answered.
   */
  want(ask: Request): void;
  /** Resolves with nothing wanted any more. */
  readonly wanted: number;
  cut(keptCommits: number, downMs: number): void;
  /** Sets the trap for a cut inside the n-th commit from now. */
  cutInCommit(trap: CommitTrap): void;
  /** The disk takes none of the next commits. */
  fillDisk(commits: number): void;
  /** Springs no traps any more. */
  calm(): void;
}

/** A cut inside the n-th commit from now. */
export interface CommitTrap {
  readonly moment: CutMoment;
  readonly commits: number;
  readonly keptCommits: number;
  readonly downMs: number;
}

/** What was seen of a service from outside, over all its lives. */
export interface ServiceSeen {
  /** How the clock of the service stood to the world's at each decision, by its id. */
  readonly moments: ReadonlyMap<string, ClockMoment>;
  /** World's time at which each entry of the journal was published, by its number. */
  readonly publishedAtMs: ReadonlyMap<number, number>;
  /** Orders whose cancel was requested, by intent. */
  readonly askedToCancel: ReadonlySet<string>;
}

interface Life {
  readonly number: number;
  /** The world's time as long as this life lasts. */
  readonly world: MortalClock;
  /** What its machine says the time is. */
  readonly clock: Clock;
  readonly disk: Disk;
  service: SimulatedService | null;
  isUp: boolean;
}

/**
 * A store as long as its life has power. What a dead process still reads in memory it may read; it
 * writes nothing any more.
 */
interface Disk {
  readonly store: MemoryStore;
  readonly power: { isOn: boolean };
}

/** Opens the service; its first life begins at once. */
export function openRuntime(given: ServiceOptions): Runtime<MemoryStore> {
  const { clock, seed, time = createMachineTime(clock) } = given;
  // One for all lives.
  const { pushes = createPushModel(clock, createSeededRandom(`${seed}:pushes`)) } = given;
  const options: LifeOptions = { ...given, pushes };
  const problems: string[] = [];
  const moments = new Map<string, ClockMoment>();
  const publishedAtMs = new Map<number, number>();
  const askedToCancel = new Set<string>();
  const requests = createRequests((text) => problems.push(text));
  let users: readonly DirectUser[] = [];
  let trap: (Omit<CommitTrap, 'commits'> & { commits: number }) | null = null;
  let refusedCommits = 0;
  let current: Life | null = null;
  let disk = diskOn((hooks) => createMemoryStore(hooks));
  let lives = 0;

  /** A disk with the moments at which the service can lose its power. */
  function diskOn(open: (hooks: MemoryStoreHooks) => MemoryStore): Disk {
    const power = { isOn: true };
    const at = (moment: CutMoment): void => {
      if (!power.isOn) throw new AppError('store_unavailable', 'the power is gone');
      spring(moment);
    };
    const store = open({
      beforeCommit() {
        at('before-commit');
        if (refusedCommits === 0) return;
        refusedCommits -= 1;
        throw new Error('no space left on device');
      },
      onCommit: () => at('after-commit'),
      onFlush: () => at('after-flush'),
    });
    return { store, power };
  }

  function spring(moment: CutMoment): void {
    if (trap === null || trap.moment !== moment || current === null) return;
    trap.commits -= 1;
    if (trap.commits > 0) return;
    const { keptCommits, downMs } = trap;
    cut(keptCommits, downMs);
    throw new Error('the power is gone');
  }

  function begin(): void {
    lives += 1;
    const world = createMortalClock(clock);
    const { clock: own, moment } = time.startClock(world);
    const life: Life = { number: lives, world, clock: own, disk, service: null, isUp: false };
    current = life;
    raise(life, moment).catch((error: unknown) => {
      if (life !== current) return;
      // A start that cannot write ends its process, and whoever watches over it starts the next
      // one.
      if (error instanceof AppError && error.code === 'store_unavailable') cut(0, AGAIN_MS);
      else problems.push(`life ${life.number} did not start: ${String(error)}`);
    });
  }

  async function raise(life: Life, moment: () => ClockMoment): Promise<void> {
    const service = await makeService(options, {
      number: life.number,
      world: life.world,
      clock: life.clock,
      store: life.disk.store,
      log: complaining((text) => {
        if (life === current) problems.push(`life ${life.number}: ${text}`);
      }),
      lease: ALWAYS_HELD,
      askedToCancel,
    });
    if (life !== current) return service.cut();
    life.service = service;
    service.bus.subscribe(({ seq, event }) => {
      publishedAtMs.set(seq, clock.nowMs());
      if (event.type === 'decision.made') moments.set(event.decision.decisionId, moment());
    });
    users = await openUsers(options, service, life.clock);
    await startService(service, users);
    life.isUp = true;
    const asked = askedOf(life);
    if (asked !== null) requests.askAll(asked);
  }

  function askedOf(life: Life | null): Asked | null {
    if (life === null || life.service === null) return null;
    const { number, clock: own, service } = life;
    return { number, clock: own, service, isAsked: () => life.isUp && life === current };
  }

  function cut(keptCommits: number, downMs: number): void {
    const life = current;
    if (life === null) return;
    current = null;
    trap = null;
    life.world.end();
    disk = diskOn((hooks) => life.disk.store.crash({ ...hooks, keptCommits }));
    life.disk.power.isOn = false;
    life.service?.cut();
    life.service?.core.stop().catch(() => undefined);
    clock.after(downMs, begin);
  }

  begin();
  return {
    service: () => (current?.isUp === true ? current.service : null),
    store: () => disk.store,
    get users() {
      return users;
    },
    get lives() {
      return lives;
    },
    problems,
    want: (request) => requests.want(request, askedOf(current)),
    seen: { moments, publishedAtMs, askedToCancel },
    get wanted() {
      return requests.size;
    },
    cut,
    cutInCommit(next) {
      trap = { ...next };
    },
    fillDisk(commits) {
      refusedCommits = commits;
    },
    calm() {
      trap = null;
      refusedCommits = 0;
    },
  };
}
