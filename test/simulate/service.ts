import { watchUser } from '../support/watched-users.ts';
import {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
} from '../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import {
  createDirectService,
  type DirectService,
  type DirectUser,
  type VenueInReach,
} from '../../src/tools/replay/direct-service.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { RiskCaps } from '../../src/domain/reservation.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { ExchangePrices } from '../../src/sandbox/feeds/prices/exchange-prices.ts';
import { modelAssessor } from '../support/fakes/model-assessor.ts';
import { SELLING_STRATEGIES } from '../support/worlds/selling-strategies.ts';
import {
  createPushModel,
  openPushFixture,
  type PushFixture,
  type PushModel,
} from './push-service.ts';
import type { ChainVenue } from './chain/chain-venue.ts';
import type { DayChain } from './chain/day-chain.ts';
import {
  lateFunds,
  openFundsService,
  type DayRelayer,
  type FundsService,
} from './chain/funds-service.ts';
import { createMachineTime, type ClockMoment, type MachineTime } from './machine-time.ts';
import { createMortalClock, type MortalClock } from './mortal-clock.ts';
import type { CutMoment } from './happenings.ts';
import type { WorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';

/** What a service stands on. */
export interface ServiceOptions {
  readonly clock: Clock;
  /** The clock of the machine; one that is right unless stated. */
  readonly time?: MachineTime;
  readonly model: WorldModel;
  /** Absent where the venue pays by itself. */
  readonly onChain?: ServiceChain;
  /** Venues that are open beside the model's; none unless stated. */
  readonly beside?: readonly VenueInReach[];
  /** What of the exchange's prices is told; all unless stated. */
  readonly exchangePrices?: ExchangePrices;
  readonly seed: number;
  readonly books: 'direct' | 'channel';
  /** Names of the users, in an order that stays. */
  readonly names: readonly string[];
  /** What the operator lets any one user have at risk; no bound unless stated. */
  readonly caps?: RiskCaps;
  /** Of the seed unless stated. */
  readonly pushes?: PushModel;
}

/** The service through all its lives: cut off, started again on what the disk kept. */
export interface Runtime {
  /** The service that runs; null while it is down or starts. */
  service(): SimulatedService | null;
  store(): MemoryStore;
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
  want(ask: (service: SimulatedService) => Promise<unknown>): void;
  /** Resolves with nothing wanted any more. */
  readonly wanted: number;
  cut(keptCommits: number, downMs: number): void;
  /** Sets the trap for a cut inside the n-th commit from now. */
  cutInCommit(trap: {
    readonly moment: CutMoment;
    readonly commits: number;
    readonly keptCommits: number;
    readonly downMs: number;
  }): void;
  /** The disk takes none of the next commits. */
  fillDisk(commits: number): void;
  /** Springs no traps any more. */
  calm(): void;
}

/** What was seen of a service from outside, over all its lives. */
export interface ServiceSeen {
  /** How the clock of the service stood to the world's at each decision, by its id. */
  readonly moments: ReadonlyMap<string, ClockMoment>;
  /** World's time at which each entry of the journal was told, by its number. */
  readonly toldAtMs: ReadonlyMap<number, number>;
  /** Orders whose cancel was requested, by intent. */
  readonly askedToCancel: ReadonlySet<string>;
}

/** A service and the part of it that tells browsers. */
export interface SimulatedService extends DirectService {
  readonly push: PushFixture;
  /** Null where the venue pays by itself. */
  readonly money: FundsService | null;
}

/** A chain that holds the users' money, and the relayer that acts on it. */
export interface ServiceChain {
  readonly chain: DayChain;
  readonly relayer: DayRelayer;
  readonly venue: ChainVenue;
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

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined };
/** A user asks again, and a start is made again, after this long when the store was full. */
const AGAIN_MS = 5_000;
/**
 * What the service cries out for when the venue holds back money that is there, as
 * `phantom-reservation` has it do: a word for operators, not a fault of its own.
 */
const PHANTOM_ALERT = 'funds.disputed';
/**
 * Opening an account while the venue refuses is tried so often, a second apart: longer than a clock
 * is ever so wrong that it refuses.
 */
const OPENING_ATTEMPTS = 900;

/** Opens the service; its first life begins at once. */
export function openRuntime(options: ServiceOptions): Runtime {
  const {
    clock,
    model,
    seed,
    books,
    names,
    caps = {},
    pushes = createPushModel(clock, createSeededRandom(`${seed}:pushes`)),
    time = createMachineTime(clock),
    exchangePrices = model.quotes,
    onChain,
    beside = [],
  } = options;
  const problems: string[] = [];
  const moments = new Map<string, ClockMoment>();
  const toldAtMs = new Map<number, number>();
  const askedToCancel = new Set<string>();
  const requests = new Set<(service: SimulatedService) => Promise<unknown>>();
  let users: readonly DirectUser[] = [];
  let trap: {
    moment: CutMoment;
    commits: number;
    readonly keptCommits: number;
    readonly downMs: number;
  } | null = null;
  let refusedCommits = 0;
  let current: Life | null = null;
  let disk = diskOn((hooks) => createMemoryStore(hooks));
  let lives = 0;

  /** A disk with the moments at which the service can lose its power. */
  function diskOn(open: (hooks: MemoryStoreOptions) => MemoryStore): Disk {
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
    const log: Log = {
      ...SILENT,
      error(fields, event) {
        if (life === current && event !== PHANTOM_ALERT && !isDiskFull(fields))
          problems.push(`life ${life.number}: ${event} ${JSON.stringify(fields, errorText)}`);
      },
    };
    const late = lateFunds();
    const direct = await createDirectService({
      ...(onChain === undefined ? {} : { accountFunds: { 'usdc:safe': late.funds } }),
      model,
      clock: life.clock,
      outsideClock: life.world,
      exchangePrices,
      seed,
      life: life.number,
      latencyMs: 20,
      books,
      strategies: SELLING_STRATEGIES,
      caps,
      assessor: modelAssessor,
      beside,
      log,
      store: life.disk.store,
    });
    const orders: DirectService['core']['orders'] = {
      ...direct.core.orders,
      cancel(userId, intentId) {
        askedToCancel.add(intentId);
        return direct.core.orders.cancel(userId, intentId);
      },
    };
    const money =
      onChain === undefined
        ? null
        : openFundsService({
            service: direct,
            clock: life.clock,
            world: life.world,
            seed,
            life: life.number,
            log,
            late,
            names,
            ...onChain,
          });
    const service: SimulatedService = {
      ...direct,
      money,
      core: { ...direct.core, orders },
      push: openPushFixture({
        service: direct,
        clock: life.clock,
        seed,
        life: life.number,
        log,
        pushes,
      }),
    };
    if (life !== current) return service.cut();
    life.service = service;
    service.bus.subscribe(({ seq, event }) => {
      toldAtMs.set(seq, clock.nowMs());
      if (event.type === 'decision.made') moments.set(event.decision.decisionId, moment());
    });
    const opened: DirectUser[] = [];
    for (const name of names) opened.push(await openUser(life, service, name));
    users = opened;
    for (const { userId, address } of opened) {
      onChain?.relayer.know(userId, address);
      onChain?.venue.follow(address);
    }
    money?.start(opened.map(({ userId }) => userId));
    await service.core.start();
    await service.push.start();
    for (const { userId } of users) watchUser(service.core.trading, userId);
    life.isUp = true;
    for (const request of requests) tell(life, request);
  }

  function want(request: (service: SimulatedService) => Promise<unknown>): void {
    requests.add(request);
    if (current !== null) tell(current, request);
  }

  function tell(life: Life, request: (service: SimulatedService) => Promise<unknown>): void {
    if (life.service === null || !life.isUp || life !== current) return;
    request(life.service).then(
      () => requests.delete(request),
      (error: unknown) => {
        if (life !== current) return;
        if (!(error instanceof AppError))
          problems.push(`life ${life.number}: a user was told ${String(error)}`);
        // A refusal is an answer; a store that cannot write just now, or a venue out of reach, is
        // none.
        if (
          error instanceof AppError &&
          (error.code === 'store_unavailable' || error.code === 'venue_unavailable')
        )
          life.clock.after(AGAIN_MS, () => tell(life, request));
        else requests.delete(request);
      },
    );
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
    want,
    seen: { moments, toldAtMs, askedToCancel },
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

/**
 * The venue may be out of reach while a life begins: a start goes on trying, as the daemon does.
 */
async function openUser(life: Life, service: DirectService, name: string): Promise<DirectUser> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await service.openUser(name);
    } catch (error) {
      if (attempt === OPENING_ATTEMPTS) throw error;
      await new Promise<void>((resolve) => void life.clock.after(1_000, resolve));
    }
  }
}

function isDiskFull(fields: object): boolean {
  return JSON.stringify(fields, errorText).includes('store_unavailable');
}

function errorText(_name: string, value: unknown): unknown {
  return value instanceof AppError
    ? `${value.code}: ${value.message}`
    : value instanceof Error
      ? String(value)
      : value;
}
