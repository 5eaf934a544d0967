import { createCallerAddresses } from '../../src/http/caller-address.ts';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { VENUE_APIS } from '../../src/app/route-table.ts';
import type { BookView } from '../../src/domain/book.ts';
import { asId, type MarketId, type TokenId } from '../../src/domain/ids.ts';
import { priceTicks, shareMicros } from '../../src/domain/units.ts';
import { startLiveGateway, type GatewayDeps } from '../../src/http/live/gateway.ts';
import type { ServerKind } from '../../src/http/listener/listener.ts';
import { openListener } from '../../src/http/listener/open-listener.ts';
import { API } from '../../config/limits/api.ts';
import { NOTHING_MISSED, socketServices } from '../support/fakes/socket-services.ts';
import { openFloor, serverFrame } from './fanout-floor.ts';
import type { ClientsOrder } from './fanout-clients.ts';
import { longestTurnMs } from './longest-turn.ts';
import type { Row } from './row.ts';
import { ONE_TIME } from '../../src/ports/market-time.ts';
import { createEpochs, createStreamNumbers } from '../../src/http/live/stream-numbers.ts';
import { createSystemRandom } from '../../src/adapters/random/system-random.ts';

/**
 * Deliveries aimed at in one measurement: enough for steady figures, few enough for a bench of a
 * minute.
 */
const DELIVERIES = 100_000;
/** A lone change is a system call a reader, whoever makes it. */
const TIMES_SYSTEM_CALL = 1.1;

/** What happens in one round: so many books change, so often, so far apart. */
interface Scene {
  readonly name: string;
  readonly books: number;
  readonly changes: number;
  readonly apartMs: number;
  /** The most ours may cost as a part of ws, by how many changes share a write. */
  readonly timesPeer: number;
}

const LONE_CHANGE: Scene = {
  name: 'one book changes once',
  books: 1,
  changes: 1,
  apartMs: 0,
  timesPeer: 0.75,
};

// recorded 5-minute books change up to some hundred times a second
const BUSY_MARKET: Scene = {
  name: 'a busy market: both books change every 5 ms',
  books: 2,
  changes: 100,
  apartMs: 5,
  timesPeer: 0.1,
};

const SCENES: readonly Scene[] = [
  LONE_CHANGE,
  { name: 'a market changes once (both books)', books: 2, changes: 1, apartMs: 0, timesPeer: 0.5 },
  {
    name: 'four markets change at once (eight books)',
    books: 8,
    changes: 1,
    apartMs: 0,
    timesPeer: 0.2,
  },
  BUSY_MARKET,
];

/** A server that sends changes to everybody who subscribed. */
interface Server {
  readonly port: number;
  /** Changes one level of each of the first `books` books, and sends what changed. */
  update(books: number): void;
  close(): Promise<void>;
}

/**
 * Server CPU for bringing one change of one book to one reader, beside ws sending every change as
 * it comes. The system call is most of it, so what counts is how many changes one write carries.
 */
export async function run(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const sockets of [500, 5_000]) {
    for (const scene of SCENES) {
      const ours = await measure(await openOurs(scene.books), sockets, scene);
      const peer = await measure(await openPeer(), sockets, scene);
      rows.push({
        work: `${scene.name}, ${sockets} sockets: server CPU per change and reader`,
        ours: ours.each,
        peer: { name: 'ws', figure: peer.each },
        unit: 'µs',
        bar: { timesPeer: scene.timesPeer },
      });
      if (scene === LONE_CHANGE && sockets === 500) {
        const floor = await measure(await openFloorOf(), sockets, scene);
        rows.push({
          work: `${scene.name}, ${sockets} sockets: beside the system call alone`,
          ours: ours.each,
          peer: { name: 'one plain write of the same bytes a socket', figure: floor.each },
          unit: 'µs',
          bar: { timesPeer: TIMES_SYSTEM_CALL },
        });
      }
      if (scene === LONE_CHANGE) {
        const node = await measure(await openOurs(scene.books, 'node'), sockets, scene);
        rows.push({
          work: `${scene.name}, ${sockets} sockets: by uWebSockets.js`,
          ours: ours.each,
          peer: { name: 'the same by the server of Node.js', figure: node.each },
          unit: 'µs',
          bar: null,
        });
      }
      if (scene === BUSY_MARKET)
        rows.push({
          work: `${scene.name}, ${sockets} sockets: longest turn of the event loop`,
          ours: ours.longestTurn,
          peer: { name: 'ws', figure: peer.longestTurn },
          unit: 'ms',
          bar: null,
        });
    }
  }
  return rows;
}

/**
 * Processor time of one change to one reader, µs, and the longest turn of the event loop while
 * changes are sent, ms.
 */
interface Cost {
  readonly each: number;
  readonly longestTurn: number;
}

async function measure(server: Server, sockets: number, scene: Scene): Promise<Cost> {
  const rounds = Math.max(3, Math.round(DELIVERIES / (sockets * scene.books * scene.changes)));
  const clients = fork(
    fileURLToPath(new URL(`./fanout-clients${extname(import.meta.url)}`, import.meta.url)),
  );
  await ask(clients, {
    kind: 'open',
    port: server.port,
    count: sockets,
    topics: Array.from({ length: scene.books }, (_unused, index) => topicOf(index)),
  });
  const longestTurn = await longestTurnMs(() => play(server, scene, sockets, 3));
  const framesBefore = await settle(clients);
  const before = process.cpuUsage();
  await play(server, scene, sockets, rounds);
  const spent = process.cpuUsage(before);
  const frames = (await settle(clients)) - framesBefore;
  const idleBefore = process.cpuUsage();
  await play({ ...server, update: () => {} }, scene, sockets, rounds);
  const idle = process.cpuUsage(idleBefore);
  clients.kill();
  await once(clients, 'exit');
  await server.close();
  const wanted = rounds * scene.books * sockets;
  if (frames < wanted || (scene.changes === 1 && frames !== wanted))
    throw new Error(`${frames} of ${wanted} changes arrived`);
  return {
    each: (spent.user + spent.system - idle.user - idle.system) / (wanted * scene.changes),
    longestTurn,
  };
}

