import {
  concatHex,
  domainSeparator,
  hexToBytes,
  keccak256,
  recoverMessageAddress,
  stringToHex,
  toHex,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, describe, expect, it } from 'vitest';
import { createInferenceModel } from '../../../../src/sandbox/feeds/prices/inference-model.ts';
import { startInference } from '../../../../src/sandbox/feeds/inference/inference.ts';
import { FEEDS_NOW_MS, modelledFeeds } from '../../../support/fakes/modelled-feeds.ts';

const KEY = 'UP-sandbox';
/** Whose key is derived from a public sentence. */
const PROVIDER = privateKeyToAccount(
  keccak256(stringToHex('predictd sandbox inference provider')),
).address;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('inference network', () => {
  it('asks for the key before anything else', async () => {
    const { url } = await started();
    const response = await fetch(`${url}/allora/allora-testnet-1/topics`);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      status: false,
      apiResponseMessage: 'invalid or missing API key',
    });
  });

  it('lists the six topics with asset and horizon in their names', async () => {
    const { get } = await started();
    const { body } = await get('/allora/allora-testnet-1/topics');
    expect(
      body.data.topics.map(
        (topic: { topic_id: number; topic_name: string; is_active: boolean }) => [
          topic.topic_id,
          topic.topic_name,
          topic.is_active,
        ],
      ),
    ).toEqual([
      [13, 'ETH 5min Prediction', true],
      [14, 'BTC 5min Prediction', true],
      [17, 'ETH 8h Prediction', true],
      [18, 'BTC 8h Prediction', true],
      [37, 'SOL 5min Prediction', true],
      [38, 'SOL 8h Prediction', true],
    ]);
    expect(body.data.continuation_token).toBeNull();
  });

  it("signs what it says with its provider key, over the contract's own digest", async () => {
    const { get } = await started();
    const { signature, inference_data: data } = (
      await get('/allora/consumer/ethereum-11155111?allora_topic_id=37')
    ).body.data;
    expect(hexToBytes(signature as Hex)).toHaveLength(65);
    expect(await recoverMessageAddress({ message: { raw: contractHash(data) }, signature })).toBe(
      PROVIDER,
    );
  });

  it("holds one value per epoch, with an ascending interval around it and the epoch's begin as its time", async () => {
    const { get, feeds } = await started();
    const read = async () =>
      (await get('/allora/consumer/price/ethereum-11155111/BTC/5m')).body.data.inference_data;
    const first = await read();
    const values = first.confidence_interval_values.map(BigInt);
    expect([...values].sort((a: bigint, b: bigint) => (a < b ? -1 : 1))).toEqual(values);
    expect(first.confidence_interval_values[2]).toBe(first.network_inference);
    expect(first.topic_id).toBe('14');
    expect(FEEDS_NOW_MS / 1000 - first.timestamp).toBeLessThan(304);
    expect(await read()).toEqual(first);
    await feeds.clock.advance(300_000);
    expect((await read()).timestamp).toBe(first.timestamp + 300);
  });

  it('does not know SOL by name, nor topics of others', async () => {
    const { get } = await started();
    expect((await get('/allora/consumer/price/ethereum-11155111/SOL/5m')).status).toBe(404);
    expect((await get('/allora/consumer/ethereum-11155111?allora_topic_id=42')).status).toBe(404);
  });

  it('answers 429 beyond its bucket, an hour-old value and a gateway page when that fault is set', async () => {
    const { get, feeds } = await started();
    const first = (await get('/allora/consumer/price/ethereum-11155111/ETH/5m')).body.data
      .inference_data.timestamp;
    feeds.faults.arm('stale-inference', { times: 1, match: { asset: 'ETH' }, delayMs: 1_200_000 });
    expect(
      (await get('/allora/consumer/price/ethereum-11155111/ETH/5m')).body.data.inference_data
        .timestamp,
    ).toBe(first - 1_200);
    feeds.faults.arm('feed-bad-gateway', { times: 1 });
    expect((await get('/allora/allora-testnet-1/topics')).status).toBe(502);
    const statuses: number[] = [];
    for (let call = 0; call < 25; call += 1)
      statuses.push((await get('/allora/allora-testnet-1/topics')).status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  });
});

describe('prediction model', () => {
  it('foresees the direction a little more often than a coin, by its stated skill', () => {
    const hits = (skill: number) => {
      const { prices } = modelledFeeds();
      const infer = createInferenceModel({ seed: 5, prices, skill });
      let right = 0;
      for (let epoch = 1; epoch <= 380; epoch += 1) {
        const made = infer(
          { topicId: 14, asset: 'BTC', horizon: '5m', horizonSeconds: 300, epochBlocks: 60 },
          FEEDS_NOW_MS / 1000 + epoch * 300,
        );
        const [now, later] = [
          prices.valueAt('BTC', made?.atSecond ?? 0) ?? 0,
          prices.valueAt('BTC', (made?.atSecond ?? 0) + 300) ?? 0,
        ];
        if (Math.sign((made?.value ?? 0) - now) === Math.sign(later - now)) right += 1;
      }
      return right / 380;
    };
    expect(Math.abs(hits(0) - 0.5)).toBeLessThan(0.08);
    expect(hits(0.5)).toBeGreaterThan(0.58);
    expect(hits(1)).toBeGreaterThan(0.97);
  });
});

/**
 * The hash the consumer contract wraps as a message, packed word by word (feeds.md section 1.4).
 */
function contractHash(
  data: Record<'network_inference' | 'timestamp' | 'topic_id', string> &
    Record<'confidence_interval_percentiles' | 'confidence_interval_values', readonly string[]>,
): Hex {
  const word = (value: string | number | bigint) => toHex(BigInt(value), { size: 32 });
  const list = (values: readonly string[]) => [word(values.length), ...values.map(word)];
  const type =
    'NetworkInferenceData(uint256 networkInference,uint256 timestamp,uint256 topicId,bytes extraData,uint256[] confidenceIntervalPercentiles,uint256[] confidenceIntervalValues)';
  // Seven words of head; then an empty `bytes`, and two lists of five with their lengths.
  const head = [
    keccak256(stringToHex(type)),
    word(data.network_inference),
    word(data.timestamp),
    word(data.topic_id),
    word(7 * 32),
    word(8 * 32),
    word(14 * 32),
  ];
  const struct = keccak256(
    concatHex([
      ...head,
      word(0),
      ...list(data.confidence_interval_percentiles),
      ...list(data.confidence_interval_values),
    ]),
  );
  const domain = domainSeparator({
    domain: {
      name: 'AlloraConsumer',
      version: '1',
      chainId: 11_155_111,
      verifyingContract: '0x8E45fbef38DaC54e32AfB27AC8cBab30E6818ce6',
    },
  });
  return keccak256(concatHex(['0x1901', domain, struct]));
}

async function started() {
  const feeds = modelledFeeds();
  const infer = createInferenceModel({ seed: 5, prices: feeds.prices, skill: 0.1 });
  const host = await startInference({ port: 0, ...feeds, apiKey: KEY, infer });
  closers.push(() => host.close());
  const get = async (target: string) => {
    const response = await fetch(`${host.url}${target}`, { headers: { 'x-api-key': KEY } });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return { feeds, get, url: host.url };
}
