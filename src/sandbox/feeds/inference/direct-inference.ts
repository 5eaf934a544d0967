import { AppError } from '../../../domain/errors.ts';
import { assetPriceE8, type AssetPriceE8 } from '../../../domain/units.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Inference } from '../../../ports/inference.ts';
import type { FaultBoard } from '../../faults.ts';
import {
  INFERENCE_TOPICS,
  type InferenceTopic,
  type NetworkInference,
} from '../prices/inference-model.ts';

/** The stale fault turns the clock of an answer back this far by default. */
const STALE_MS = 3_600_000;
const UNITS_PER_USD = 100_000_000;

/** Gives the model network's predictions without a network. Errors as the port says. */
export function createDirectInference({
  clock,
  readerClock = clock,
  faults,
  infer,
}: {
  readonly clock: Clock;
  /** What the reader dates answers by; `clock` unless stated. */
  readonly readerClock?: Clock;
  readonly faults: FaultBoard;
  readonly infer: (topic: InferenceTopic, nowSecond: number) => NetworkInference | null;
}): Inference {
  return {
    async latest(asset, horizon) {
      const topic = INFERENCE_TOPICS.find((one) => one.asset === asset && one.horizon === horizon);
      if (topic === undefined)
        throw new AppError('venue_protocol', `no topic predicts ${asset} over ${horizon}`);
      if (faults.take('feed-rate-limited', { asset }) !== null)
        throw new AppError('rate_limited', 'the inference network asks for slower calls', {
          retryable: true,
        });
      if (faults.take('feed-bad-gateway', { asset }) !== null)
        throw new AppError('venue_unavailable', 'the inference network answers 502', {
          retryable: true,
        });
      const backMs = faults.take('stale-inference', { asset })?.delayOr(STALE_MS) ?? 0;
      const made = infer(topic, Math.floor((clock.nowMs() - backMs) / 1_000));
      if (made === null)
        throw new AppError('venue_unavailable', `topic ${topic.topicId} has no prediction yet`, {
          retryable: true,
        });
      const [a, b, c, d, e] = made.interval;
      return {
        value: {
          topicId: topic.topicId,
          price: priceOf(made.value),
          interval: [priceOf(a), priceOf(b), priceOf(c), priceOf(d), priceOf(e)],
        },
        sourceAtMs: made.atSecond * 1_000,
        receivedAtMs: readerClock.nowMs(),
      };
    },
  };
}

/** The model's floats to eight decimals, as its server writes them. */
function priceOf(usd: number): AssetPriceE8 {
  return assetPriceE8(Math.round(usd * UNITS_PER_USD));
}
