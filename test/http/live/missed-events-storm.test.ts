import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { EVERYBODY, readerOf, USER_TOPICS } from '../../../src/domain/user-topic.ts';
import { eventually } from '../../support/eventually.ts';
import { runs, SAMPLE_SEED } from '../../support/sampled.ts';

const LOADER = fileURLToPath(new URL('../../support/typescript-loader.mjs', import.meta.url));
const CHILD = fileURLToPath(new URL('../../support/fixtures/event-child.ts', import.meta.url));

const READERS = runs(20, 500);
const DISCONNECTS = runs(200, 10_000);
const RESTARTS = runs(3, 20);
/** A reader goes away with one in so many messages. */
const ONE_IN_LEAVES = 12;
/** … and comes back when the others have heard up to so many. */
const AWAY_MAXIMUM = 400;

/** An upper bound, for what has come to a halt. */
const PATIENCE_MS = runs(240_000, 3_600_000);

/** The process with the store and the sockets. */
interface Daemon {
  readonly port: number;
  /** Commits nothing more; gives the place behind everything. */
  quiet(): Promise<string>;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
}

async function startDaemon(path: string, life: number): Promise<Daemon> {
  const words = [CHILD, path, String(READERS), `${SAMPLE_SEED} life ${life}`];
  const child = spawn(process.execPath, ['--import', LOADER, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async (word: string): Promise<string> => {
    const { value } = await lines.next();
    const [first, second = ''] = String(value).split(' ');
    expect(first).toBe(word);
    return second;
  };
  const port = Number(await said('port'));
  return {
    port,
    quiet() {
      child.stdin.write('quiet\n');
      return said('quiet');
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** What all readers share. */
interface Storm {
  readonly random: ReturnType<typeof createSeededRandom>;
  /** Null while there is no daemon. */
  port: number | null;
  disconnects: number;
  heard: number;
  away: number;
  /** Reopens readers when so many messages were heard. */
  readonly returns: { readonly atHeard: number; readonly open: () => void }[];
  onDisconnect(): void;
}

/** A client that keeps its cursor, and what it heard as numbers of the journal. */
class Reader {
  readonly userId: string;
  readonly heard: number[] = [];
  readonly faults: string[] = [];
  base: number | null = null;
  cursor: string | null = null;
  private socket: WebSocket | null = null;
  private readonly storm: Storm;

  constructor(userId: string, storm: Storm) {
    this.userId = userId;
    this.storm = storm;
  }

  open(): void {
    const { port } = this.storm;
    if (port === null) return;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, {
      headers: { authorization: `Bearer ${this.userId.slice('usr_'.length)}` },
    });
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('open', () => {
      const since = this.cursor === null ? {} : { since: this.cursor };
      socket.send(JSON.stringify({ op: 'subscribe', topics: USER_TOPICS, ...since }));
    });
    socket.on('message', (data) => {
      // what comes after the socket was given up is lost, as on a network
      if (this.socket === socket) this.hear(JSON.parse(String(data)) as Message);
    });
    socket.on('close', () => {
      if (this.socket === socket && this.storm.port === port) this.open();
    });
  }

  close(): void {
    this.socket?.terminate();
    this.socket = null;
  }

  private hear(message: Message): void {
    const { storm } = this;
    if (message.op === 'too_old' || message.op === 'error')
      this.faults.push(JSON.stringify(message));
    const { cursor } = message;
    if (cursor === undefined) return;
    const seq = Number(cursor.split('.')[1]);
    if (message.kind === 'snapshot') {
      if (this.cursor !== null && this.cursor !== cursor) this.faults.push('a second snapshot');
      this.base ??= seq;
    }
    if (message.kind === 'change') this.heard.push(seq);
    this.cursor = cursor;
    storm.heard += 1;
    this.maybeLeave();
    for (const [index, { atHeard, open }] of [...storm.returns.entries()].reverse()) {
      if (storm.heard < atHeard && storm.away * 2 < READERS) continue;
      storm.returns.splice(index, 1);
      storm.away -= 1;
      open();
    }
  }

  private maybeLeave(): void {
    const { storm } = this;
    if (storm.disconnects >= DISCONNECTS || storm.random.integer(ONE_IN_LEAVES) !== 0) return;
    this.close();
    storm.disconnects += 1;
    storm.away += 1;
    const atHeard = storm.heard + storm.random.integer(AWAY_MAXIMUM);
    storm.returns.push({ atHeard, open: () => this.open() });
    storm.onDisconnect();
  }
}

interface Message {
  readonly op?: string;
  readonly kind?: string;
  readonly cursor?: string;
}

/** Resolves when a thing holds. */
function until(holds: () => boolean): Promise<unknown> {
  return eventually(() => expect(holds()).toBe(true));
}

it(
  `no client misses an event, receives one twice or out of order: ${READERS} clients, ${DISCONNECTS} disconnects, ${RESTARTS} kills of the daemon`,
  async () => {
    const path = mkdtempSync(join(tmpdir(), 'predictd-events-'));
    let restarts = 0;
    let daemon = await startDaemon(path, restarts);
    const storm: Storm = {
      random: createSeededRandom(`${SAMPLE_SEED} storm`),
      port: daemon.port,
      disconnects: 0,
      heard: 0,
      away: 0,
      returns: [],
      onDisconnect: () => undefined,
    };
    const readers = Array.from(
      { length: READERS },
      (_, index) => new Reader(`usr_reader${index}`, storm),
    );
    for (const reader of readers) reader.open();

    while (restarts < RESTARTS) {
      const next = Math.floor((DISCONNECTS * (restarts + 1)) / (RESTARTS + 1));
      await until(() => storm.disconnects >= next);
      storm.port = null;
      await daemon.kill();
      restarts += 1;
      daemon = await startDaemon(path, restarts);
      storm.port = daemon.port;
      storm.returns.length = 0;
      storm.away = 0;
      for (const reader of readers) reader.open();
    }
    await until(() => storm.disconnects >= DISCONNECTS);
    const end = await daemon.quiet();
    for (const { open } of storm.returns.splice(0)) open();
    for (const reader of readers) {
      reader.close();
      reader.open();
    }
    await until(() => readers.every(({ cursor }) => cursor === end));
    storm.port = null;
    for (const reader of readers) reader.close();
    await daemon.kill();

    const store = await openLmdbStore({ path });
    const last = Number(end.split('.')[1]);
    const truth = new Map<string, number[]>([[EVERYBODY, []]]);
    for (const { userId } of readers) truth.set(userId, []);
    for (const { seq, event } of store.readJournal(0, last)) {
      const reader = readerOf(event);
      if (reader === EVERYBODY) for (const { userId } of readers) truth.get(userId)?.push(seq);
      else if (reader !== null) truth.get(reader)?.push(seq);
    }
    await store.close();
    rmSync(path, { recursive: true });
    const wrong = readers.flatMap(({ userId, base, heard, faults }) => {
      const wanted = (truth.get(userId) ?? []).filter((seq) => seq > (base ?? 0));
      const seen = new Set(heard);
      const missing = wanted.filter((seq) => !seen.has(seq)).length;
      const twice = heard.length - seen.size;
      const disorder = heard.filter((seq, index) => seq <= (heard[index - 1] ?? 0)).length;
      const strange = heard.length - twice - (wanted.length - missing);
      return missing + twice + disorder + strange + faults.length === 0
        ? []
        : [{ userId, missing, twice, disorder, strange, faults }];
    });
    expect(wrong).toEqual([]);
    expect(readers.reduce((sum, { heard }) => sum + heard.length, 0)).toBeGreaterThan(DISCONNECTS);
  },
  PATIENCE_MS,
);
