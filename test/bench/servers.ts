import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openListener } from '../../src/http/listener/open-listener.ts';
import type { ServerKind } from '../../src/http/listener/listener.ts';
import type { Row } from './row.ts';
import type { ServerLoad } from './server-load.ts';
import { createThreadClock } from './thread-clock.ts';

const LOAD = new URL(`./server-load${extname(import.meta.url)}`, import.meta.url);
const CONNECTIONS = 32;
const CALLS = 40_000;
const ROUNDS = 3;

/**
 * A call that is answered at once, by each of the two servers: time the server's thread ran for it,
 * in turns. The clients are a thread of their own.
 */
export async function run(): Promise<readonly Row[]> {
  const times: Record<ServerKind, number[]> = { uws: [], node: [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const kind of ['uws', 'node'] as const) times[kind].push(await callMicros(kind));
  const median = (all: readonly number[]): number =>
    all.toSorted((one, other) => one - other)[ROUNDS >> 1] ?? Number.NaN;
  return [
    {
      work: `a call of ${CONNECTIONS} connections, uWebSockets.js: time the server's thread ran`,
      ours: median(times.uws),
      peer: { name: 'the HTTP server of Node.js', figure: median(times.node) },
      unit: 'µs',
      bar: null,
    },
  ];
}

/** Microseconds that the server's thread runs for a call, after a twentieth of them to warm up. */
async function callMicros(kind: ServerKind): Promise<number> {
  const listener = await openListener(kind);
  listener.onCalls({
    call: (response) =>
      response.cork(() => {
        response.writeStatus('200 OK').writeHeader('Content-Type', 'text/plain').end('hello');
      }),
    unreadable: (response) => response.close(),
  });
  const port = await listener.listen('127.0.0.1', 0);
  if (port === null) throw new Error(`${kind} does not listen`);
  const thread = createThreadClock();
  try {
    await load({ port, connections: CONNECTIONS, calls: CALLS / 20 });
    const startedMs = thread.nowMs();
    await load({ port, connections: CONNECTIONS, calls: CALLS });
    return ((thread.nowMs() - startedMs) * 1_000) / CALLS;
  } finally {
    thread.close();
    listener.close();
  }
}

async function load(workerData: ServerLoad): Promise<void> {
  const worker = new Worker(LOAD, { workerData });
  const [code] = (await once(worker, 'exit')) as [number];
  if (code !== 0) throw new Error(`the clients ended with code ${code}`);
}
