import { afterEach, describe, expect, it } from 'vitest';
import { startRtds } from '../../../../src/sandbox/venues/venue-a/rtds.ts';
import { readFrames, type FrameReader } from '../../../support/fixtures/frame-reader.ts';
import { FEEDS_NOW_MS, modelledFeeds } from '../../../support/fakes/modelled-feeds.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('real-time data socket', () => {
  it('acknowledges with an empty frame, then sends the last two minutes, then each second', async () => {
    const { feeds, reader } = await started();
    reader.socket.send(
      '{"action":"subscribe","subscriptions":[{"topic":"crypto_prices_chainlink","type":"*","filters":"{\\"symbol\\":\\"btc/usd\\"}"}]}',
    );
    expect(await reader.next()).toBe('');
    const snapshot = JSON.parse(await reader.next());
    expect(snapshot).toMatchObject({
      topic: 'crypto_prices',
      type: 'subscribe',
      payload: { symbol: 'btc/usd' },
    });
    expect(snapshot.payload.data).toHaveLength(120);
    await feeds.clock.advance(1_000);
    const update = JSON.parse(await reader.next());
    expect(update).toMatchObject({
      topic: 'crypto_prices_chainlink',
      type: 'update',
      payload: { symbol: 'btc/usd' },
    });
    expect(update.payload.timestamp).toBe(FEEDS_NOW_MS - 1_000);
    expect(update.timestamp - update.payload.timestamp).toBe(1_152);
  });

  it('compares filters literally: a blank in the text matches nothing', async () => {
    const { feeds, reader } = await started();
    reader.socket.send(
      '{"action":"subscribe","subscriptions":[{"topic":"crypto_prices","type":"update","filters":"{\\"symbol\\": \\"btcusdt\\"}"}]}',
    );
    expect(await reader.next()).toBe('');
    reader.socket.send(
      '{"action":"subscribe","subscriptions":[{"topic":"crypto_prices_twap_sixty","type":"update","filters":"{\\"symbol\\":\\"eth/usd\\"}"}]}',
    );
    await reader.nextWhere((frame) => frame.includes('"subscribe"'));
    await feeds.clock.advance(2_000);
    const update = JSON.parse(await reader.next());
    expect(update.topic).toBe('crypto_prices_twap_sixty');
    expect(update.payload.full_accuracy_value).toMatch(/^\d{19,24}$/);
  });

  it('replaces the filter of a topic with the second subscription to it', async () => {
    const { feeds, reader } = await started();
    for (const symbol of ['btcusdt', 'solusdt'])
      reader.socket.send(
        JSON.stringify({
          action: 'subscribe',
          subscriptions: [
            { topic: 'crypto_prices', type: 'update', filters: `{"symbol":"${symbol}"}` },
          ],
        }),
      );
    await reader.nextWhere((frame) => frame.includes('"subscribe"') && frame.includes('solusdt'));
    await feeds.clock.advance(1_000);
    expect(JSON.parse(await reader.next()).payload.symbol).toBe('solusdt');
  });

  it('survives frames that are no commands, and stays silent while it stalls', async () => {
    const { feeds, reader } = await started();
    for (const frame of ['PING', 'ping', '{', '{"action":7}', '[]']) reader.socket.send(frame);
    reader.socket.send(
      '{"action":"subscribe","subscriptions":[{"topic":"crypto_prices","type":"update"}]}',
    );
    await reader.nextWhere((frame) => frame.includes('solusdt'));
    feeds.faults.arm('feed-stall', { match: { path: '/rtds' } });
    await feeds.clock.advance(5_000);
    feeds.faults.clear('feed-stall');
    await feeds.clock.advance(1_000);
    expect(JSON.parse(await reader.next()).payload.timestamp).toBe(FEEDS_NOW_MS + 5_000);
  });
});

async function started(): Promise<{
  feeds: ReturnType<typeof modelledFeeds>;
  reader: FrameReader;
}> {
  const feeds = modelledFeeds();
  const host = await startRtds({ port: 0, ...feeds });
  const reader = await readFrames(host.socketUrl);
  closers.push(
    () => reader.close(),
    () => host.close(),
  );
  return { feeds, reader };
}
