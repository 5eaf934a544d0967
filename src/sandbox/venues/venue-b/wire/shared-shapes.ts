import type { Candle, Range } from '../model/candles.ts';
import type { Bids } from '../model/ladder.ts';
import type { Series } from '../model/listing.ts';

/** Dollars with four decimals of a price in ticks; null without one. */
export function dollars(ticks: number): string;
export function dollars(ticks: number | null): string | null;
export function dollars(ticks: number | null): string | null {
  return ticks === null ? null : (ticks / 10_000).toFixed(4);
}

/** Contracts as text with the two decimals that all of them have. */
export function contracts(count: number): string {
  return `${count}.00`;
}

/** Part of what was traded that is still held. */
const HELD_SHARE = 0.6;

/** Contracts that are still held of those traded. */
export function heldOf(volume: number): number {
  return Math.floor(volume * HELD_SHARE);
}

/** The best price of one side and what is bid for at it; null without bids. */
export function bestOf(bids: Bids | undefined): readonly [ticks: number, count: number] | null {
  return bids?.entries().next().value ?? null;
}

/** What both interfaces call by the same names in a series. */
export function seriesFacts(
  series: Series,
): Pick<Series, 'ticker' | 'frequency' | 'title' | 'category' | 'tags'> {
  const { ticker, frequency, title, category, tags } = series;
  return { ticker, frequency, title, category, tags };
}

/** Where the terms of a series are. */
export function termsUrls({ ticker }: Series): {
  readonly contract: string;
  readonly terms: string;
} {
  return {
    contract: `https://contracts.example/${ticker}.pdf`,
    terms: `https://contracts.example/${ticker}-terms.pdf`,
  };
}

/** Bid and ask of a period; no bid is written as nothing, and no ask as a whole dollar. */
export function quotedRanges({ yesBid, yesAsk }: Candle): Readonly<Record<'bid' | 'ask', Range>> {
  return { bid: yesBid ?? NOTHING, ask: yesAsk ?? EVERYTHING };
}

const NOTHING: Range = { open: 0, low: 0, high: 0, close: 0 };
const EVERYTHING: Range = { open: 10_000, low: 10_000, high: 10_000, close: 10_000 };
