import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import {
  createInferenceNetwork,
  SPEC_TOPICS,
} from '../../../src/adapters/inference/inference-network.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import {
  startStubServer,
  type SeenRequest,
  type StubAnswer,
} from '../../support/fixtures/stub-server.ts';

const NOW_MS = 1_777_108_200_000;
const NAMES: Readonly<Record<number, string>> = {
  13: 'ETH 5min Prediction',
  14: 'BTC 5min Prediction',
  17: 'ETH 8h Prediction',
  18: 'BTC 8h Prediction',
  37: 'SOL 5min Prediction',
  38: 'SOL 8h Prediction',
};
const topic = (id: number, over: object = {}) => ({
  topic_id: id,
  topic_name: NAMES[id] ?? '',
  is_active: true,
  epoch_length: 60,
  ...over,
});
const topicsPage = (topics: readonly object[], token?: string | null): StubAnswer => ({
  body: { request_id: 'r', status: true, data: { topics, continuation_token: token } },
});
const inference = (over: object = {}) => ({
  network_inference: '78788525642908795142144',
  network_inference_normalized: '78788.525642908795142144',
  confidence_interval_percentiles: ['2280000000000000000'],
  confidence_interval_percentiles_normalized: ['2.28', '15.87', '50', '84.13', '97.72'],
  confidence_interval_values: ['1'],
  confidence_interval_values_normalized: ['78700', '78750.5', '78788', '78800.123456789', '78900'],
  topic_id: '14',
  timestamp: 1_777_108_100,
  extra_data: '0x',
  ...over,
});
const consumer = (over: object = {}): StubAnswer => ({
  body: {
    request_id: 'r',
    status: true,
    data: { signature: '0x', token_decimals: 18, inference_data: inference(over) },
  },
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(answer: (request: SeenRequest) => StubAnswer | 'hang' | 'reset') {
  const server = await startStubServer({ answer });
  cleanups.push(() => server.close());
  const clock = createVirtualClock(NOW_MS);
  const metrics = createCountingMetrics();
  const network = createInferenceNetwork({
    baseUrl: `${server.httpUrl}/v2`,
    key: 'UP-test',
    chainId: 'allora-testnet-1',
    topics: SPEC_TOPICS,
    clock,
    metrics,
  });
  return { server, clock, metrics, network };
}

const allTopics = SPEC_TOPICS.map(({ topicId }) => topic(topicId));
const healthy =
  (over: object = {}) =>
  (request: SeenRequest) =>
    request.path.includes('/topics') ? topicsPage(allTopics) : consumer(over);

describe('createInferenceNetwork', () => {
  it('reads a prediction exactly, with the time it speaks of', async () => {
    const { server, network } = await start(healthy());
    expect(await network.latest('BTC', '5m')).toEqual({
      value: {
        topicId: 14,
        price: 7_878_852_564_290,
        interval: [
          7_870_000_000_000, 7_875_050_000_000, 7_878_800_000_000, 7_880_012_345_678,
          7_890_000_000_000,
        ],
      },
      sourceAtMs: 1_777_108_100_000,
      receivedAtMs: NOW_MS,
    });
    expect(server.requests.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual([
      ['/v2/allora/allora-testnet-1/topics', 'UP-test'],
      [
        '/v2/allora/consumer/ethereum-11155111?allora_topic_id=14&inference_value_type=uint256',
        'UP-test',
      ],
    ]);
  });

  it('asks about its topics once, on all pages, and again after an hour', async () => {
    const { server, clock, network } = await start((request) =>
      request.path.endsWith('/topics')
        ? topicsPage(allTopics.slice(0, 2), 'a/b')
        : request.path.includes('/topics?')
          ? topicsPage(allTopics.slice(2), null)
          : consumer({ topic_id: request.path.includes('=37') ? '37' : '14' }),
    );
    await network.latest('BTC', '5m');
    await network.latest('SOL', '5m');
    const topicCalls = () =>
      server.requests
        .filter(({ path }) => path.includes('/topics'))
        .map(({ path }) => path.slice(path.indexOf('/topics')));
    expect(topicCalls()).toEqual(['/topics', '/topics?continuation_token=a%2Fb']);
    await clock.advance(3_600_000);
    await network.latest('BTC', '5m');
    expect(topicCalls()).toHaveLength(4);
  });

  it.each([
    ['is not listed', allTopics.filter(({ topic_id: id }) => id !== 14), 'missing'],
    [
      'is switched off',
      allTopics.map((listed) =>
        listed.topic_id === 14 ? topic(14, { is_active: false }) : listed,
      ),
      'inactive',
    ],
    [
      'predicts something else',
      allTopics.map((listed) =>
        listed.topic_id === 14 ? topic(14, { topic_name: 'ETH 5min Prediction' }) : listed,
      ),
      'other name',
    ],
    [
      'has another horizon',
      allTopics.map((listed) =>
        listed.topic_id === 14 ? topic(14, { topic_name: 'BTC 15min Prediction' }) : listed,
      ),
      'other name',
    ],
  ])('gives nothing of a topic that %s', async (_, topics, reason) => {
    const { server, network } = await start((request) =>
      request.path.includes('/topics') ? topicsPage(topics) : consumer(),
    );
    await expect(network.latest('BTC', '5m')).rejects.toMatchObject({
      code: 'venue_protocol',
      message: expect.stringContaining(reason),
    });
    expect(server.requests.some(({ path }) => path.includes('/consumer'))).toBe(false);
    expect((await network.checkTopics()).filter(({ fault }) => fault !== null)).toHaveLength(1);
  });

  it('asks about its topics again after a check that failed', async () => {
    let calls = 0;
    const { network } = await start((request) =>
      (calls += 1) === 1 ? { status: 502, body: '<html>' } : healthy()(request),
    );
    await expect(network.latest('BTC', '5m')).rejects.toMatchObject({
      code: 'venue_unavailable',
      retryable: true,
    });
    expect((await network.latest('BTC', '5m')).value.topicId).toBe(14);
  });

  it.each([
    ['another topic', { topic_id: '13' }],
    ['a falling interval', { confidence_interval_values_normalized: ['5', '4', '3', '2', '1'] }],
    [
      'other percentiles',
      { confidence_interval_percentiles_normalized: ['1', '2', '3', '4', '5'] },
    ],
    ['a negative value', { network_inference_normalized: '-1' }],
    ['an exponent', { network_inference_normalized: '7e4' }],
    ['no value at all', { network_inference_normalized: undefined }],
    ['an invalid time', { timestamp: 'soon' }],
  ])('refuses and counts an answer with %s', async (_, over) => {
    const { metrics, network } = await start(healthy(over));
    await expect(network.latest('BTC', '5m')).rejects.toMatchObject({ code: 'venue_protocol' });
    expect(metrics.counts).toEqual({ 'feed_dropped_total feed=inference reason=malformed': 1 });
  });

  it.each([
    ['a refused key', { status: 401, body: { status: false } }, 'venue_restricted', false],
    ['a burst of calls', { status: 429, body: '' }, 'rate_limited', true],
    [
      'a topic without a value yet',
      { status: 404, body: { status: false, data: null } },
      'venue_unavailable',
      true,
    ],
    ['a gateway page', { status: 502, body: '<html>' }, 'venue_unavailable', true],
    [
      'a status of false',
      { body: { status: false, data: { inference_data: inference() } } },
      'venue_protocol',
      false,
    ],
  ])('names %s', async (_, answer, code, retryable) => {
    const { network } = await start((request) =>
      request.path.includes('/topics') ? topicsPage(allTopics) : answer,
    );
    await expect(network.latest('BTC', '5m')).rejects.toMatchObject({ code, retryable });
  });

  it('L12: refuses to start without a key of its own', () => {
    const options = {
      baseUrl: 'http://127.0.0.1:1',
      chainId: 'allora-testnet-1',
      topics: SPEC_TOPICS,
      clock: createVirtualClock(0),
      metrics: createCountingMetrics(),
    };
    expect(() => createInferenceNetwork({ ...options, key: '' })).toThrow(/key of its own/);
  });
});
