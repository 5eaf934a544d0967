import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { splitShard } from '../../src/app/split-cli.ts';
import { startWorld, type World } from '../../src/sandbox/world.ts';
import { killDaemons, startDaemon, type Daemon } from '../crash/support/daemon.ts';
import { contractSettings, worldSettings } from '../crash/support/world-settings.ts';
import {
  startPostgresCluster,
  type Postgres,
  type PostgresCluster,
} from '../support/fixtures/postgres.ts';
import { WORLD_CREDENTIALS } from '../support/worlds/small-world.ts';
import { openCutLink, type CutLink } from './cut-link.ts';
import { linkedSettings, startFeeds, withoutSources, type ClusterFeed } from './feeds.ts';

/** A machine of the cluster: a process that is started again whenever it ends. */
interface Machine {
  readonly name: string;
  /** The shard it owns, or waits for. */
  readonly shard: number;
  /** The process that runs now. */
  daemon(): Daemon;
  /** Exit codes and signals of those before, oldest first. */
  readonly ends: readonly string[];
  /** Its way to the database. */
  readonly links: readonly CutLink[];
}

/** What the table of shards says. */
export interface ShardRow {
  readonly epoch: number;
  readonly owner: string;
  readonly address: string;
  readonly head: number;
}

/**
 * Three nodes of PostgreSQL, the sandbox's world, two feeds that read prices and books from it, two
 * machines for each shard of which one owns it and the other one waits, and gateways before them.
 */
