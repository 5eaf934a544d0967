import { BoundedMap } from '../../../domain/bounded-map.ts';
import { createHash } from 'node:crypto';
import type { Clock } from '../../../ports/clock.ts';
import { SANDBOX } from '../../../../config/limits/sandbox.ts';
import type { FaultBoard } from '../../faults.ts';
import {
  INFERENCE_TOPICS,
  type InferenceTopic,
  type NetworkInference,
} from '../prices/inference-model.ts';
import { signInference } from './inference-signature.ts';
import {
  json,
  startFeedHost,
  type FeedAnswer,
  type FeedHost,
  type FeedRequest,
} from '../feed-host.ts';
import { RateBucket } from '../rate-bucket.ts';

const CHAINS = ['allora-testnet-1', 'allora-mainnet-1'];
const SIGNATURE_FORMAT = 'ethereum-11155111';
const PERCENTILES = ['2.28', '15.87', '50', '84.13', '97.72'];
/** The stale fault turns the clock of an answer back this far by default. */
const STALE_MS = 3_600_000;

/** Starts the REST interface of the inference network (feeds.md section 1.1); a key is required. */
export async function startInference(options: {
  readonly port: number;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly apiKey: string;
  readonly infer: (topic: InferenceTopic, nowSecond: number) => NetworkInference | null;
}): Promise<FeedHost> {
  const bucket = new RateBucket(options.clock, {
    perSecond: SANDBOX.inferencePerSecond,
    burst: SANDBOX.inferenceBurst,
  });
  const signed = new BoundedMap<string, Promise<string>>(INFERENCE_TOPICS.length * 2);
  let requests = 0;
  const envelope = (status: number, data: unknown, message?: string): FeedAnswer => {
    requests += 1;
    return json(status, {
      request_id: requestId(requests),
      status: status === 200,
      ...(message === undefined ? {} : { apiResponseMessage: message }),
      data,
    });
  };

  async function served(topic: InferenceTopic): Promise<FeedAnswer> {
    const hit = options.faults.take('stale-inference', { asset: topic.asset });
    const backMs = hit?.delayOr(STALE_MS) ?? 0;
    const made = options.infer(topic, Math.floor((options.clock.nowMs() - backMs) / 1000));
    if (made === null) return envelope(404, null, 'no inference for this topic yet');
    const data = signedNumbers(made);
    const key = `${topic.topicId}/${made.atSecond}`;
    const signature = signed.get(key) ?? signInference(data);
    signed.set(key, signature);
    return envelope(200, {
      signature: await signature,
      token_decimals: 18,
      inference_data: wireData(made, data),
    });
  }

  return startFeedHost(options.port, options.faults, {
    answer(request) {
      if (request.header('x-api-key') !== options.apiKey)
        return envelope(401, null, 'invalid or missing API key');
      if (!bucket.take()) return envelope(429, null, 'rate limit exceeded');
      if (request.method !== 'GET') return envelope(405, null, 'method not allowed');
      const found = route(request);
      if (found === 'topics')
        return envelope(200, {
          topics: INFERENCE_TOPICS.map((topic) => wireTopic(topic, options.clock)),
          continuation_token: null,
        });
      return found === null ? envelope(404, null, 'not found') : served(found);
    },
  });
}

/** Which topic a path asks for, the list of topics, or nothing that exists. */
function route({ path, query }: FeedRequest): InferenceTopic | 'topics' | null {
  const parts = path.replace(/^\/v2/, '').split('/').slice(1);
  if (parts[0] !== 'allora') return null;
  if (parts.length === 3 && parts[2] === 'topics')
    return CHAINS.includes(parts[1] ?? '') ? 'topics' : null;
  if (parts[1] !== 'consumer') return null;
  if (parts.length === 3 && parts[2] === SIGNATURE_FORMAT)
    return (
      INFERENCE_TOPICS.find(({ topicId }) => String(topicId) === query.get('allora_topic_id')) ??
      null
    );
  const [, , kind, format, asset, timeframe] = parts;
  if (parts.length !== 6 || kind !== 'price' || format !== SIGNATURE_FORMAT || asset === 'SOL')
    return null;
  return (
    INFERENCE_TOPICS.find((topic) => topic.asset === asset && topic.horizon === timeframe) ?? null
  );
}

function signedNumbers({ topic, atSecond, value, interval }: NetworkInference) {
  return {
    networkInference: scaled(value),
    timestamp: BigInt(atSecond),
    topicId: BigInt(topic.topicId),
    extraData: '0x' as const,
    percentiles: PERCENTILES.map((text) => scaled(Number(text))),
    values: interval.map(scaled),
  };
}

function wireData({ topic, atSecond }: NetworkInference, data: ReturnType<typeof signedNumbers>) {
  return {
    network_inference: data.networkInference.toString(),
    network_inference_normalized: normalised(data.networkInference),
    confidence_interval_percentiles: data.percentiles.map(String),
    confidence_interval_percentiles_normalized: PERCENTILES,
    confidence_interval_values: data.values.map(String),
    confidence_interval_values_normalized: data.values.map(normalised),
    topic_id: String(topic.topicId),
    timestamp: atSecond,
    extra_data: data.extraData,
  };
}

function wireTopic({ topicId, asset, horizon, epochBlocks }: InferenceTopic, clock: Clock) {
  return {
    topic_id: topicId,
    topic_name: `${asset} ${horizon === '5m' ? '5min' : '8h'} Prediction`,
    description: `${asset} price in ${horizon === '5m' ? 'five minutes' : 'eight hours'}`,
    epoch_length: epochBlocks,
    ground_truth_lag: epochBlocks,
    loss_method: 'mse',
    worker_submission_window: 12,
    worker_count: 12,
    reputer_count: 4,
    total_staked_allo: 1_000_000,
    total_emissions_allo: 10_000,
    is_active: true,
    updated_at: new Date(clock.nowMs()).toISOString(),
  };
}

/** A number times 10^18, exact to eight decimals: more than the model knows. */
function scaled(value: number): bigint {
  return BigInt(Math.round(value * 1e8)) * 10_000_000_000n;
}

function normalised(value: bigint): string {
  const digits = value.toString().padStart(19, '0');
  const fraction = digits.slice(-18).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${fraction}`;
}

/** Text of the shape of a UUID, by the number of the request. */
function requestId(number: number): string {
  const hex = createHash('sha256').update(`request ${number}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
