import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { FEED_LINK } from '../../config/limits/feed-link.ts';
import { LINK_PATH } from '../adapters/feed-link/protocol.ts';
import { AppError } from '../domain/errors.ts';
import { SERVER_BOUNDS } from '../http/listener/server-bounds.ts';
import { refusalAnswer, type Answer } from '../http/respond.ts';
import type { Timer } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import { createChannels } from './channels.ts';
import { createAnswers } from './questions.ts';
import { serveReader } from './reader.ts';
import { createSourceWatch } from './source-watch.ts';
import type { FeedSources } from './sources.ts';

/** A running feed. */
export interface FeedServer {
  readonly url: string;
  /** False while it reaches none of its sources. */
  isReaching(): boolean;
  close(): Promise<void>;
}

/**
 * Serves what a feed reads to those who prove that they know the secret. Each source is read while
 * anyone follows it. Errors: `port_in_use`.
 */
export async function startFeedServer(options: {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly sources: FeedSources;
  /** What readers prove that they know: two while one replaces the other. */
  readonly secrets: readonly string[];
  /** Answers what is asked of the feed itself; null for every other call. */
  readonly answerOwn: (request: IncomingMessage) => Promise<Answer> | null;
  readonly nextRequestId: () => string;
  readonly metrics: Pick<Metrics, 'count' | 'gauge' | 'beforeRead'>;
  readonly log: Log;
}): Promise<FeedServer> {
  const { host, port, sources, metrics, log } = options;
  const channels = createChannels(sources, (what) =>
    metrics.count('feed_left_out_total', { what }),
  );
  const answer = createAnswers(sources, channels);
  const readers = new Set<WebSocket>();
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: FEED_LINK.requestMaximumBytes,
  });
  const isReaching = (): boolean => !channels.areLost(FEED_LINK.lostMs);
  metrics.beforeRead(() => {
    metrics.gauge('feed_readers_open', readers.size);
    metrics.gauge('feed_channels_open', channels.all().length);
  });

  const server = createServer(SERVER_BOUNDS);
  server.on('request', (incoming, outgoing) => void answerCall(incoming, outgoing));
  server.on('upgrade', (incoming, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    // Who has not proven anything yet counts too: no more of them are heard than readers may be.
    const isFull = sockets.clients.size >= FEED_LINK.readersMaximum;
    if (incoming.url !== LINK_PATH || isFull || !isReaching())
      return void socket.end(`HTTP/1.1 ${incoming.url === LINK_PATH ? 503 : 404} \r\n\r\n`);
    sockets.handleUpgrade(incoming, socket, head, (reader) =>
      serveReader(reader, {
        secrets: options.secrets,
        channels,
        answer,
        nonce: randomBytes(24).toString('base64url'),
        proven() {
          readers.add(reader);
          log.info({ readers: readers.size }, 'feed.reader_joined');
          reader.once('close', (code) => {
            readers.delete(reader);
            log.info({ readers: readers.size, code }, 'feed.reader_left');
          });
        },
      }),
    );
  });

  async function answerCall(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const own = await (options.answerOwn(incoming) ?? refused()).catch(refused);
    outgoing.writeHead(own.status, { 'Cache-Control': 'no-store', ...own.headers });
    outgoing.end(incoming.method === 'HEAD' ? undefined : (own.body ?? undefined));
  }

  const refused = async (): Promise<Answer> =>
    refusalAnswer(new AppError('not_found', 'a feed serves no users'), options.nextRequestId());

  const watch = createSourceWatch();
  let inspecting: Timer = sources.clock.after(FEED_LINK.inspectMs, inspect);
  function inspect(): void {
    inspecting = sources.clock.after(FEED_LINK.inspectMs, inspect);
    if (isReaching()) return watch.leave();
    watch.follow(channels.all());
    for (const reader of readers) reader.close(REACHES_NOTHING, 'reaches none of its sources');
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new AppError('port_in_use', `cannot listen: ${cause.message}`, { cause })),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' ? (address?.port ?? port) : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    isReaching,
    async close() {
      inspecting.cancel();
      for (const reader of sockets.clients) reader.close(GOING_AWAY, 'ends');
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const late = setTimeout(() => {
        for (const reader of sockets.clients) reader.terminate();
        server.closeAllConnections();
      }, FEED_LINK.closeMs);
      await closed;
      clearTimeout(late);
      channels.close();
    },
  };
}

const REACHES_NOTHING = 4503;
const GOING_AWAY = 1001;
