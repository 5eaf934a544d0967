import { AppError } from '../../domain/errors.ts';
import { assetPriceE8 } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Inference } from '../../ports/inference.ts';
import type { FeedLink } from './feed-link.ts';
import { inferenceAnswer } from './protocol.ts';

/** Reads predictions from a feed; what it kept for a while comes with the age it had there. */
export function linkedInference(link: FeedLink, clock: Clock): Inference {
  return {
    async latest(asset, horizon) {
      const answer = inferenceAnswer.safeParse(
        await link.ask({ kind: 'inference', asset, horizon }),
      );
      if (!answer.success)
        throw new AppError('venue_protocol', `the feed answered no prediction of ${asset}`);
      const { topicId, price, interval, sourceAtMs, ageMs } = answer.data;
      const [lowest, low, middle, high, highest] = interval;
      return {
        value: {
          topicId,
          price: assetPriceE8(price),
          interval: [
            assetPriceE8(lowest),
            assetPriceE8(low),
            assetPriceE8(middle),
            assetPriceE8(high),
            assetPriceE8(highest),
          ],
        },
        sourceAtMs,
        receivedAtMs: clock.nowMs() - ageMs,
      };
    },
  };
}
