import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { WebSocket } from 'ws';
import { startDaemon, type Settings } from '../crash/support/daemon.ts';

/** A refusal that may be tried again passes within so many orders. */
const ORDERS_MAXIMUM = 100;

/** What a newcomer sees in the first minutes. */
export interface FirstMinutes {
  /** What `/readyz` names. */
  readonly server: unknown;
  /** How a market order for 5 USD ended. */
  readonly orderState: unknown;
  /** Topics that a socket with the order's market heard, each once. */
  readonly topicsHeard: readonly string[];
  readonly tools: number;
  readonly exit: number | null;
}

/**
 * Starts a daemon with its sandbox by the given Node, buys, listens on a socket, lists the tools of
 * MCP, and ends it as Ctrl-C does.
 */
export async function firstMinutes(node: string, settings: Settings = {}): Promise<FirstMinutes> {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-first-'));
  const daemon = startDaemon(
    { PREDICTD_DATA: folder, ...settings },
    { command: [node, 'dist/src/main.js'] },
  );
  try {
    const url = await daemon.url();
    const [, token = ''] = await daemon.saw(/\b(eyJ[\w-]+\.[\w-]+\.[\w-]+)/);
    const ask = createAsk(url, token);
    const ready = await readiness(ask);
    await daemon.saw(/demo user \S+ is ready with/);
    const { marketId, outcomes } = await marketToBuy(ask);
    const socket = openReader(url, token, ['orders', `orderbook:venue_a:${outcomes[0].tokenId}`]);
    await socket.heard(2);
    const orderState = await buy(ask, marketId);
    const topicsHeard = (await socket.heard(2)).map((topic) => topic.replace(/:\d+$/, ''));
    socket.close();
    const tools = await countTools(url, await keyFor(ask));
    daemon.signal('SIGINT');
    const { code } = await daemon.ended;
    return { server: ready, orderState, topicsHeard, tools, exit: code };
  } finally {
    daemon.signal('SIGKILL');
    await daemon.ended;
    // the chains write their last state for a moment
    rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}

type Ask = (method: string, path: string, body?: unknown) => Promise<unknown>;

function createAsk(url: string, token: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        Prefer: 'wait=10',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer.json();
  };
}

/**
 * The most traded market that does not end while this runs: the sandbox's time passes ten times as
 * fast, and a busy machine takes long between two calls.
 */
async function marketToBuy(ask: Ask) {
  const { data } = Object(await ask('GET', '/api/venue_a/markets/?sort=volume&limit=100'));
  const soonMs = Date.now() + 3_600_000;
  return data.find(({ endsAtMs }: { readonly endsAtMs: number }) => endsAtMs > soonMs);
}

/**
 * How a market order for 5 USD ends: sent again while its refusal says that this may help, as on a
 * busy machine whose books are late.
 */
async function buy(ask: Ask, marketId: string): Promise<unknown> {
  for (let sent = 0; sent < ORDERS_MAXIMUM; sent += 1) {
    const { state, code, retryable } = Object(
      await ask('POST', '/api/venue_a/order/', {
        marketId,
        side: 'yes',
        amount: 5,
        orderType: 'market',
        orderMode: 'dollars',
      }),
    );
    if (retryable !== true && state !== 'cancelled') return state ?? code;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return `refused ${ORDERS_MAXIMUM} times`;
}

/** The server that `/readyz` names, once the daemon is ready. */
async function readiness(ask: Ask): Promise<unknown> {
  for (;;) {
    const { server } = Object(await ask('GET', '/readyz'));
    if (server !== undefined) return server;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A key for assistants that may read. */
async function keyFor(ask: Ask): Promise<string> {
  const { key } = Object(
    await ask('POST', '/api/user/keys/', { name: 'first minutes', scopes: ['read'] }),
  );
  return String(key);
}

async function countTools(url: string, key: string): Promise<number> {
  const client = new Client({ name: 'first minutes', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
  );
  const { tools } = await client.listTools();
  await client.close();
  return tools.length;
}

function openReader(url: string, token: string, topics: readonly string[]) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const names = new Set<string>();
  const waiting = new Set<() => void>();
  socket.on('open', () => socket.send(JSON.stringify({ op: 'subscribe', topics })));
  socket.on('message', (data) => {
    const { topic, op, code } = JSON.parse(String(data)) as Readonly<Record<string, string>>;
    if (topic !== undefined) names.add(topic);
    // what is refused is shown in the place of a topic, and not waited for
    if (op === 'error') names.add(`error ${code}`);
    for (const check of waiting) check();
  });
  return {
    /** Topics heard, sorted, once there are so many. */
    heard: (count: number): Promise<readonly string[]> =>
      new Promise((resolve) => {
        const check = (): void => {
          if (names.size < count) return;
          waiting.delete(check);
          resolve([...names].sort());
        };
        waiting.add(check);
        check();
      }),
    close: () => socket.close(),
  };
}
