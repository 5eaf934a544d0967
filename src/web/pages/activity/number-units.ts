import type { DecisionBasis } from '../../../domain/decision-basis.ts';
import type { InputNumber } from './replay.ts';

/** How a number of the journal is written for people: `shown = (value - from) / scale`. */
export interface NumberUnit {
  /** Such as "in dollars"; empty of a count or a code. */
  readonly words: string;
  readonly scale: number;
  readonly from: number;
}

const TICKS_PER_CENT = 100;
const MICROS = 1_000_000;
const E8 = 100_000_000;
const MS_PER_SECOND = 1_000;
const PER_PERCENT = { millionths: 10_000, thousandths: 10 } as const;

/** Units by the end of a key, or by where it is; the first that fits holds. */
const UNITS: readonly (readonly [where: RegExp, words: string, scale: number])[] = [
  [/probability\w+Ticks$/, 'in percent', TICKS_PER_CENT],
  [/(?:Ticks|books?(?:\.\d)?\.value\.(?:bid|ask)\.price)$/, 'in cents', TICKS_PER_CENT],
  [/(?:size|shares)$/, 'shares', MICROS],
  [/usdc$/, 'in dollars', MICROS],
  [
    /(?:prediction\.value\.interval\.\d|price|(?:oracle|exchange)\.value|exchangeAtStart)$/,
    'in dollars',
    E8,
  ],
  [/(?:DifferenceMicros|rateMicros)$/, 'in percent', PER_PERCENT.millionths],
  [/PerMille$/, 'in percent', PER_PERCENT.thousandths],
  // relative to the price, in the square root of a second
  [/volatility$/, 'in percent a minute', 1 / (Math.sqrt(60) * 100)],
  [/Usd$/, 'in dollars', 1],
  [/Hours$/, 'in hours', 1],
  [/minutes$/, 'in minutes', 1],
];
/** Keys that are moments, epoch ms. */
const MOMENT = /(?:AtMs|atMs|fromMs|untilMs)$/;

/** Returns the unit that a number of a basis is shown in. */
export function unitOf({ path, value }: InputNumber, basis: DecisionBasis): NumberUnit {
  const where = path.join('.');
  if (MOMENT.test(where)) return momentUnit(where, value, basis);
  const [, words = '', scale = 1] = UNITS.find(([pattern]) => pattern.test(where)) ?? [];
  return { words, scale, from: 0 };
}

/** Writes a number in its unit, with no more places than people read. */
export function inUnit(value: number, { scale, from }: NumberUnit): string {
  return String(Number(((value - from) / scale).toFixed(8)));
}

/** Reads a number in its unit; a whole one of the journal stays whole. */
export function fromUnit(shown: number, { scale, from }: NumberUnit, was: number): number {
  const value = shown * scale + from;
  return Number.isInteger(was) ? Math.round(value) : value;
}

/** Seconds beside the decision, which itself is counted from the start of its round. */
function momentUnit(where: string, value: number, basis: DecisionBasis): NumberUnit {
  const decidedAtMs = 'view' in basis ? basis.view.atMs : basis.atMs;
  const isDecision = where === 'view.atMs' || where === 'atMs';
  const startsAtMs = 'view' in basis && 'startsAtMs' in basis.view ? basis.view.startsAtMs : null;
  if (!isDecision)
    return value <= decidedAtMs
      ? { words: 'in seconds before the decision', scale: -MS_PER_SECOND, from: decidedAtMs }
      : { words: 'in seconds after the decision', scale: MS_PER_SECOND, from: decidedAtMs };
  return startsAtMs === null
    ? { words: 'in seconds later than it was', scale: MS_PER_SECOND, from: value }
    : { words: 'in seconds into the round', scale: MS_PER_SECOND, from: startsAtMs };
}
