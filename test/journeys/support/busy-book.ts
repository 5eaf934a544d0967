import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';

/** A level as the live interface sends it. */
interface Level {
  readonly price: string;
  readonly size: string;
}

/** A proxy in front of a daemon that can make one book as busy as a test wants. */
export interface BusyDaemon {
  readonly url: string;
  /** Replaces the changes of the book that the page reads by so many a second. */
  begin(perSecond: number): void;
  /**
   * Ends them; returns the last state, best first, and how many changes were sent. The daemon's own
   * changes stay away until the next page: one of them would take the place of that last state.
   */
  end(): { readonly sent: number; readonly bestBid: string; readonly bestAsk: string };
  close(): Promise<void>;
}

/** The first book that a message of a page subscribes to; null where it names none. */
function bookIn({ op, topics }: { readonly op?: unknown; readonly topics?: unknown }) {
  if (op !== 'subscribe' || !Array.isArray(topics)) return null;
  return topics.map(String).find((topic) => topic.startsWith('orderbook:')) ?? null;
}

/** Cents from 1 to 99 as the interface writes them. */
const priceOf = (cents: number): string => (cents / 100).toFixed(2);
const LEVELS = 20;
const CHANGED_AT_ONCE = 4;

/**
 * Sits between a browser and a daemon: calls go through, and the changes of the book that is read
 * first come from here. Their prices walk up and down, so that levels come and go on both sides.
 */
export async function startBusyDaemon(daemonUrl: string): Promise<BusyDaemon> {
  const { hostname, port } = new URL(daemonUrl);
  const sockets = new WebSocketServer({ noServer: true });
  const open = new Set<Socket>();
  let page: WebSocket | null = null;
  let topic: string | null = null;
  let place = { epoch: 0, seq: 0 };
  let middle = 50;
  let timer: NodeJS.Timeout | null = null;
  let isReplaced = false;
  let sent = 0;

  const pass = (from: IncomingMessage, to: ServerResponse): void => {
    const { method = 'GET', url: path = '/', headers } = from;
    const upstream = request({ hostname, port, method, path, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    upstream.on('error', () => to.destroy());
    from.pipe(upstream);
  };

  const join = (browser: WebSocket): void => {
    const upstream = new WebSocket(`ws://${hostname}:${port}/ws`);
    const waiting: string[] = [];
    page = browser;
    topic = null;
    isReplaced = false;
    browser.on('message', (data) => {
      // the first book that a page reads is the one it shows
      topic ??= bookIn(Object(JSON.parse(String(data))));
      if (upstream.readyState === WebSocket.OPEN) upstream.send(String(data));
      else waiting.push(String(data));
    });
    upstream.on('open', () => {
      for (const text of waiting.splice(0)) upstream.send(text);
    });
    upstream.on('message', (data) => {
      const text = String(data);
      const message = Object(JSON.parse(text));
      if (topic !== null && message.topic === topic) {
        if (isReplaced) return;
        place = { epoch: message.epoch, seq: message.seq };
      }
      browser.send(text);
    });
    browser.on('close', () => upstream.close());
    upstream.on('close', () => browser.close());
    upstream.on('error', () => browser.close());
  };

  const say = (kind: 'snapshot' | 'change', bids: readonly Level[], asks: readonly Level[]) => {
    place = { ...place, seq: place.seq + 1 };
    sent += 1;
    const snapshot = kind === 'snapshot' ? { marketId: '', distrust: null } : {};
    page?.send(
      JSON.stringify({
        topic,
        kind,
        ...place,
        ageMs: 3,
        trusted: true,
        data: { ...snapshot, venueAtMs: Date.now(), bids, asks },
      }),
    );
  };

  /** The walk of the best prices, one cent at a time between 30 and 70. */
  const step = (): void => {
    const before = middle;
    if (sent % 5 === 0) middle += middle >= 70 || (middle > 30 && (sent / 5) % 2 === 0) ? -1 : 1;
    const sizeOf = (index: number): string => String(100 + ((sent * 7 + index * 13) % 900));
    const bids = Array.from({ length: CHANGED_AT_ONCE }, (_each, index) => ({
      price: priceOf(middle - 1 - index),
      size: sizeOf(index),
    }));
    const asks = Array.from({ length: CHANGED_AT_ONCE }, (_each, index) => ({
      price: priceOf(middle + 1 + index),
      size: sizeOf(index),
    }));
    if (middle > before) asks.push({ price: priceOf(middle), size: '0' });
    if (middle < before) bids.push({ price: priceOf(middle), size: '0' });
    say('change', bids, asks);
  };

  const server = createServer(pass);
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('upgrade', (call, socket, head) => {
    sockets.handleUpgrade(call, socket, head, join);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo; // a server on a port has one
  return {
    url: `http://127.0.0.1:${address.port}`,
    begin(perSecond) {
      sent = 0;
      middle = 50;
      isReplaced = true;
      const side = (sign: 1 | -1): readonly Level[] =>
        Array.from({ length: LEVELS }, (_each, index) => ({
          price: priceOf(middle + sign * (index + 1)),
          size: String(100 + index),
        }));
      say('snapshot', side(-1), side(1));
      // what is due by the clock is sent, so that a busy machine makes none of them fall out
      const beganAtMs = performance.now();
      timer = setInterval(() => {
        const due = Math.floor(((performance.now() - beganAtMs) * perSecond) / 1_000);
        for (let left = due - sent; left > 0; left -= 1) step();
      }, 4);
    },
    end() {
      if (timer !== null) clearInterval(timer);
      timer = null;
      return { sent, bestBid: priceOf(middle - 1), bestAsk: priceOf(middle + 1) };
    },
    async close() {
      sockets.close();
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
