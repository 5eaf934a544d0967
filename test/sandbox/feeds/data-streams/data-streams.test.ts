import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeReport } from '../../../../src/adapters/oracle/report.ts';
import { dataStreamsHeaders } from '../../../../src/adapters/oracle/sign.ts';
import { DATA_STREAM_FEEDS } from '../../../../src/sandbox/feeds/data-streams/data-streams-report.ts';
import { startDataStreams } from '../../../../src/sandbox/feeds/data-streams/data-streams.ts';
import { readFrames } from '../../../support/fixtures/frame-reader.ts';
import { FEEDS_NOW_MS, modelledFeeds } from '../../../support/fakes/modelled-feeds.ts';

const ACCOUNT = { key: '6f1d4c2e-0000-4000-8000-000000000001', secret: 'a secret of the sandbox' };
const LATEST = `/api/v1/reports/latest?feedID=${DATA_STREAM_FEEDS.BTC}`;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('data streams over REST', () => {
  it('serves a signed caller the newest report, which decodes to the settlement price', async () => {
    const { get, feeds } = await started();
    const { status, body } = await get(LATEST);
    expect(status).toBe(200);
    const second = FEEDS_NOW_MS / 1000 - 1;
    expect(body.report).toMatchObject({
      feedID: DATA_STREAM_FEEDS.BTC,
      observationsTimestamp: second,
    });
    expect(decodeReport(body.report)).toEqual({
      feedId: DATA_STREAM_FEEDS.BTC,
      observedAtMs: second * 1000,
      price: Number((feeds.prices.at('BTC', second) ?? 0n) / 10_000_000_000n),
    });
  });

  it.each([
    ['no headers', (): Record<string, string> => ({}), 400],
    [
      'an unknown key',
      () => dataStreamsHeaders({ ...ACCOUNT, key: 'someone else' }, LATEST, FEEDS_NOW_MS),
      401,
    ],
    [
      'another secret',
      () => dataStreamsHeaders({ ...ACCOUNT, secret: 'guessed' }, LATEST, FEEDS_NOW_MS),
      401,
    ],
    [
      'a signature of another path',
      () => dataStreamsHeaders(ACCOUNT, '/api/v1/feeds', FEEDS_NOW_MS),
      401,
    ],
    ['a time 5001 ms behind', () => dataStreamsHeaders(ACCOUNT, LATEST, FEEDS_NOW_MS - 5_001), 401],
    ['a time 5001 ms ahead', () => dataStreamsHeaders(ACCOUNT, LATEST, FEEDS_NOW_MS + 5_001), 401],
    [
      'a signature with another method',
      () => ({
        ...dataStreamsHeaders(ACCOUNT, LATEST, FEEDS_NOW_MS),
        'X-Authorization-Signature-SHA256': createHmac('sha256', ACCOUNT.secret)
          .update('POST')
          .digest('hex'),
      }),
      401,
    ],
  ])('refuses %s', async (_what, headers, status) => {
    const { url } = await started();
    const response = await fetch(`${url}${LATEST}`, { headers: headers() });
    expect(response.status).toBe(status);
  });

  it('takes a time 5000 ms off', async () => {
    const { url } = await started();
    const response = await fetch(`${url}${LATEST}`, {
      headers: dataStreamsHeaders(ACCOUNT, LATEST, FEEDS_NOW_MS - 5_000),
    });
    expect(response.status).toBe(200);
  });

  it('repairs a missed second, and has none of the future', async () => {
    const { get } = await started();
    const at = FEEDS_NOW_MS / 1000 - 60;
    expect(
      (await get(`/api/v1/reports?feedID=${DATA_STREAM_FEEDS.ETH}&timestamp=${at}`)).body.report
        .observationsTimestamp,
    ).toBe(at);
    expect(
      (await get(`/api/v1/reports?feedID=${DATA_STREAM_FEEDS.ETH}&timestamp=${at + 600}`)).status,
    ).toBe(404);
  });

  it('answers a bulk call with 206 when some reports are missing', async () => {
    const { get } = await started();
    const ids = Object.values(DATA_STREAM_FEEDS).join(',');
    const whole = await get(
      `/api/v1/reports/bulk?feedIDs=${ids}&timestamp=${FEEDS_NOW_MS / 1000 - 60}`,
    );
    expect([whole.status, whole.body.reports.length]).toEqual([200, 3]);
    const none = await get(
      `/api/v1/reports/bulk?feedIDs=${ids}&timestamp=${FEEDS_NOW_MS / 1000 - 7_200}`,
    );
    expect([none.status, none.body.reports.length]).toEqual([206, 0]);
  });

  it('refuses unknown feeds, malformed seconds and the eleventh call of a second', async () => {
    const { get } = await started();
    expect((await get(`/api/v1/reports/latest?feedID=0x0003${'0'.repeat(60)}`)).status).toBe(401);
    expect(
      (await get(`/api/v1/reports?feedID=${DATA_STREAM_FEEDS.BTC}&timestamp=soon`)).status,
    ).toBe(400);
    const statuses: number[] = [];
    for (let call = 0; call < 11; call += 1) statuses.push((await get('/api/v1/feeds')).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
  });
});

describe('data streams over WebSocket', () => {
  it('pushes one report a second of each feed that was named', async () => {
    const { feeds, socketUrl } = await started();
    const target = `/api/v1/ws?feedIDs=${DATA_STREAM_FEEDS.SOL},${DATA_STREAM_FEEDS.BTC}`;
    const reader = await readFrames(
      `${socketUrl}${target}`,
      dataStreamsHeaders(ACCOUNT, target, FEEDS_NOW_MS),
    );
    closers.unshift(() => reader.close());
    await feeds.clock.advance(1_000);
    const ids = [JSON.parse(await reader.next()), JSON.parse(await reader.next())].map(
      ({ report }) => report.feedID,
    );
    expect(ids).toEqual([DATA_STREAM_FEEDS.BTC, DATA_STREAM_FEEDS.SOL]);
  });

  it('refuses an upgrade that is not signed', async () => {
    const { socketUrl } = await started();
    await expect(
      readFrames(`${socketUrl}/api/v1/ws?feedIDs=${DATA_STREAM_FEEDS.SOL}`),
    ).rejects.toThrow('refused with 400');
  });
});

async function started() {
  const feeds = modelledFeeds();
  const host = await startDataStreams({ port: 0, ...feeds, account: ACCOUNT });
  closers.push(() => host.close());
  const get = async (target: string) => {
    const response = await fetch(`${host.url}${target}`, {
      headers: dataStreamsHeaders(ACCOUNT, target, feeds.clock.nowMs()),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return { feeds, get, url: host.url, socketUrl: host.socketUrl };
}
