import type { Criterion, Decision } from '../agent.ts';
import type { OutcomeIndex } from '../market.ts';
import type { JudgedView } from '../signal.ts';
import { assetPriceE8, formatAssetPrice, type AssetPriceE8 } from '../units.ts';
import {
  askCriterion,
  bookName,
  directionName,
  directionOf,
  enterWhenAll,
  feedsAgreeCriterion,
  missingInputs,
  percentOfMicros,
  relativeDifferenceMicros,
  secondsOf,
  skipForMissing,
  windowCriterion,
  type EntryWindow,
  type InputName,
} from './terms.ts';

/**
 * The first five minutes of the round, for the prediction speaks of the next five; without its
 * first seconds, in which the book is still being built and an order for all or nothing finds too
 * little.
 */
export const FIFTEEN_MIN_WINDOW: EntryWindow = { opensAfterMs: 5_000, closesAfterMs: 300_000 };
/**
 * Oldest prediction that is acted on, in ms: at least half of the five minutes it speaks of then
 * lie ahead. The network brings a new one every five minutes (feeds.md section 1.2), so each entry
 * window has its two and a half minutes.
 */
export const PREDICTION_AGE_MAXIMUM_MS = 150_000;

const PREDICTION_IS_USED = `the prediction is ${PREDICTION_AGE_MAXIMUM_MS / 1_000} s old at most`;
/** The rule of `fifteenMinUpDown` for people. */
export const FIFTEEN_MIN_UP_DOWN_RULE = `Buys Up when the predicted price is above the oracle price now, Down when it is below, by however little, and ${PREDICTION_IS_USED}.`;
/** The rule of `fifteenMinUpOnly` for people. */
export const FIFTEEN_MIN_UP_ONLY_RULE = `Buys Up when the predicted price is above the oracle price now, by however little, and ${PREDICTION_IS_USED}. Never buys Down.`;

const NEEDED: readonly InputName[] = ['oracle price', 'exchange price', 'prediction'];

/**
 * Judges a 15-minute round by the spec's Up/Down: buys the sign of predicted minus baseline price.
 * The baseline is the oracle price now (spec.md, Trading agents: "compares it with the current
 * price from a price oracle").
 */
export function fifteenMinUpDown(view: JudgedView): Decision {
  return judge(view, 'Up or Down');
}

/**
 * Judges a 15-minute round by the spec's Up Only: as Up/Down, but trades only when the prediction
 * is up.
 */
export function fifteenMinUpOnly(view: JudgedView): Decision {
  return judge(view, 'Up');
}

function judge(view: JudgedView, allowed: 'Up or Down' | 'Up'): Decision {
  const { oracle, exchange, prediction } = view;
  if (oracle === null || exchange === null || prediction === null)
    return skipForMissing(missingInputs(view, NEEDED));
  const direction = directionOf(oracle.value, prediction.value.price);
  const side = allowed === 'Up' && direction === 1 ? null : direction;
  const criteria: readonly Criterion[] = [
    windowCriterion(view, FIFTEEN_MIN_WINDOW),
    feedsAgreeCriterion(oracle.value, exchange.value),
    freshCriterion(view.atMs - prediction.sourceAtMs),
    {
      name: 'predicted minus baseline price',
      value: differenceOf(prediction.value.price, oracle.value, direction),
      threshold: allowed === 'Up' ? 'above 0' : 'above or below 0',
      passed: side !== null,
    },
  ];
  if (side === null) {
    return {
      verdict: 'skip',
      outcome: null,
      criteria,
      reason: `The prediction is ${directionName(direction)}, needed ${allowed}.`,
    };
  }
  const book = view.books[side];
  if (book === null) return skipForMissing([bookName(side)]);
  return enterWhenAll(side, [...criteria, askCriterion(book)]);
}

function freshCriterion(ageMs: number): Criterion {
  return {
    name: 'age of the prediction',
    value: secondsOf(ageMs, 'up'),
    threshold: `at most ${PREDICTION_AGE_MAXIMUM_MS / 1_000} s of the 300 s it speaks of`,
    passed: ageMs <= PREDICTION_AGE_MAXIMUM_MS,
  };
}

/** Such as "+50.00 USD, 0.0713 % of 70070.00 (Up)". */
function differenceOf(
  predicted: AssetPriceE8,
  baseline: AssetPriceE8,
  direction: OutcomeIndex | null,
): string {
  const apart = percentOfMicros(relativeDifferenceMicros(predicted, baseline));
  const sign = direction === 0 ? '+' : direction === 1 ? '-' : '';
  const usd =
    predicted === baseline ? '0' : formatAssetPrice(assetPriceE8(Math.abs(predicted - baseline)));
  return `${sign}${usd} USD, ${apart} of ${formatAssetPrice(baseline)} (${directionName(direction)})`;
}
