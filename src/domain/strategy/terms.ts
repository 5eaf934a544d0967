/**
 * The words of the strategies, each defined here and nowhere else.
 *
 * - **Direction**: 0 is Up, 1 is Down; null while two prices are equal.
 * - **Exchange move**: the direction from the exchange price at the start of the round to the
 *   exchange price now.
 * - **Lead**: the direction from the price to beat to the oracle price now: the side that would win
 *   if the round ended now.
 * - **Signal strength** of a direction: how strongly the signal's model speaks for it, from 0 to 1,
 *   those of both directions adding up to 1, from the oracle price, the price to beat, the
 *   volatility of the exchange price and the time left (`probabilityUp`). 70 percent is 0.7. It is
 *   a score and not a chance: strengths of 70 percent and more were 0.90 on average and came true
 *   in 0.82 of cases on hours the model was not chosen on (`src/tools/research/held-out.ts`). The
 *   exchange enters through its volatility, and by agreement, but not as a price: the round is
 *   decided on the oracle, and the second by which the exchange runs ahead is small against the
 *   30 s and more that every entry leaves.
 * - **Inference direction**: from the oracle price now to the price the inference network predicts
 *   (feeds.md section 1.2).
 * - **Inference agreement**: the inference direction equals the exchange move (spec.md, BTC
 *   5-minute strategies).
 * - **Inference difference**: |predicted price − oracle price| ÷ oracle price, in millionths: 500
 *   is 0.05 percent. Its threshold x is a setting of those strategies that read it.
 * - **Confirmed lead**: a lead of enough strength, in the direction of the exchange move, with
 *   inference agreement.
 * - **Entry window**: the part of a round in which a strategy may enter, in milliseconds from the
 *   start of the round.
 * - **Evaluation window**: one of the stretches of `EVALUATION_WINDOW_MS` that follow one another
 *   from the start of the round. Conditions hold over it when every view in it says so and no two
 *   views lie further apart than a price may be old; what was not watched, such as the time before
 *   a restart, does not count (`evaluation-windows.ts`).
 */
import type { Criterion, Decision } from '../agent.ts';
import type { OutcomeIndex } from '../market.ts';
import type { Observed, JudgedView } from '../signal.ts';
import { formatPrice, mulDiv, type AssetPriceE8, type PriceTicks } from '../units.ts';
import type { BookTop } from '../book.ts';
import { probabilityUp } from '../probability.ts';

/**
 * Beyond this disagreement of exchange and oracle one of them is wrong, in millionths: 0.5 percent
 * (feeds.md section 5).
 */
const FEED_DISAGREEMENT_MAXIMUM_MICROS = 5_000;
/**
 * Highest ask a strategy pays, in ticks: 0.98 USD. Above it the most a share can still earn is less
 * than two cents, which one wrong round in fifty already costs; an ask there is a market that is
 * decided.
 */
export const ASK_MAXIMUM_TICKS = 9_800;

/** Part of a round in which a strategy may enter. */
export interface EntryWindow {
  /** From the start of the round, ms. */
  readonly opensAfterMs: number;
  /** From the start of the round, ms; not included. */
  readonly closesAfterMs: number;
}

/** Names of the inputs a view lacks out of those asked for; empty when all are there. */
export function missingInputs(
  view: JudgedView,
  needed: readonly InputName[],
): readonly InputName[] {
  return needed.filter((name) => INPUTS[name](view) === null);
}

/** Inputs a strategy may ask for, by the names receipts show. */
export type InputName =
  | 'oracle price'
  | 'exchange price'
  | 'exchange price at start'
  | 'prediction'
  | 'price to beat'
  | 'volatility'
  | 'Up book'
  | 'Down book';

const INPUTS: Readonly<Record<InputName, (view: JudgedView) => unknown>> = {
  'oracle price': (view) => view.oracle,
  'exchange price': (view) => view.exchange,
  'exchange price at start': (view) => view.exchangeAtStart,
  prediction: (view) => view.prediction,
  'price to beat': (view) => view.strike,
  volatility: (view) => view.volatility,
  'Up book': (view) => view.books[0],
  'Down book': (view) => view.books[1],
};

/** Direction from one price to another; null when they are equal. */
export function directionOf(from: AssetPriceE8, to: AssetPriceE8): OutcomeIndex | null {
  if (to > from) return 0;
  return to < from ? 1 : null;
}

/**
 * Signal strength of `direction`, from 0 to 1; null when oracle, price to beat or volatility is
 * absent.
 */
export function signalStrength(view: JudgedView, direction: OutcomeIndex): number | null {
  if (view.oracle === null || view.strike === null || view.volatility === null) return null;
  const up = probabilityUp({
    price: view.oracle.value,
    strike: view.strike.price,
    volatility: view.volatility,
    secondsLeft: (view.endsAtMs - view.atMs) / 1_000,
  });
  return direction === 0 ? up : 1 - up;
}

