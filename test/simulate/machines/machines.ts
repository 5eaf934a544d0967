import { createHash } from 'node:crypto';
import type { Compression } from '../../../src/adapters/postgres/compression.ts';
import { takeShard, type OwnedShard } from '../../../src/adapters/postgres/shard.ts';
import { wait } from '../../../src/adapters/postgres/engine.ts';
import { AppError, assert } from '../../../src/domain/errors.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Lease } from '../../../src/ports/lease.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { WorldModel } from '../../../src/sandbox/venues/venue-a/world-model.ts';
import type { DirectUser } from '../../../src/tools/replay/direct-service.ts';
import {
  complaining,
  makeService,
  openUsers,
  startService,
  type LifeOptions,
  type SimulatedService,
} from '../life.ts';
import { createMachineTime, type ClockMoment } from '../machine-time.ts';
import { createMortalClock, type MortalClock } from '../mortal-clock.ts';
import type { PushModel } from '../push-service.ts';
import { AGAIN_MS, createRequests, type Asked } from '../requests.ts';
import type { CommitTrap, Runtime } from '../service.ts';
import type { Disturbance } from './disturbances.ts';
import { createFolder, type Folder } from './folder.ts';
import { heardBy } from './heard-by.ts';
import { createLogDatabase, type LogConnection, type PlantedDatabase } from './log-database.ts';
import { sharedFindings, type Sending } from './shared-findings.ts';

/** A service of several machines, of which one owns the log at a time. */
export interface Machines extends Runtime {
  disturb(disturbance: Disturbance): void;
  counts(): MachineCounts;
  findings(): ReturnType<typeof sharedFindings>;
}

/** What a day of machines held. */
export interface MachineCounts {
  /** Processes that took the log over from another one. */
  readonly takeOvers: number;
  /** Those that found out by a statement that they were replaced. */
  readonly fenced: number;
  /** Appends of which it had to be found out whether they were carried out. */
  readonly undecided: number;
  /** Times at which something was not sent, because the lease was not held. */
  readonly heldBack: number;
}

/** What machines are made otherwise with, so that it is found out. */
export interface PlantedMachines extends PlantedDatabase {
  /** The lease of each process says that it is held, whatever has become of it. */
  readonly isLeaseIgnored?: boolean;
}

interface Machine {
  readonly name: string;
  readonly folder: Folder;
  process: Process | null;
}

/** A process of a machine: waits for the log, owns it, and ends. */
interface Process {
  readonly number: number;
  readonly machine: Machine;
  /** The world's time as long as it runs. */
  readonly world: MortalClock;
  /** What its machine says the time is. */
  readonly clock: Clock;
  readonly connection: LogConnection;
  shard: OwnedShard | null;
  store: Store | null;
  service: SimulatedService | null;
  /** True while users may ask it. */
  isUp: boolean;
  /** True once it is to end, or is away. */
  isLeaving: boolean;
}

const COUNT = 2;
/** A transaction on its way to a node of Solana. */
const SENDS_TRANSACTION = '"sendTransaction"';
/** What a direction to the venue takes (`life.ts`), ms. */
const VENUE_LATENCY_MS = 20;
/** A process that has lost the log has ended after this long, and the next one begins. */
const ENDING_MS = 100;
const RESTART_MS = 2_000;
/** Whoever does not end in order is killed: `TimeoutStopSec` of a supervisor. */
const STOPPING_MAXIMUM_MS = 30_000;
/**
 * Between two polls a process that waits rests, ms, as long as nothing has happened to machines for
 * a while: a day of polls every 100 ms takes longer to live through than all else in it. It is less
 * than `SHARED_LOG.pollsApartMaximumMs`.
 */
const RESTING_MS = 1_300;
const ATTENTIVE_MS = 60_000;
/** Nothing is to be gained from smaller frames here. */
const AS_THEY_ARE: Compression = {
  deflated: async (bytes) => Uint8Array.from(bytes),
  inflated: async (bytes) => bytes,
};

