import { OUTSIDE_TEST } from '../../../config/limits/doctor.ts';
import { inWallTime, type Clock } from '../../ports/clock.ts';
import type { Inference } from '../../ports/inference.ts';
import type { PriceFeed, PriceTick } from '../../ports/price-feed.ts';
import { check, ok, skipped, skippedCheck, warn, type Check } from './check.ts';
import { firstOf } from './venue-checks.ts';

/** Sources of prices and predictions. */
export interface FeedParts {
  readonly exchange: PriceFeed;
  /** Null without a key. */
  readonly oracle: PriceFeed | null;
  readonly inference: Inference;
  /** Market time, by which they stamp. */
  readonly clock: Clock;
}

/** Checks of each feed by one value, live and asked for. */
export function feedChecks({ exchange, oracle, inference, clock }: FeedParts): readonly Check[] {
  return [
    ...priceChecks('exchange', exchange, clock),
    ...(oracle === null
      ? [
          skippedCheck(
            'oracle',
            'PREDICTD_DATA_STREAMS_KEY is not set; the mirror of the venue is the only oracle',
          ),
        ]
      : priceChecks('oracle', oracle, clock)),
    check(
      'inference',
      { level: 'fail', remedy: 'see PREDICTD_INFERENCE_URL and PREDICTD_INFERENCE_KEY' },
      async () => {
        const { sourceAtMs } = await inference.latest('BTC', '5m');
        const ageMs = (clock.nowMs() - sourceAtMs) / inWallTime(clock, 1);
        const text = `its newest prediction of BTC is ${Math.round(ageMs / 1_000)} s old`;
        return ageMs > OUTSIDE_TEST.inferenceAgeMaximumMs
          ? warn(text, 'agents that follow it wait; see whether its topic is still served')
          : ok(text);
      },
    ),
  ];
}

function priceChecks(name: string, feed: PriceFeed, clock: Clock): readonly Check[] {
  const lost = { level: 'fail', remedy: `see the addresses and the keys of the ${name}` } as const;
  return [
    check(`${name}, live`, lost, async () => {
      const tick = await firstOf<PriceTick>((next, error) => feed.watch(['BTC'], { next, error }));
      return ok(`a price of ${tick.asset} came by its socket`);
    }),
    check(`${name}, asked`, lost, async () => {
      const atMs = clock.nowMs() - inWallTime(clock, OUTSIDE_TEST.priceAgoMs);
      const tick = await feed.priceAt('BTC', atMs, null);
      return tick === null
        ? skipped('it keeps nothing of a moment ago')
        : ok('it answers with the price of a moment ago');
    }),
  ];
}