/**
 * Rounds of changes, each followed by a pause in which all of the readers can be written to: so
 * that no round waits for the one before.
 */
async function play(server: Server, scene: Scene, sockets: number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (let change = 0; change < scene.changes; change += 1) {
      server.update(scene.books);
      if (scene.apartMs > 0) await pause(scene.apartMs);
    }
    await pause(API.socketFlushMs + 10 + (sockets * 1_000) / API.socketWritesPerSecond);
  }
}

/** Waits until no more frames come, and gives how many came in all. */
async function settle(clients: ChildProcess): Promise<number> {
  let last = -1;
  for (;;) {
    const { frames } = await ask(clients, { kind: 'count' });
    if (frames === last) return frames;
    last = frames ?? 0;
    await pause(200);
  }
}

async function ask(
  clients: ChildProcess,
  order: ClientsOrder,
): Promise<{ readonly frames?: number }> {
  const answered = once(clients, 'message');
  clients.send(order);
  const [answer] = await answered;
  // the clients' process answers every order with one such message
  return answer as { readonly frames?: number };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function topicOf(index: number): string {
  return `orderbook:venue_a:${tokenOf(index)}`;
}

function tokenOf(index: number): TokenId {
  return asId<TokenId>(`1${String(index).padStart(76, '0')}`);
}

/** The product's own gateway over books that change by one level. */
async function openOurs(books: number, kind: ServerKind | 'auto' = 'auto'): Promise<Server> {
  const views = new Map<string, BookView>();
  const listeners = new Map<string, () => void>();
  let seq = 0;
  for (let index = 0; index < books; index += 1) views.set(tokenOf(index), view(index, seq));
  const deps: GatewayDeps = {
    clock: createWallClock(),
    venues: VENUE_APIS,
    addresses: createCallerAddresses([]),
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    metrics: {
      count: () => {},
      gauge: () => {},
      observe: () => {},
      startTimer: () => () => {},
      beforeRead: () => {},
    },
    services: { ...socketServices(), missedEvents: NOTHING_MISSED },
    nextRequestId: () => 'req_bench',
    live: {
      nowMs: () => Date.now(),
      marketTime: ONE_TIME,
      numbers: createStreamNumbers(createEpochs(createWallClock(), createSystemRandom())),
      bus: { subscribe: () => () => {} },
      watchBook: (tokenId, _venue, onChange) => {
        listeners.set(tokenId, onChange);
        return {
          current: () => views.get(tokenId) ?? null,
          stop: () => void listeners.delete(tokenId),
        };
      },
      knowsBook: () => true,
      endOf: () => null,
      findBook: async () => true,
      watchMarketPrice: () => null,
      watchPrice: () => ({ current: () => null, stop: () => {} }),
    },
  };
  const listener = await openListener(kind);
  const gateway = startLiveGateway(listener, deps);
  const port = await listener.listen('127.0.0.1', 0);
  if (port === null) throw new Error('no free port');
  return {
    port,
    update(count) {
      seq += 1;
      for (let index = 0; index < count; index += 1) {
        views.set(tokenOf(index), view(index, seq));
        listeners.get(tokenOf(index))?.();
      }
    },
    close: async () => {
      gateway.close();
      listener.close();
    },
  };
}

/**
 * ws as its documentation shows a broadcast: one text, sent to every client. The text is that of
 * our own change.
 */
async function openPeer(): Promise<Server> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/ws' });
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('ws listens on a port');
  let seq = 0;
  return {
    port: address.port,
    update(count) {
      seq += 1;
      for (let index = 0; index < count; index += 1) {
        const text = changeText(index, seq);
        for (const client of server.clients) client.send(text);
      }
    },
    close: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The bytes of a change, and nothing but the system calls that send them. */
async function openFloorOf(): Promise<Server> {
  const floor = await openFloor();
  let seq = 0;
  return {
    port: floor.port,
    update(count) {
      seq += 1;
      for (let index = 0; index < count; index += 1)
        floor.sendToAll(serverFrame(changeText(index, seq)));
    },
    close: () => floor.close(),
  };
}

/** A change of one level, as our own gateway sends it. */
function changeText(index: number, seq: number): string {
  return JSON.stringify({
    topic: topicOf(index),
    kind: 'change',
    epoch: 1,
    seq,
    ageMs: 10,
    trusted: true,
    data: { venueAtMs: 1_800_000_000_000, distrust: null, bids: [['0.47', String(seq)]], asks: [] },
  });
}

/** Ten levels a side, of which one bid changes with `seq`. */
function view(index: number, seq: number): BookView {
  const level = (price: number, size: number) => ({
    price: priceTicks(price),
    size: shareMicros(size * 1_000_000),
  });
  return {
    tokenId: tokenOf(index),
    marketId: asId<MarketId>(`0x${'ab'.repeat(32)}`),
    epoch: 1,
    seq,
    venueAtMs: 1_800_000_000_000,
    receivedAtMs: Date.now(),
    distrust: null,
    bids: Array.from({ length: 10 }, (_unused, depth) =>
      level(4_700 - depth * 100, depth === 0 ? seq + 1 : 50),
    ),
    asks: Array.from({ length: 10 }, (_unused, depth) => level(4_800 + depth * 100, 50)),
  };
}