/** Starts the machines; the first of them takes the log at once. */
export function openMachines(options: LifeOptions, planted: PlantedMachines = {}): Machines {
  const { clock, time = createMachineTime(clock) } = options;
  const database = createLogDatabase(clock, planted);
  const machines: readonly Machine[] = Array.from({ length: COUNT }, (_, index) => ({
    name: `machine ${index + 1}`,
    folder: createFolder(`machine ${index + 1}`),
    process: null,
  }));
  const problems: string[] = [];
  const sendings: Sending[] = [];
  const moments = new Map<string, ClockMoment>();
  const publishedAtMs = new Map<number, number>();
  const askedToCancel = new Set<string>();
  const requests = createRequests((text) => problems.push(text));
  let users: readonly DirectUser[] = [];
  const counted = { fenced: 0, undecided: 0, heldBack: 0 };
  let lives = 0;
  let attentiveUntilMs = clock.nowMs() + ATTENTIVE_MS;

  function begin(machine: Machine): void {
    lives += 1;
    const world = createMortalClock(clock);
    const { clock: own, moment } = time.startClock(world);
    const process: Process = {
      number: lives,
      machine,
      world,
      clock: own,
      connection: database.connect(world, `${machine.name}, process ${lives}`),
      shard: null,
      store: null,
      service: null,
      isUp: false,
      isLeaving: false,
    };
    machine.process = process;
    machine.folder.close();
    run(process, moment).catch((error: unknown) => {
      if (machine.process !== process || process.isLeaving) return;
      if (error instanceof AppError && error.code === 'store_unavailable')
        return end(process, AGAIN_MS);
      // It is parked: people decide.
      problems.push(`process ${process.number} did not start: ${String(error)}`);
    });
  }

  async function run(process: Process, moment: () => ClockMoment): Promise<void> {
    const { machine, world, connection, number } = process;
    const { folder } = machine;
    const shard = await takeShard(connection, {
      shard: 0,
      owner: connection.session,
      wallClock: process.clock,
      steadyClock: world,
      compression: AS_THEY_ARE,
      ending: new AbortController().signal,
      waits: () => undefined,
      async meanwhile(log) {
        await folder.follow(log);
        if (clock.nowMs() > attentiveUntilMs) await wait(world, RESTING_MS);
      },
      undecided: () => void (counted.undecided += 1),
      fenced() {
        counted.fenced += 1;
        leave(process);
      },
    });
    process.shard = shard;
    await folder.follow(shard);
    const store = folder.open(shard, () => leave(process));
    process.store = store;
    const lease: Lease = {
      isHeld() {
        const isHeld = shard.isHeld();
        if (!isHeld) counted.heldBack += 1;
        return isHeld || planted.isLeaseIgnored === true;
      },
    };
    const note = (what: Sending['what'], id: string, leftAtMs: number): void =>
      void sendings.push({
        what,
        id,
        session: connection.session,
        leftAtMs,
        head: database.frames.length,
      });
    const service = await makeService(
      {
        ...options,
        model: notedModel(options.model, clock, note),
        pushes: notedPushes(options.pushes, clock, note),
        beside: (options.beside ?? []).map((one) => ({
          ...one,
          transport: heardBy(world, one.transport, ({ body = '' }) => {
            const text = Buffer.from(body).toString();
            if (text.includes(SENDS_TRANSACTION))
              note('transaction', digestOf(text), clock.nowMs());
          }),
        })),
      },
      {
        number,
        world,
        clock: process.clock,
        arrivalClock: clock,
        store,
        lease,
        askedToCancel,
        log: complaining((text) => {
          if (!process.isLeaving && shard.isHeld()) problems.push(`process ${number}: ${text}`);
        }),
      },
    );
    process.service = service;
    service.bus.subscribe(({ seq, event }) => {
      publishedAtMs.set(seq, clock.nowMs());
      if (event.type === 'decision.made') moments.set(event.decision.decisionId, moment());
    });
    users = await openUsers(options, service, process.clock);
    await startService(service, users);
    process.isUp = true;
    const asked = askedOf(process);
    if (asked !== null) requests.askAll(asked);
  }

  /** Users are sent to whoever owns the log, and refused while that is not proven. */
  function isAsked({ isUp, isLeaving, shard }: Process): boolean {
    return isUp && !isLeaving && shard !== null && shard.isHeld();
  }

  function answering(): Process | null {
    return (
      machines.map(({ process }) => process).find((one) => one !== null && isAsked(one)) ?? null
    );
  }

  function askedOf(process: Process | null): Asked | null {
    if (process === null || process.service === null) return null;
    const { number, clock: own, service } = process;
    return { number, clock: own, service, isAsked: () => isAsked(process) };
  }

  /** The process that owns the log by the database's row, whatever it knows itself. */
  function owner(): Process | null {
    const session = database.owner();
    return (
      machines
        .map(({ process }) => process)
        .find((one) => one?.connection.session === session && !one.isLeaving) ?? null
    );
  }

  /** The process is gone; its machine's next one begins after a while. */
  function end(process: Process, downMs: number): void {
    const { machine, service, connection, world } = process;
    if (machine.process !== process) return;
    machine.process = null;
    process.isLeaving = true;
    world.end();
    connection.drop();
    service?.cut();
    service?.core.stop().catch(() => undefined);
    clock.after(downMs, () => begin(machine));
  }

  /** It has lost the log: it ends by itself, and its next process waits. */
  function leave(process: Process): void {
    if (process.isLeaving) return;
    process.isLeaving = true;
    void stop(process).catch(() => undefined);
    process.world.after(ENDING_MS, () => end(process, RESTART_MS));
  }

  async function stop({ service }: Process): Promise<void> {
    await Promise.all([service?.push.stop(), service?.money?.stop(), service?.stop()]);
  }

  /** It is asked to end: what is under way comes to its end, and the log is let go. */
  function handOver(process: Process, downMs: number): void {
    process.isLeaving = true;
    const kill = clock.after(STOPPING_MAXIMUM_MS, () => end(process, downMs));
    const ended = async (): Promise<void> => {
      await stop(process);
      await process.store?.close();
      await process.shard?.close();
      kill.cancel();
      end(process, downMs);
    };
    void ended().catch(() => undefined);
  }

  /** What the machine has read that has read most. */
  function records(): Store {
    const [first, ...others] = machines.map(({ folder }) => folder);
    assert(first !== undefined, 'there are machines');
    return others
      .reduce((most, next) => (next.head().seq > most.head().seq ? next : most), first)
      .records();
  }

  function disturb({ what, lastsMs, appends, isAllLost }: Disturbance): void {
    const process = owner();
    attentiveUntilMs = clock.nowMs() + lastsMs + ATTENTIVE_MS;
    if (what === 'append-doubted') return database.doubt(!isAllLost);
    if (what === 'database-down') {
      database.setDown(true);
      return void clock.after(lastsMs, () => database.setDown(false));
    }
    if (process === null) return;
    const happen = (): void => {
      switch (what) {
        case 'pause':
          process.world.pause();
          return void clock.after(lastsMs, () => process.world.resume());
        case 'cut-off':
          process.connection.cut();
          return void clock.after(lastsMs, () => process.connection.mend());
        case 'hand-over':
          return process.isUp ? handOver(process, lastsMs) : undefined;
        case 'kill':
          return end(process, lastsMs);
        case 'machine-lost':
          process.connection.fallSilent();
          if (isAllLost) process.machine.folder.lose();
          return end(process, lastsMs);
      }
    };
    if (appends === 0) happen();
    else process.connection.afterAppend(appends, happen);
  }

  /** What happens to a single machine in a commit, as it happens to one of several. */
  function cutInCommit({ moment, commits, downMs }: CommitTrap): void {
    const what = (
      { 'before-commit': 'cut-off', 'after-commit': 'kill', 'after-flush': 'pause' } as const
    )[moment];
    disturb({ what, lastsMs: downMs, appends: commits, isAllLost: false });
  }

  for (const machine of machines) begin(machine);
  return {
    service: () => answering()?.service ?? null,
    store: records,
    get users() {
      return users;
    },
    get lives() {
      return lives;
    },
    counts: () => ({ takeOvers: database.takes.length - 1, ...counted }),
    problems,
    want: (request) => requests.want(request, askedOf(answering())),
    seen: { moments, publishedAtMs, askedToCancel },
    get wanted() {
      return requests.size;
    },
    disturb,
    cut: (keptCommits, downMs) =>
      disturb({ what: 'machine-lost', lastsMs: downMs, appends: 0, isAllLost: keptCommits === 0 }),
    cutInCommit,
    fillDisk: () => owner()?.machine.folder.refuse(1),
    calm() {
      database.setDown(false);
      for (const { process } of machines) process?.connection.afterAppend(0, () => undefined);
    },
    findings: () => sharedFindings({ database, sendings, store: records() }),
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

type Note = (what: Sending['what'], id: string, leftAtMs: number) => void;

/** The same world, which notes what one process has had arrive at the venue. */
function notedModel(model: WorldModel, world: Clock, note: Note): WorldModel {
  const { exchange } = model;
  const leftAtMs = (): number => world.nowMs() - VENUE_LATENCY_MS;
  return {
    ...model,
    exchange: {
      ...exchange,
      place(order) {
        note('order', order.orderId, leftAtMs());
        return exchange.place(order);
      },
      cancel(owner, orderId) {
        note('cancel', orderId, leftAtMs());
        return exchange.cancel(owner, orderId);
      },
    },
  };
}

/** The same push services, which note what one process has sent. */
function notedPushes(pushes: PushModel, world: Clock, note: Note): PushModel {
  return {
    ...pushes,
    reachedBy(clock) {
      const service = pushes.reachedBy(clock);
      return {
        ...service,
        send(to, message, ...rest) {
          note('push', `${message.topic} to ${to.endpoint}`, world.nowMs());
          return service.send(to, message, ...rest);
        },
      };
    },
  };
}
