import type { BookTop } from '../../domain/book.ts';
import type { Asset } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import { priceTicks, shareMicros, type AssetPriceE8, type PriceTicks } from '../../domain/units.ts';

/**
 * One recorded round. `winner` is for the scorer and the perfect-foresight bound; no view holds it.
 */
export interface SeriesRound {
  readonly slug: string;
  readonly asset: Asset;
  readonly minutes: 5 | 15;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly winner: OutcomeIndex;
}

/** Tops of both books, and what a whole stake would pay on average for each outcome. */
export interface Quotes {
  readonly tops: readonly [BookTop, BookTop];
  readonly buyPrices: readonly [PriceTicks | null, PriceTicks | null];
}

/** Something that became known at `atMs`. Price events say which moment they speak of. */
export type SeriesEvent =
  | {
      readonly kind: 'oracle' | 'exchange';
      readonly atMs: number;
      readonly sourceAtMs: number;
      readonly price: AssetPriceE8;
    }
  | {
      readonly kind: 'opening';
      readonly atMs: number;
      readonly slug: string;
      readonly strike: AssetPriceE8;
      readonly exchange: AssetPriceE8;
    }
  | {
      readonly kind: 'quotes';
      readonly atMs: number;
      readonly slug: string;
      readonly quotes: Quotes;
    };

/**
 * Rounds of one asset and length with all that became known about them, in the order in which it
 * did.
 */
export interface RecordedSeries {
  readonly name: string;
  readonly rounds: readonly SeriesRound[];
  readonly events: readonly SeriesEvent[];
  /**
   * Inputs that were not recorded and what takes their place, in words; the prediction is apart.
   */
  readonly standIns: readonly string[];
}

/** Puts events in the order in which they became known; those of one moment stay as they are. */
export function inOrder(events: readonly SeriesEvent[]): readonly SeriesEvent[] {
  return events.toSorted((a, b) => a.atMs - b.atMs);
}

/**
 * Puts an even quote on every round at every price of the feed, so that strategies can decide where
 * no books were recorded. What a trade costs there is not known, and nothing of it may be counted
 * as money.
 */
export function withEvenQuotes(series: RecordedSeries): RecordedSeries {
  const even: BookTop = {
    bid: { price: priceTicks(4_900), size: shareMicros(0) },
    ask: { price: priceTicks(5_000), size: shareMicros(0) },
  };
  const quotes: Quotes = { tops: [even, even], buyPrices: [priceTicks(5_000), priceTicks(5_000)] };
  const slugs = new Map(series.rounds.map(({ startsAtMs, slug }) => [startsAtMs, slug]));
  const lengthMs = (series.rounds[0]?.minutes ?? 5) * 60_000;
  const events = series.events.flatMap((event): readonly SeriesEvent[] => {
    const slug =
      event.kind === 'exchange' ? slugs.get(event.atMs - (event.atMs % lengthMs)) : undefined;
    return slug === undefined
      ? [event]
      : [event, { kind: 'quotes', atMs: event.atMs, slug, quotes }];
  });
  return { ...series, events };
}
