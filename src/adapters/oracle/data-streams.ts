import { FEEDS } from '../../../config/limits/market-data.ts';
import { AppError } from '../../domain/errors.ts';
import type { Asset } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { PriceFeed, PriceTick, TwapSeconds } from '../../ports/price-feed.ts';
import { createJsonGet, type JsonGet } from '../wire/json-get.ts';
import { openSocket } from '../wire/socket-frames.ts';
import { decodeReport, isV3Feed, type DecodedReport } from './report.ts';
import { wireReportEnvelope } from './schema.ts';
import { dataStreamsHeaders, type DataStreamsCredentials } from './sign.ts';

/** Which stream gives which price. */
export interface DataStreamsFeedId {
  readonly asset: Asset;
  readonly twapSeconds: TwapSeconds;
  /** 0x and 64 hex digits, schema version 3. */
  readonly feedId: string;
}

/** The running client. */
export interface DataStreamsFeed extends PriceFeed {
  close(): Promise<void>;
}

/**
 * Gives settlement prices from Chainlink Data Streams: live by WebSocket, missed moments by REST
 * (feeds.md section 2.1). Errors: `config_invalid` for a feed id of another schema than version 3,
 * or for missing credentials.
 */
export function createDataStreams(
  options: Pick<Runtime, 'clock' | 'metrics'> & {
    readonly restUrl: string;
    readonly socketUrl: string;
    readonly credentials: DataStreamsCredentials;
    readonly feeds: readonly DataStreamsFeedId[];
    /**
     * Stamps what is signed; `clock` where they are the same. The server allows 5 s: of the wall,
     * and not of a market that runs faster.
     */
    readonly wallClock?: Clock;
  },
): DataStreamsFeed {
  const { credentials, feeds, clock, wallClock = clock, metrics } = options;
  if (credentials.key === '' || credentials.secret === '')
    throw new AppError('config_invalid', 'Data Streams needs a key and a secret.');
  const wrong = feeds.find(({ feedId }) => !isV3Feed(feedId));
  if (wrong !== undefined)
    throw new AppError(
      'config_invalid',
      `the feed of ${wrong.asset}, ${wrong.feedId}, is not of schema version 3.`,
    );
  const byId = new Map(feeds.map((feed) => [feed.feedId.toLowerCase(), feed]));
  const rest = createJsonGet({
    baseUrl: options.restUrl,
    clock,
    timeoutMs: FEEDS.callTimeoutMs,
    maximumBytes: FEEDS.answerMaximumBytes,
    connectionsMaximum: FEEDS.connectionsMaximum,
    callsPerSecond: FEEDS.callsPerSecond,
  });
  const dropped = (reason: string): void =>
    metrics.count('feed_dropped_total', { feed: 'oracle', reason });

  return {
    name: 'oracle',
    close: () => rest.close(),
    watch(assets, listener) {
      const wanted = feeds.filter(({ asset }) => assets.includes(asset));
      const path = `/api/v1/ws?feedIDs=${wanted.map(({ feedId }) => feedId).join(',')}`;
      const newestAtMs = new Map<string, number>();
      const socket = openSocket(
        {
          url: options.socketUrl + path,
          clock,
          maximumBytes: FEEDS.frameMaximumBytes,
          handshakeTimeoutMs: FEEDS.handshakeTimeoutMs,
          idleMs: FEEDS.priceSilenceMs,
          headers: dataStreamsHeaders(
            credentials,
            new URL(options.socketUrl).pathname.replace(/\/$/, '') + path,
            wallClock.nowMs(),
          ),
        },
        {
          next(frame) {
            const report = readFrame(frame);
            if (report === null) return dropped('malformed');
            const feed = byId.get(report.feedId);
            if (feed === undefined) return dropped('unasked');
            // It would pass for the newest until the clock is there, and silence every true one
            // after it.
            if (report.observedAtMs - clock.nowMs() > FEEDS.futureMaximumMs)
              return dropped('ahead');
            // One origin repeats reports after its own restarts, and several origins send the same
            // ones.
            if (report.observedAtMs <= (newestAtMs.get(report.feedId) ?? 0))
              return dropped('repeated');
            newestAtMs.set(report.feedId, report.observedAtMs);
            listener.next(toTick(feed, report));
          },
          error: (cause) => listener.error(cause),
        },
      );
      return () => socket.close();
    },
    async priceAt(asset, atMs, twapSeconds) {
      const feed = feeds.find(
        (candidate) => candidate.asset === asset && candidate.twapSeconds === twapSeconds,
      );
      return feed === undefined ? null : fetchReport({ rest, credentials, wallClock, feed, atMs });
    },
  };
}

async function fetchReport({
  rest,
  credentials,
  wallClock,
  feed,
  atMs,
}: {
  readonly rest: JsonGet;
  readonly credentials: DataStreamsCredentials;
  readonly wallClock: Clock;
  readonly feed: DataStreamsFeedId;
  readonly atMs: number;
}): Promise<PriceTick | null> {
  const path = `/api/v1/reports?feedID=${feed.feedId}&timestamp=${Math.ceil(atMs / 1_000)}`;
  const answer = await rest.get({
    path,
    headers: dataStreamsHeaders(credentials, rest.pathPrefix + path, wallClock.nowMs()),
  });
  // 404 and 206 mean that there is no report at that second yet.
  if (answer.status === 404 || answer.status === 206) return null;
  if (answer.status !== 200)
    throw new AppError(
      'venue_protocol',
      `Data Streams answered ${answer.status} to a question for ${feed.asset}`,
    );
  const parsed = wireReportEnvelope.safeParse(answer.body);
  const report = parsed.success ? decodeReport(parsed.data.report) : null;
  if (report === null || report.feedId !== feed.feedId.toLowerCase())
    throw new AppError('venue_protocol', `Data Streams answered no v3 report for ${feed.asset}`);
  // A report of a later moment is no word about this one: it may be the price to beat of a round.
  return report.observedAtMs < atMs || report.observedAtMs - atMs > FEEDS.reportStepMs
    ? null
    : toTick(feed, report);
}

function readFrame(frame: Buffer): DecodedReport | null {
  let body: unknown;
  try {
    body = JSON.parse(frame.toString('utf8'));
  } catch {
    return null;
  }
  const parsed = wireReportEnvelope.safeParse(body);
  return parsed.success ? decodeReport(parsed.data.report) : null;
}

function toTick(feed: DataStreamsFeedId, report: DecodedReport): PriceTick {
  return {
    asset: feed.asset,
    price: report.price,
    sourceAtMs: report.observedAtMs,
    twapSeconds: feed.twapSeconds,
  };
}