/** Relative distance of two prices in millionths of the second, rounded down. */
export function relativeDifferenceMicros(price: AssetPriceE8, reference: AssetPriceE8): number {
  return mulDiv(Math.abs(price - reference), 1_000_000, reference, 'floor');
}

/** Criterion that the round is inside the entry window. */
export function windowCriterion(view: JudgedView, window: EntryWindow): Criterion {
  const elapsedMs = view.atMs - view.startsAtMs;
  return {
    name: 'time in round',
    value: secondsOf(elapsedMs, 'down'),
    threshold: `from ${secondsOf(window.opensAfterMs, 'down')}, before ${secondsOf(window.closesAfterMs, 'down')}`,
    passed: elapsedMs >= window.opensAfterMs && elapsedMs < window.closesAfterMs,
  };
}

/** Criterion that the strength of a direction reaches its threshold. Both are from 0 to 1. */
export function strengthCriterion(
  direction: OutcomeIndex,
  strength: number,
  minimum: number,
): Criterion {
  return {
    name: `signal strength ${directionName(direction)}`,
    value: percentOf(strength, 'down'),
    threshold: `at least ${percentOf(minimum, 'down')}`,
    passed: strength >= minimum,
  };
}

/** Criterion that exchange and oracle tell the same price (feeds.md section 5, rule 2). */
export function feedsAgreeCriterion(oracle: AssetPriceE8, exchange: AssetPriceE8): Criterion {
  const apart = relativeDifferenceMicros(exchange, oracle);
  return {
    name: 'exchange and oracle apart',
    value: percentOfMicros(apart),
    threshold: `at most ${percentOfMicros(FEED_DISAGREEMENT_MAXIMUM_MICROS)}`,
    passed: apart <= FEED_DISAGREEMENT_MAXIMUM_MICROS,
  };
}

/** Criterion that the outcome can be bought now, and not at a price that leaves nothing to win. */
export function askCriterion(book: Observed<BookTop>): Criterion {
  const ask: PriceTicks | null = book.value.ask?.price ?? null;
  return {
    name: 'ask',
    value: ask === null ? 'none' : formatPrice(ask),
    threshold: `at most ${(ASK_MAXIMUM_TICKS / 10_000).toFixed(2)}`,
    passed: ask !== null && ask <= ASK_MAXIMUM_TICKS,
  };
}

/** Decision of a strategy that lacks inputs (L8): skip, naming them. */
export function skipForMissing(missing: readonly InputName[]): Decision {
  return {
    verdict: 'skip',
    outcome: null,
    criteria: [
      {
        name: 'inputs',
        value: `missing: ${missing.join(', ')}`,
        threshold: 'all present and fresh',
        passed: false,
      },
    ],
    reason: `No decision without ${missing.join(', ')}.`,
  };
}

/** Enters `outcome` when every criterion passes, else skips and says which one failed first. */
export function enterWhenAll(outcome: OutcomeIndex, criteria: readonly Criterion[]): Decision {
  const failed = criteria.find((criterion) => !criterion.passed);
  if (failed !== undefined)
    return {
      verdict: 'skip',
      outcome: null,
      criteria,
      reason: `${failed.name} is ${failed.value}, needed ${failed.threshold}.`,
    };
  return {
    verdict: 'enter',
    outcome,
    criteria,
    reason: `All ${criteria.length} criteria for ${directionName(outcome)} are met.`,
  };
}

/** "Up" or "Down"; "none" without a direction. */
export function directionName(direction: OutcomeIndex | null): 'Up' | 'Down' | 'none' {
  if (direction === null) return 'none';
  return direction === 0 ? 'Up' : 'Down';
}

/** Name of a direction's book, as receipts show it. */
export function bookName(direction: OutcomeIndex): 'Up book' | 'Down book' {
  return direction === 0 ? 'Up book' : 'Down book';
}

/**
 * Where the rest of a shortened value goes. What has to reach a threshold is written rounded down,
 * what has to stay at or below one, or to lie above it, rounded up: a receipt that says no then
 * never shows a value that its threshold would take, nor the other way round.
 */
export type Rounding = 'down' | 'up';

/** Writes a share of 1 as percent with one decimal. */
export function percentOf(share: number, rounding: Rounding): string {
  return `${(tenths(share * 1_000, rounding) / 10).toFixed(1)} %`;
}

/** Writes milliseconds as seconds, with one decimal where they are not whole. */
export function secondsOf(milliseconds: number, rounding: Rounding): string {
  return `${tenths(milliseconds / 100, rounding) / 10} s`;
}

/** Writes millionths as percent: 500 is "0.0500 %". */
export function percentOfMicros(micros: number): string {
  return `${(micros / 10_000).toFixed(4)} %`;
}

function tenths(value: number, rounding: Rounding): number {
  return rounding === 'down' ? Math.floor(value) : Math.ceil(value);
}
