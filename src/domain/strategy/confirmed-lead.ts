import type { Decision } from '../agent.ts';
import type { JudgedView } from '../signal.ts';
import {
  askCriterion,
  bookName,
  directionName,
  directionOf,
  enterWhenAll,
  feedsAgreeCriterion,
  missingInputs,
  percentOf,
  percentOfMicros,
  relativeDifferenceMicros,
  signalStrength,
  skipForMissing,
  strengthCriterion,
  windowCriterion,
  type InputName,
} from './terms.ts';
import { FIVE_MIN_MARKET_WINDOW } from './up-down-5min.ts';

/** Signal strength a lead needs to count as one: 70 percent (spec.md, BTC 5-minute strategies). */
const CONFIRMED_LEAD_STRENGTH_MINIMUM = 0.7;

const NEEDED: readonly InputName[] = [
  'oracle price',
  'exchange price',
  'exchange price at start',
  'prediction',
  'price to beat',
  'volatility',
];

/** The rule of `confirmedLead` for people. */
export const CONFIRMED_LEAD_RULE = `Buys the side that would win if the round ended now, when its signal strength is ${percentOf(CONFIRMED_LEAD_STRENGTH_MINIMUM, 'down')} or more, the exchange price has moved the same way since the round began, and the prediction points the same way.`;

/**
 * Judges a BTC 5-minute round by the spec's Confirmed Lead: buys the side that leads on the oracle,
 * at a strength of at least 70 percent, once the exchange has moved that way too and the inference
 * network agrees with the move. Unlike Up/Down it starts from the lead, not from the exchange, and
 * asks for no inference difference. Words: `terms.ts`.
 */
export function confirmedLead(view: JudgedView): Decision {
  const { oracle, exchange, exchangeAtStart, prediction, strike } = view;
  if (
    oracle === null ||
    exchange === null ||
    exchangeAtStart === null ||
    prediction === null ||
    strike === null
  )
    return skipForMissing(missingInputs(view, NEEDED));
  const lead = directionOf(strike.price, oracle.value);
  if (lead === null) return skipWithoutLead(view);
  const strength = signalStrength(view, lead);
  if (strength === null) return skipForMissing(missingInputs(view, NEEDED));
  const book = view.books[lead];
  if (book === null) return skipForMissing([bookName(lead)]);
  const move = directionOf(exchangeAtStart, exchange.value);
  const inference = directionOf(oracle.value, prediction.value.price);
  const ahead = percentOfMicros(relativeDifferenceMicros(oracle.value, strike.price));
  return enterWhenAll(lead, [
    windowCriterion(view, FIVE_MIN_MARKET_WINDOW),
    feedsAgreeCriterion(oracle.value, exchange.value),
    {
      name: 'lead',
      value: `${directionName(lead)} by ${ahead}`,
      threshold: 'Up or Down',
      passed: true,
    },
    strengthCriterion(lead, strength, CONFIRMED_LEAD_STRENGTH_MINIMUM),
    {
      name: 'exchange move',
      value: directionName(move),
      threshold: `${directionName(lead)}, as the lead`,
      passed: move === lead,
    },
    {
      name: 'inference direction',
      value: directionName(inference),
      threshold: `${directionName(lead)}, as the exchange moved`,
      passed: inference === lead,
    },
    askCriterion(book),
  ]);
}

function skipWithoutLead(view: JudgedView): Decision {
  const lead = { name: 'lead', value: 'none', threshold: 'Up or Down', passed: false };
  return {
    verdict: 'skip',
    outcome: null,
    criteria: [windowCriterion(view, FIVE_MIN_MARKET_WINDOW), lead],
    reason: 'The oracle price is the price to beat: nobody leads.',
  };
}
