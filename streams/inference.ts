import {
  catchError,
  defer,
  expand,
  filter,
  from,
  map,
  of,
  switchMap,
  timer,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { FEEDS, STALENESS } from '../config/limits/market-data.ts';
import { AppError } from '../src/domain/errors.ts';
import type { Asset } from '../src/domain/ids.ts';
import type { Observed, Prediction } from '../src/domain/signal.ts';
import type { Inference, InferenceHorizon } from '../src/ports/inference.ts';
import type { Random } from '../src/ports/random.ts';
import { shareLatest } from './share-latest.ts';
import { advancing, freshOrNull } from './staleness.ts';

export interface PredictionOptions {
  readonly inference: Inference;
  readonly random: Random;
  readonly scheduler: SchedulerLike;
  /** Receives every failed poll: for metrics and the log. */
  readonly onFailed?: (asset: Asset, horizon: InferenceHorizon, cause: unknown) => void;
}

/** The inference network's predictions. */
export interface Predictions {
  /**
   * The newest fresh prediction, null without one (L8). Polls while it has readers; never
   * fails, never ends.
   */
  latest(asset: Asset, horizon: InferenceHorizon): Observable<Observed<Prediction> | null>;
}

const LIMIT_MS: Readonly<Record<InferenceHorizon, number>> = {
  '5m': STALENESS.inference5mMs,
  '8h': STALENESS.inference8hMs,
};

type Prophecy = Observed<Prediction>;

/** One answered poll: what it gave and how many failed in a row. */
interface Poll {
  readonly prediction: Prophecy | null;
  readonly failures: number;
  readonly waitMs: number;
}

/** Makes the prediction streams: one poll for all readers of a topic. */
export function createPredictions(options: PredictionOptions): Predictions {
  const { scheduler } = options;
  const streams = new Map<string, Observable<Prophecy | null>>();
  return {
    latest(asset, horizon) {
      const key = `${asset} ${horizon}`;
      const known = streams.get(key);
      if (known !== undefined) return known;
      const made = polls(options, asset, horizon).pipe(
        map(({ prediction }) => prediction),
        filter((prediction) => prediction !== null),
        // A topic keeps its value for minutes: polls that say nothing new are no news. A value from
        // before the newest is absent too.
        advancing(),
        freshOrNull({
          limitMs: LIMIT_MS[horizon],
          atMs: ({ sourceAtMs }) => sourceAtMs,
          scheduler,
        }),
        shareLatest({ lingerMs: FEEDS.lingerMs, scheduler }),
      );
      streams.set(key, made);
      return made;
    },
  };
}

/**
 * Polls for ever, each time after the answer to the last: every 10 to 15 s, later after failures.
 */
function polls(
  options: PredictionOptions,
  asset: Asset,
  horizon: InferenceHorizon,
): Observable<Poll> {
  const { inference, random, scheduler, onFailed } = options;
  const waitMs = (failures: number, askedMs: number | null): number => {
    const usualMs = FEEDS.inferencePollMs + random.integer(FEEDS.inferencePollJitterMs + 1);
    // Half a poll's wait after none: the usual one is longer.
    const backoffMs = Math.min(
      FEEDS.inferencePollMs * 2 ** Math.min(failures - 1, 20),
      FEEDS.inferenceBackoffMaximumMs,
    );
    return Math.max(usualMs, backoffMs, Math.min(askedMs ?? 0, FEEDS.inferenceAskedMaximumMs));
  };
  const poll = (failures: number): Observable<Poll> =>
    defer(() => from(inference.latest(asset, horizon))).pipe(
      map(
        (prediction): Poll => ({
          prediction: isFuture(prediction, scheduler.now()) ? null : prediction,
          failures: 0,
          waitMs: waitMs(0, null),
        }),
      ),
      catchError((cause: unknown) => {
        onFailed?.(asset, horizon, cause);
        return of({
          prediction: null,
          failures: failures + 1,
          waitMs: waitMs(failures + 1, cause instanceof AppError ? cause.retryAfterMs : null),
        });
      }),
    );
  return poll(0).pipe(
    expand(({ failures, waitMs: pauseMs }) =>
      timer(pauseMs, scheduler).pipe(switchMap(() => poll(failures))),
    ),
  );
}

function isFuture(prediction: Prophecy, nowMs: number): boolean {
  return prediction.sourceAtMs - nowMs > FEEDS.futureMaximumMs;
}
