import type { Decision } from '../agent.ts';
import type { RoundView } from '../signal.ts';
import type { EntryWindow, InputName } from './terms.ts';
import { askCriterion, bookName, directionName, directionOf, enterWhenAll, feedsAgreeCriterion, missingInputs, skipForMissing, windowCriterion } from './terms.ts';

/** The first five minutes of the round: the prediction speaks of the next five, so later ones would speak past the round's first part. */
export const FIFTEEN_MIN_WINDOW: EntryWindow = { opensAfterMs: 0, closesAfterMs: 300_000 };

const NEEDED: readonly InputName[] = ['oracle price', 'exchange price', 'prediction'];

/**
 * Judges a 15-minute round by the spec's Up/Down: buys the sign of predicted minus baseline price. The baseline is the
 * oracle price now (spec.md, Trading agents: "compares it with the current price from a price oracle").
 */
export function fifteenMinUpDown(view: RoundView): Decision {
  return judge(view, 'Up or Down');
}

/** Judges a 15-minute round by the spec's Up Only: as Up/Down, but trades only when the prediction is up. */
export function fifteenMinUpOnly(view: RoundView): Decision {
  return judge(view, 'Up');
}

function judge(view: RoundView, allowed: 'Up or Down' | 'Up'): Decision {
  const { oracle, exchange, prediction } = view;
  if (oracle === null || exchange === null || prediction === null) return skipForMissing(missingInputs(view, NEEDED));
  const direction = directionOf(oracle.value, prediction.value.price);
  const isAllowed = direction === 0 || (direction === 1 && allowed === 'Up or Down');
  const predicted = { name: 'predicted direction', value: directionName(direction), threshold: allowed, passed: isAllowed };
  if (direction === null || !isAllowed) {
    return { verdict: 'skip', outcome: null, criteria: [predicted], reason: `The prediction is ${directionName(direction)}, needed ${allowed}.` };
  }
  const book = view.books[direction];
  if (book === null) return skipForMissing([bookName(direction)]);
  return enterWhenAll(direction, [
    windowCriterion(view, FIFTEEN_MIN_WINDOW),
    feedsAgreeCriterion(oracle.value, exchange.value),
    predicted,
    askCriterion(book),
  ]);
}
