import type { WebSocket } from 'ws';
import { SANDBOX } from '../../../../config/limits/sandbox.ts';
import type { Asset } from '../../../domain/ids.ts';
import type { Clock } from '../../../ports/clock.ts';
import { callerTimes, type WallTime } from '../../wire/caller-times.ts';
import { everyTick } from '../../ticks.ts';
import type { FaultBoard } from '../../faults.ts';
import { ASSETS, type SettlementPrices } from '../prices/settlement-prices.ts';
import { refuseUnsigned, type DataStreamsAccount } from './data-streams-auth.ts';
import { DATA_STREAM_FEEDS, encodeReport, type StreamReport } from './data-streams-report.ts';
import {
  json,
  sendFrame,
  startFeedHost,
  type FeedAnswer,
  type FeedHost,
  type FeedRequest,
} from '../feed-host.ts';
import { RateBucket } from '../rate-bucket.ts';

/** A report is out this long after the second it observes. */
const PUBLISH_DELAY_MS = 250;
const WHOLE_SECOND = /^\d{1,10}$/;

/**
 * Starts REST and WebSocket of the oracle's data streams (feeds.md section 2.1); every call must be
 * signed.
 */
export async function startDataStreams(options: {
  readonly port: number;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly prices: SettlementPrices;
  readonly account: DataStreamsAccount;
  /** The wall's time, which callers may sign by as well; absent where the clock is the wall's. */
  readonly wall?: WallTime;
}): Promise<FeedHost> {
  const { clock, faults, prices, account } = options;
  const times = callerTimes(clock, options.wall ?? null);
  const readers = new Map<WebSocket, readonly Asset[]>();
  const newestSecond = () => Math.floor((clock.nowMs() - PUBLISH_DELAY_MS) / 1000);
  const reportAt = (asset: Asset, second: number): StreamReport | null => {
    const price = second > newestSecond() ? null : prices.at(asset, second);
    return price === null ? null : encodeReport(asset, second, price);
  };

  const tick = everyTick(clock, { stepMs: 1_000, delayMs: PUBLISH_DELAY_MS }, (second) => {
    for (const asset of ASSETS) {
      const wanted = [...readers].filter(([, assets]) => assets.includes(asset));
      if (wanted.length === 0 || faults.isArmed('feed-stall', { path: '/data-streams', asset }))
        continue;
      const report = reportAt(asset, second);
      if (report === null) continue;
      const frame = JSON.stringify({ report });
      for (const [socket] of wanted) sendFrame(socket, frame);
    }
  });

  const calls = restCalls(reportAt, newestSecond);
  const buckets = new Map<string, RateBucket>(
    [...calls.keys()].map((path) => [
      path,
      new RateBucket(clock, {
        perSecond: SANDBOX.dataStreamsPerSecond,
        burst: SANDBOX.dataStreamsPerSecond,
      }),
    ]),
  );
  const host = await startFeedHost(options.port, faults, {
    answer(request) {
      if (request.method === 'HEAD' && request.path === '/')
        return refuseUnsigned(request, account, times) ?? { status: 200, body: '' };
      const call = calls.get(request.path);
      if (call === undefined || request.method !== 'GET') return json(404, { error: 'not found' });
      const refusal = refuseUnsigned(request, account, times);
      if (refusal !== null) return refusal;
      return buckets.get(request.path)?.take() === false
        ? json(429, { error: 'rate limit exceeded' })
        : call(request);
    },
    admit(request) {
      if (request.path !== '/api/v1/ws') return json(404, { error: 'not found' });
      const refusal = refuseUnsigned(request, account, times);
      if (refusal !== null) return refusal;
      const assets = assetsOf(request.query.get('feedIDs'));
      if (assets === null) return json(401, { error: 'unknown feed' });
      return (socket) => {
        readers.set(socket, assets);
        socket.on('close', () => readers.delete(socket));
      };
    },
  });
  return {
    ...host,
    close: () => {
      tick.cancel();
      return host.close();
    },
  };
}

type Call = (request: FeedRequest) => FeedAnswer;

function restCalls(
  reportAt: (asset: Asset, second: number) => StreamReport | null,
  newestSecond: () => number,
): ReadonlyMap<string, Call> {
  const single: (secondOf: (request: FeedRequest) => number | null) => Call =
    (secondOf) => (request) => {
      const second = secondOf(request);
      if (second === null || !request.query.has('feedID'))
        return json(400, { error: 'missing or malformed parameter' });
      const [asset] = assetsOf(request.query.get('feedID')) ?? [];
      if (asset === undefined) return json(401, { error: 'unknown feed' });
      const report = reportAt(asset, second);
      return report === null ? json(404, { error: 'report not found' }) : json(200, { report });
    };
  return new Map<string, Call>([
    [
      '/api/v1/feeds',
      () =>
        json(200, {
          feeds: ASSETS.map((asset) => ({
            feedID: DATA_STREAM_FEEDS[asset],
            name: `${asset}/USD-RefPrice-DS-Premium`,
            decimals: 18,
            asset,
            quoteAsset: 'USD',
          })),
        }),
    ],
    ['/api/v1/reports/latest', single(newestSecond)],
    ['/api/v1/reports', single((request) => secondIn(request, 'timestamp'))],
    [
      '/api/v1/reports/bulk',
      (request) => {
        const second = secondIn(request, 'timestamp');
        const assets = assetsOf(request.query.get('feedIDs'));
        if (second === null || !request.query.has('feedIDs'))
          return json(400, { error: 'missing or malformed parameter' });
        if (assets === null) return json(401, { error: 'unknown feed' });
        const reports = assets
          .map((asset) => reportAt(asset, second))
          .filter((report) => report !== null);
        return json(reports.length === assets.length ? 200 : 206, { reports });
      },
    ],
    [
      '/api/v1/reports/page',
      (request) => {
        const first = secondIn(request, 'startTimestamp');
        const limit = Math.min(
          Number(request.query.get('limit') ?? SANDBOX.reportsPerPage),
          SANDBOX.reportsPerPage,
        );
        const [asset] = assetsOf(request.query.get('feedID')) ?? [];
        if (first === null || !Number.isInteger(limit) || limit < 1)
          return json(400, { error: 'missing or malformed parameter' });
        if (asset === undefined) return json(401, { error: 'unknown feed' });
        const reports = Array.from({ length: limit }, (_, index) =>
          reportAt(asset, first + index),
        ).filter((report) => report !== null);
        return json(200, { reports });
      },
    ],
  ]);
}

function secondIn(request: FeedRequest, parameter: string): number | null {
  const text = request.query.get(parameter);
  return text !== null && WHOLE_SECOND.test(text) ? Number(text) : null;
}

/** Assets of a comma list of feed ids; null when it is empty or one of them is unknown. */
function assetsOf(text: string | null): readonly Asset[] | null {
  const ids = (text ?? '').toLowerCase().split(',');
  const assets = ids.map((id) => ASSETS.find((asset) => DATA_STREAM_FEEDS[asset] === id));
  return assets.includes(undefined) ? null : assets.filter((asset) => asset !== undefined);
}
