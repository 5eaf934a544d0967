import { FEEDS } from '../../../config/limits/market-data.ts';
import { AppError } from '../../domain/errors.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Inference } from '../../ports/inference.ts';
import { createJsonGet } from '../wire/json-get.ts';
import { parseInference } from './parse.ts';
import { inferenceAnswer } from './schema.ts';
import { checkTopics, type InferenceTopic, type TopicState } from './topics.ts';

/** The running client. */
export interface InferenceNetwork extends Inference {
  /**
   * Asks the network about every configured topic; `latest` does so by itself before its first
   * question. Errors: as `latest`.
   */
  checkTopics(): Promise<readonly TopicState[]>;
  close(): Promise<void>;
}

/**
 * The topics of the spec on the test network, the only one whose ids are documented (feeds.md
 * section 1.2).
 */
export const SPEC_TOPICS: readonly InferenceTopic[] = [
  { asset: 'ETH', horizon: '5m', topicId: 13 },
  { asset: 'BTC', horizon: '5m', topicId: 14 },
  { asset: 'ETH', horizon: '8h', topicId: 17 },
  { asset: 'BTC', horizon: '8h', topicId: 18 },
  { asset: 'SOL', horizon: '5m', topicId: 37 },
  { asset: 'SOL', horizon: '8h', topicId: 38 },
];

/**
 * The signing domain of the consumer contract, not the price network; the only documented value.
 */
const SIGNATURE_FORMAT = 'ethereum-11155111';

/**
 * Reads predictions from the Allora network (feeds.md section 1). Nothing is given for a topic that
 * the network does not list as active under the name we take it for. Errors: `config_invalid`
 * without a key; the public shared key is never used.
 */
export function createInferenceNetwork(
  options: Pick<Runtime, 'clock' | 'metrics'> & {
    /** With its version, such as "https://api.allora.network/v2". */
    readonly baseUrl: string;
    readonly key: string;
    /** The chain whose topics are meant, such as "allora-testnet-1". */
    readonly chainId: string;
    readonly topics: readonly InferenceTopic[];
  },
): InferenceNetwork {
  const { key, chainId, topics, clock, metrics } = options;
  if (key === '')
    throw new AppError('config_invalid', 'the inference network needs a key of its own.');
  const headers = { 'x-api-key': key };
  const rest = createJsonGet({
    baseUrl: options.baseUrl,
    clock,
    timeoutMs: FEEDS.callTimeoutMs,
    maximumBytes: FEEDS.answerMaximumBytes,
    connectionsMaximum: FEEDS.connectionsMaximum,
    // Six topics may be asked for in one second after the pages of the topic check.
    callsPerSecond: FEEDS.callsPerSecond + topics.length,
  });
  let checked: { readonly states: Promise<readonly TopicState[]>; readonly atMs: number } | null =
    null;

  const check = (): Promise<readonly TopicState[]> => {
    const states = checkTopics(rest, { chainId, headers, topics });
    const current = { states, atMs: clock.nowMs() };
    checked = current;
    // A check that failed is no check: the next question asks again.
    states.catch(() => {
      if (checked === current) checked = null;
    });
    return states;
  };
  const statesNow = (): Promise<readonly TopicState[]> =>
    checked !== null && clock.nowMs() - checked.atMs < FEEDS.inferenceTopicsKeptMs
      ? checked.states
      : check();

  return {
    checkTopics: check,
    close: () => rest.close(),
    async latest(asset, horizon) {
      const state = (await statesNow()).find(
        (topic) => topic.asset === asset && topic.horizon === horizon,
      );
      if (state === undefined)
        throw new AppError('venue_protocol', `no topic is configured for ${asset} ${horizon}`);
      if (state.fault !== null)
        throw new AppError(
          'venue_protocol',
          `topic ${state.topicId} for ${asset} ${horizon} is ${state.fault.replace('_', ' ')}`,
        );
      const answer = await rest.get({
        path: `/allora/consumer/${SIGNATURE_FORMAT}?allora_topic_id=${state.topicId}&inference_value_type=uint256`,
        headers,
      });
      if (answer.status === 401 || answer.status === 403)
        throw new AppError(
          'venue_restricted',
          `the inference network refuses the key (${answer.status})`,
        );
      if (answer.status === 404)
        throw new AppError('venue_unavailable', `topic ${state.topicId} has no prediction yet`, {
          retryable: true,
        });
      const wire = inferenceAnswer.safeParse(answer.body);
      const parsed =
        answer.status === 200 && wire.success && wire.data.status
          ? parseInference(wire.data.data.inference_data, state.topicId)
          : null;
      if (parsed === null) {
        metrics.count('feed_dropped_total', { feed: 'inference', reason: 'malformed' });
        throw new AppError(
          'venue_protocol',
          `the inference network answered ${answer.status} and no prediction of topic ${state.topicId}`,
        );
      }
      return {
        value: parsed.prediction,
        sourceAtMs: parsed.sourceAtMs,
        receivedAtMs: clock.nowMs(),
      };
    },
  };
}
