import type { DecisionInput } from '../agent.ts';
import type { BookTop } from '../book.ts';
import type { Observed, RoundView } from '../signal.ts';
import { formatAssetPrice, formatMicros, formatPrice } from '../units.ts';

/** Ages beyond which an input is absent (L8), in milliseconds. */
export interface InputLimits {
  readonly oracleMs: number;
  readonly exchangeMs: number;
  readonly inferenceMs: number;
  readonly bookMs: number;
}

/**
 * Gives the view as it is at `nowMs`: inputs that have passed their limit since are absent (L8).
 */
export function withoutStale(view: RoundView, nowMs: number, limits: InputLimits): RoundView {
  const fresh = <T>(
    observed: Observed<T> | null,
    age: (of: Observed<T>, nowMs: number) => number,
    limitMs: number,
  ): Observed<T> | null => (observed !== null && age(observed, nowMs) <= limitMs ? observed : null);
  return {
    ...view,
    atMs: nowMs,
    oracle: fresh(view.oracle, priceAgeMs, limits.oracleMs),
    exchange: fresh(view.exchange, priceAgeMs, limits.exchangeMs),
    prediction: fresh(view.prediction, sourceAgeMs, limits.inferenceMs),
    books: [
      fresh(view.books[0], receivedAgeMs, limits.bookMs),
      fresh(view.books[1], receivedAgeMs, limits.bookMs),
    ],
  };
}

/** Lists a view's inputs with their ages and limits, as receipts show them (L11). */
export function decisionInputs(view: RoundView, limits: InputLimits): readonly DecisionInput[] {
  const windowMs = view.endsAtMs - view.startsAtMs;
  const sinceStartMs = Math.max(0, view.atMs - view.startsAtMs);
  const { oracle, exchange, prediction, strike } = view;
  return [
    input(
      'oracle price',
      oracle && formatAssetPrice(oracle.value),
      oracle && priceAgeMs(oracle, view.atMs),
      limits.oracleMs,
    ),
    input(
      'exchange price',
      exchange && formatAssetPrice(exchange.value),
      exchange && priceAgeMs(exchange, view.atMs),
      limits.exchangeMs,
    ),
    input(
      'exchange price at start',
      view.exchangeAtStart && formatAssetPrice(view.exchangeAtStart),
      sinceStartMs,
      windowMs,
    ),
    input(
      'prediction',
      prediction && formatAssetPrice(prediction.value.price),
      prediction && sourceAgeMs(prediction, view.atMs),
      limits.inferenceMs,
    ),
    input(
      'price to beat',
      strike && `${formatAssetPrice(strike.price)} (${strike.source})`,
      sinceStartMs,
      windowMs,
    ),
    input(
      'volatility',
      view.volatility === null ? null : view.volatility.toExponential(3),
      oracle && priceAgeMs(oracle, view.atMs),
      limits.oracleMs,
    ),
    input(
      'Up book',
      topText(view.books[0]),
      view.books[0] && receivedAgeMs(view.books[0], view.atMs),
      limits.bookMs,
    ),
    input(
      'Down book',
      topText(view.books[1]),
      view.books[1] && receivedAgeMs(view.books[1], view.atMs),
      limits.bookMs,
    ),
  ];
}

function input(
  name: string,
  value: string | null,
  ageMs: number | null,
  limitMs: number,
): DecisionInput {
  return { name, value, ageMs: value === null ? null : ageMs, limitMs };
}

/**
 * A price is as old as its source time says; a source clock ahead of the own one must not make it
 * younger than its arrival.
 */
function priceAgeMs(observed: Observed<unknown>, nowMs: number): number {
  return Math.max(0, nowMs - Math.min(observed.sourceAtMs, observed.receivedAtMs));
}

/** A prediction is as old as its own time stamp says, never its arrival (feeds.md section 1.2). */
function sourceAgeMs(observed: Observed<unknown>, nowMs: number): number {
  return Math.max(0, nowMs - observed.sourceAtMs);
}

/**
 * A book is as old as the last word that it is right: a quiet one is confirmed without a change of
 * its venue time.
 */
function receivedAgeMs(observed: Observed<unknown>, nowMs: number): number {
  return Math.max(0, nowMs - observed.receivedAtMs);
}

function topText(book: Observed<BookTop> | null): string | null {
  if (book === null) return null;
  const { bid, ask } = book.value;
  const bidText = bid === null ? 'no bid' : `${formatPrice(bid.price)} x ${formatMicros(bid.size)}`;
  const askText = ask === null ? 'no ask' : `${formatPrice(ask.price)} x ${formatMicros(ask.size)}`;
  return `${bidText} / ${askText}`;
}