export interface Cluster {
  readonly world: World;
  /** Holds the data folder of each machine, by its name. */
  readonly folder: string;
  readonly postgres: PostgresCluster;
  readonly feeds: readonly ClusterFeed[];
  readonly machines: readonly Machine[];
  readonly gateways: readonly Daemon[];
  /** Addresses of the gateways. */
  readonly urls: readonly string[];
  /** Rejects where a machine refused to start: people are to decide, and it is left as it is. */
  readonly lost: Promise<never>;
  /** The node that takes writes now. */
  primary(): Postgres;
  /** How many shards there are, those that splits have made among them. */
  readonly shards: number;
  /** Splits a shard, with two machines that wait for the new one; gives the number of that. */
  split(id: number): Promise<number>;
  shard(id: number): Promise<ShardRow>;
  /** The machine that owns a shard; null without one. */
  owner(shard: number): Promise<Machine | null>;
  /** Resolves once a machine waits to take a shard over. */
  standby(shard: number): Promise<void>;
  /** Kills the node that takes writes, has another one take its place, and makes it anew. */
  promote(): Promise<void>;
  /** Ends the machines, the owners in order; gives the data folders of those. */
  end(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** How a cluster is started. */
export interface ClusterOptions {
  /** Ports of the gateways, 0 for any free one: as many gateways. */
  readonly ports: readonly number[];
  /** How many shards users are parted among. */
  readonly shards: number;
  /** Whether market makers quote; without, what happens in the markets is the caller's. */
  readonly makers: boolean;
  /** Shows a line of what happens. */
  readonly print: (line: string) => void;
  /** Folder of another clone that is built: machines run it at every other start. */
  readonly otherBuild?: string | undefined;
  /** What is left out, to see that its lack is noticed; absent: nothing. */
  readonly without?: Control | undefined;
}

/**
 * `epoch`: a machine that was replaced may go on writing. `quorum`: a commit is acknowledged before
 * a second node has it.
 */
export const CONTROLS = ['epoch', 'quorum'] as const;
export type Control = (typeof CONTROLS)[number];

const NO_EPOCH = fileURLToPath(new URL('no-epoch.mjs', import.meta.url));

/** What the operator's own calls show, as `X-Internal-Secret`. */
export const INTERNAL_SECRET = 'the secret of a cluster on one machine';

/** The exit code of a process that could not go on, and says why. */
const BROKEN = 70;
/** The exit code of a start that is refused with a sentence (config/deploy). */
const REFUSED = 2;
/** The compiled daemon in a clone. */
const MAIN = 'dist/src/main.js';
const SHARD_ROW = 'select epoch, owner, address, head from shard where id = ';
/** Of the machines, two for each shard. */
const NAMES =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen'.split(' ');

/** Starts all of it and waits until a gateway answers. */
export async function startCluster({
  ports,
  shards,
  makers,
  print,
  without,
  otherBuild,
}: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-cluster-'));
  const postgres = await startPostgresCluster();
  if (without === 'quorum') await postgres.acknowledgeAlone();
  print(`three nodes of PostgreSQL, a commit is on two of them: ${postgres.urls.join(' ')}`);
  const world = await startWorld({
    seed: 7,
    clock: createWallClock(),
    wallClock: createWallClock(),
    dataDir: null,
    makers,
    credentials: WORLD_CREDENTIALS,
  });
  const ownSettings = { ...contractSettings(world), ...worldSettings(world) };
  // A build from before there were feeds reads from the sources itself.
  const isLinked = otherBuild === undefined || knowsFeeds(otherBuild);
  let feeds: readonly ClusterFeed[] = [];
  let primary: Postgres = postgres.nodes[0];
  let isClosing = false;
  let count = shards;
  const machines: Machine[] = [];

  let lose: (cause: Error) => void = () => undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  // Whoever waits for something of the cluster hears of it.
  lost.catch(() => undefined);

  async function startMachine(name: string, ofShard: number): Promise<Machine> {
    const links = await Promise.all(
      postgres.nodes.map(({ url }) => openCutLink(Number(new URL(url).port))),
    );
    const ends: string[] = [];
    let starts = 0;
    const start = (): Daemon => {
      const settings = {
        ...(isLinked ? { ...withoutSources(ownSettings), ...linkedSettings(feeds) } : ownSettings),
        PREDICTD_FAUCET_URL: world.urls.venues.venue_a.faucet,
        PREDICTD_DATA: join(folder, name),
        PREDICTD_LOG_URLS: links
          .map(({ port }) => `postgres://predictd@127.0.0.1:${port}/postgres`)
          .join(','),
        PREDICTD_SHARD: String(ofShard),
        PREDICTD_SHARDS: String(shards),
        PREDICTD_TRUSTED_PROXIES: '127.0.0.1',
        PREDICTD_INTERNAL_SECRET: INTERNAL_SECRET,
        PREDICTD_LOG_LEVEL: 'warn',
        ...(without === 'quorum' ? { PREDICTD_LOG_DURABILITY: 'storage' } : {}),
      };
      starts += 1;
      const isOther = otherBuild !== undefined && starts % 2 === 0;
      const started = startDaemon(settings, {
        ...(without === 'epoch' ? { preload: NO_EPOCH } : {}),
        ...(isOther ? { command: [process.execPath, join(otherBuild, MAIN)] } : {}),
      });
      started.saw(/is broken here .*/).then(
        ([why]) => lose(new Error(`${name} is parked: ${why}`)),
        () => undefined,
      );
      void started.ended.then(({ code, signal }) => {
        ends.push(String(code ?? signal));
        if (isClosing) return;
        if (code === REFUSED)
          return lose(new Error(`${name} was refused: ${started.complained()}`));
        print(`${name} ended with ${code ?? signal}, and is started again`);
        if (code === BROKEN) print(started.complained());
        daemon = start();
      });
      return started;
    };
    let daemon = start();
    return { name, shard: ofShard, daemon: () => daemon, ends, links };
  }

  const shard = async (id: number): Promise<ShardRow> => {
    const [row] = await primary.ask<Readonly<Record<keyof ShardRow, string>>>(`${SHARD_ROW}${id}`);
    if (row === undefined) return { epoch: 0, owner: '', address: '', head: 0 };
    return {
      epoch: Number(row.epoch),
      owner: row.owner,
      address: row.address,
      head: Number(row.head),
    };
  };
  const owner = async (id: number): Promise<Machine | null> => {
    const { owner: title } = await shard(id);
    return machines.find((machine) => title.endsWith(`:${machine.daemon().pid}`)) ?? null;
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    for (const { links } of machines) for (const link of links) link.mend();
    await killDaemons();
    for (const { links } of machines) for (const link of links) await link.close();
    await world.close();
    await postgres.end();
    rmSync(folder, { recursive: true, force: true });
  };
  const gateways: Daemon[] = [];
  const urls: string[] = [];
  try {
    feeds = await startFeeds(world, () => isClosing, print);
    for (let id = 0; id < shards; id += 1) {
      const [first = '', second = ''] = NAMES.slice(2 * id);
      const owning = await startMachine(first, id);
      machines.push(owning);
      await owning.daemon().url();
      machines.push(await startMachine(second, id));
    }
    for (const port of ports)
      gateways.push(
        startDaemon({
          PREDICTD_ROLE: 'gateway',
          PREDICTD_PORT: String(port),
          PREDICTD_LOG_URLS: postgres.urls.join(','),
          PREDICTD_LOG_LEVEL: 'warn',
        }),
      );
    for (const gateway of gateways) urls.push(await gateway.url());
  } catch (cause) {
    await close();
    throw cause;
  }
  return {
    world,
    folder,
    postgres,
    feeds,
    machines,
    gateways,
    urls,
    primary: () => primary,
    lost,
    get shards() {
      return count;
    },
    async split(id) {
      const made = count;
      const [first = `${made} a`, second = `${made} b`] = NAMES.slice(2 * made);
      const starting: Promise<unknown>[] = [];
      const isDivided = await splitShard({ urls: postgres.urls, tls: null }, id, (line) => {
        print(line);
        // They wait, and read its log, from when it is copied on.
        if (starting.length === 0)
          for (const name of [first, second])
            starting.push(startMachine(name, made).then((machine) => machines.push(machine)));
      });
      await Promise.all(starting);
      if (!isDivided) throw new Error(`shard ${id} was not divided in time`);
      count += 1;
      return made;
    },
    shard,
    owner,
    async standby(id) {
      for (;;) {
        const current = await owner(id);
        const waits = machines.some(
          (machine) => machine.shard === id && machine !== current && isWaiting(machine),
        );
        if (current !== null && waits) return;
        await wait(POLL_MS);
      }
    },
    async promote() {
      const [one, other] = postgres.nodes.filter((node) => node !== primary);
      if (one === undefined || other === undefined) throw new Error('a cluster has three nodes');
      const before = primary;
      await before.kill();
      primary = await postgres.promote(one, other);
      await postgres.rebuild(before, primary);
    },
    async end() {
      isClosing = true;
      for (const { links } of machines) for (const link of links) link.mend();
      const owners = await Promise.all(Array.from({ length: count }, (_, id) => owner(id)));
      for (const machine of machines.filter((one) => !owners.includes(one)))
        machine.daemon().signalGroup('SIGKILL');
      const folders: string[] = [];
      for (const last of owners) {
        if (last === null) throw new Error('no machine owns a shard');
        last.daemon().signal('SIGTERM');
        const { code, signal } = await last.daemon().ended;
        if (code !== 0) throw new Error(`${last.name} ended with ${code ?? signal}`);
        folders.push(join(folder, last.name));
      }
      return folders;
    },
    close,
  };
}

/** Whether a built clone can be set to read from feeds. */
function knowsFeeds(build: string): boolean {
  return readFileSync(join(build, 'dist/config/schema.js'), 'utf8').includes('PREDICTD_FEED_URLS');
}

/** Whether a machine's process waits for the shard, and has not had it. */
function isWaiting({ daemon }: Machine): boolean {
  const printed = daemon().printed();
  return /waits (to take it over|for that)/.test(printed) && !printed.includes('answers at');
}

/** Waits until another process than that of an epoch owns a shard and takes calls. */
export async function untilTaken(
  cluster: Cluster,
  { shard, since }: { readonly shard: number; readonly since: number },
): Promise<ShardRow> {
  for (;;) {
    const row = await cluster.shard(shard).catch(() => null);
    if (row !== null && row.epoch > since && row.address !== '') return row;
    await wait(POLL_MS);
  }
}

const POLL_MS = 20;
