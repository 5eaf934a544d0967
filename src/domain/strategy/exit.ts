import type { Criterion, Decision } from '../agent.ts';
import type { FeeSchedule, OutcomeIndex } from '../market.ts';
import type { JudgedView } from '../signal.ts';
import {
  formatMicros,
  formatPrice,
  MICROS_PER_UNIT,
  shareMicros,
  TICKS_PER_USD,
  usdcMicros,
  type PriceTicks,
  type UsdcMicros,
} from '../units.ts';
import {
  directionName,
  missingInputs,
  percentOf,
  secondsOf,
  signalStrength,
  type InputName,
} from './terms.ts';
import { middleOf } from '../book.ts';
import { takerFeeMicros } from '../fees.ts';

/**
 * The signal has turned against a position when the held outcome's strength falls to this: the
 * other side then has 65 percent. Entry asks for 70 percent, so a position is left only after a
 * real reversal and not on noise around one half.
 */
const TURNED_STRENGTH_MAXIMUM = 0.35;
/**
 * A sale must bring this much more per share than holding is worth, in USDC micros: one cent, one
 * usual tick, the error of the estimate.
 */
const BETTER_THAN_HOLD_MICROS = 10_000;
/**
 * Weight of the signal beside the market's price in the worth of holding, percent. On every
 * recorded day with both, all weight on the market fits best, and the mean of the two was off by
 * four points where the market was off by none (`src/tools/research/held-out.ts`). It stays 0 until
 * five recorded days say otherwise. No bid lies above the middle of its own book, so a position is
 * held to the end.
 */
export const EXIT_SIGNAL_WEIGHT_PERCENT = 0;
/** No exit in the last 10 s: an order then may reach the venue after the end. */
const EXIT_CLOSES_BEFORE_END_MS = 10_000;

/** The rule of `judgeExit` for people. */
export const EXIT_RULE = `Holds what it bought to the end of the round, and sells earlier only when the signal strength of its side has fallen to ${percentOf(TURNED_STRENGTH_MAXIMUM, 'up')} or less and a sale brings more than holding is worth.`;

const NEEDED: readonly InputName[] = ['oracle price', 'price to beat', 'volatility'];

/** Judges a held position again, as the agents of the product do. */
export const judgeExit = exitJudge({ signalWeightPercent: EXIT_SIGNAL_WEIGHT_PERCENT });

/**
 * Returns a judge of held positions: it exits when the signal has turned against the position and
 * the bid, after the taker fee, brings more than holding is worth; otherwise it holds. Holding is
 * worth the market's own price (middle of the book, 1 USD without asks), moved towards the
 * signal's strength by `signalWeightPercent` of the way, 0 to 100. Absent inputs mean hold, with
 * their names (L8).
 */
export function exitJudge({
  signalWeightPercent,
}: {
  readonly signalWeightPercent: number;
}): (view: JudgedView, held: OutcomeIndex) => Decision {
  return (view, held) => {
    const strength = signalStrength(view, held);
    const book = view.books[held];
    if (strength === null)
      return hold(held, [], `Held without ${missingInputs(view, NEEDED).join(', ')}.`);
    if (book === null) return hold(held, [], `Held without a trusted ${directionName(held)} book.`);
    const price = middleOf(book.value) ?? strength;
    const worth = price + ((strength - price) * signalWeightPercent) / 100;
    return decide(view, held, {
      strength,
      bid: book.value.bid?.price ?? null,
      holdMicros: usdcMicros(Math.round(worth * MICROS_PER_UNIT)),
    });
  };
}

interface Judged {
  readonly strength: number;
  readonly bid: PriceTicks | null;
  readonly holdMicros: UsdcMicros;
}

function decide(
  view: JudgedView,
  held: OutcomeIndex,
  { strength, bid, holdMicros }: Judged,
): Decision {
  const leftMs = view.endsAtMs - view.atMs;
  const sale = bid === null ? null : { bid, micros: saleMicros(bid, view.market.fee) };
  const criteria: readonly Criterion[] = [
    {
      name: 'time left',
      value: secondsOf(leftMs, 'up'),
      threshold: `more than ${secondsOf(EXIT_CLOSES_BEFORE_END_MS, 'up')}`,
      passed: leftMs > EXIT_CLOSES_BEFORE_END_MS,
    },
    {
      name: `signal strength ${directionName(held)}`,
      value: percentOf(strength, 'up'),
      threshold: `at most ${percentOf(TURNED_STRENGTH_MAXIMUM, 'up')}`,
      passed: strength <= TURNED_STRENGTH_MAXIMUM,
    },
    {
      name: 'sale per share after fee',
      value: sale === null ? 'no bid' : `${formatMicros(sale.micros)} at ${formatPrice(sale.bid)}`,
      threshold: `at least ${formatMicros(usdcMicros(holdMicros + BETTER_THAN_HOLD_MICROS))}, a cent above the worth of holding`,
      passed: sale !== null && sale.micros >= holdMicros + BETTER_THAN_HOLD_MICROS,
    },
  ];
  const failed = criteria.find((criterion) => !criterion.passed);
  if (failed !== undefined)
    return hold(
      held,
      criteria,
      `Held: ${failed.name} is ${failed.value}, an exit needs ${failed.threshold}.`,
    );
  return {
    verdict: 'exit',
    outcome: held,
    criteria,
    reason: `The signal has turned against ${directionName(held)} and the bid pays more than holding.`,
  };
}

/** What one share sold at `bid` brings after the taker fee. */
function saleMicros(bid: PriceTicks, fee: FeeSchedule | null): UsdcMicros {
  return usdcMicros(
    bid * (MICROS_PER_UNIT / TICKS_PER_USD) -
      takerFeeMicros(shareMicros(MICROS_PER_UNIT), bid, fee),
  );
}

function hold(outcome: OutcomeIndex, criteria: readonly Criterion[], reason: string): Decision {
  return { verdict: 'hold', outcome, criteria, reason };
}
