import { FEEDS } from '../../../config/limits/market-data.ts';
import { AppError } from '../../domain/errors.ts';
import type { Asset } from '../../domain/ids.ts';
import type { InferenceHorizon } from '../../ports/inference.ts';
import type { JsonGet } from '../wire/json-get.ts';
import { topicsAnswer } from './schema.ts';

/**
 * Which topic predicts what. Ids are per chain and change between deployments (feeds.md section
 * 1.2).
 */
export interface InferenceTopic {
  readonly asset: Asset;
  readonly horizon: InferenceHorizon;
  readonly topicId: number;
}

/** What the network says of a configured topic. */
export interface TopicState extends InferenceTopic {
  /** Null when it is active and its name says what we take it for; else why it may not be used. */
  readonly fault: 'missing' | 'inactive' | 'other_name' | null;
}

/** Words by which a topic's name states its horizon: "BTC 5min Prediction", "BTC 8h Prediction". */
const HORIZON_NAMES: Readonly<Record<InferenceHorizon, RegExp>> = {
  '5m': /\b5\s?m(?:in(?:ute)?s?)?\b/i,
  '8h': /\b8\s?h(?:ours?)?\b/i,
};

/**
 * Reads all topics of the chain and judges the configured ones. Errors: those of the reader, and
 * `venue_protocol` on an answer without meaning or an endless list.
 */
export async function checkTopics(
  rest: JsonGet,
  request: {
    readonly chainId: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly topics: readonly InferenceTopic[];
  },
): Promise<readonly TopicState[]> {
  const known = new Map<number, { readonly name: string; readonly isActive: boolean }>();
  let token: string | null = null;
  for (let page = 0; page < FEEDS.topicPagesMaximum; page += 1) {
    const query: string = token === null ? '' : `?continuation_token=${encodeURIComponent(token)}`;
    const answer = await rest.get({
      path: `/allora/${request.chainId}/topics${query}`,
      headers: request.headers,
    });
    const parsed = topicsAnswer.safeParse(answer.body);
    if (answer.status !== 200 || !parsed.success)
      throw new AppError(
        'venue_protocol',
        `the inference network answered ${answer.status} and no topics`,
      );
    for (const topic of parsed.data.data.topics)
      known.set(topic.topic_id, { name: topic.topic_name, isActive: topic.is_active === true });
    token = parsed.data.data.continuation_token ?? null;
    if (token === null)
      return request.topics.map((topic) => ({
        ...topic,
        fault: judge(topic, known.get(topic.topicId)),
      }));
  }
  throw new AppError('venue_protocol', `more than ${FEEDS.topicPagesMaximum} pages of topics`);
}

function judge(
  { asset, horizon }: InferenceTopic,
  known: { readonly name: string; readonly isActive: boolean } | undefined,
): TopicState['fault'] {
  if (known === undefined) return 'missing';
  if (!known.isActive) return 'inactive';
  return new RegExp(`\\b${asset}\\b`, 'i').test(known.name) &&
    HORIZON_NAMES[horizon].test(known.name)
    ? null
    : 'other_name';
}
