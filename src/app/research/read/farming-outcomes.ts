import { z } from 'zod';
import type { DataFolder } from '../data-folder.ts';
import { decimalOrNull, unixSeconds } from '../row-schemas.ts';

/** One outcome of a market that ended, with what it could be bought and sold for. Prices from 0 to 1. */
export interface FarmingOutcome {
  /** Markets of one event win and lose together. */
  readonly event: string;
  readonly market: string;
  readonly won: boolean;
  /** In order of time. `isEligible`: volume, and where it is known liquidity, are enough at that moment. */
  readonly quotes: readonly { readonly atMs: number; readonly bid: number | null; readonly ask: number | null; readonly isEligible: boolean }[];
}

const marketSchema = z.object({ slug: z.string(), category: z.string(), resolved_yes: decimalOrNull, label_source: z.string() });
const quoteSchema = z.object({ t: unixSeconds, slug: z.string(), bid: decimalOrNull, ask: decimalOrNull, volume24hr: decimalOrNull });
type Quote = z.infer<typeof quoteSchema>;

/** Categories the farming agents leave alone (spec.md, Trading agents). */
const EXCLUDED = new Set(['sports', 'crypto']);
const VOLUME_MINIMUM = 1_000;
const LIQUIDITY_MINIMUM = 500;

/**
 * Reads two-minute quotes of markets with an official outcome, both sides of each. Crypto and sports are left out; a quote with
 * a stated daily volume of 1 000 or less is not eligible; liquidity was not recorded.
 */
export function readQuotedOutcomes(folder: DataFolder): readonly FarmingOutcome[] {
  const markets = folder.files('venue_a-us-quotes', /^markets\.csv(\.gz)?$/).flatMap((path) => folder.csv(path, marketSchema));
  const official = new Map(markets.filter(({ category, label_source, resolved_yes }) => label_source === 'api' && resolved_yes !== null && !EXCLUDED.has(category)).map((market) => [market.slug, market]));
  const bySlug = new Map<string, Quote[]>();
  for (const quote of folder.files('venue_a-us-quotes', /^quotes-.*\.csv(\.gz)?$/).flatMap((path) => folder.csv(path, quoteSchema))) {
    if (!official.has(quote.slug) || isCrossed(quote)) continue;
    const quotes = bySlug.get(quote.slug) ?? [];
    quotes.push(quote);
    bySlug.set(quote.slug, quotes);
  }
  return [...bySlug].flatMap(([slug, unsorted]) => {
    const yesWon = official.get(slug)?.resolved_yes === 1;
    const quotes = unsorted.toSorted((a, b) => a.t - b.t).map(({ t, bid, ask, volume24hr }) => ({ atMs: t * 1_000, bid, ask, isEligible: volume24hr === null || volume24hr > VOLUME_MINIMUM }));
    return bothSides({ event: slug.slice(0, slug.lastIndexOf('-')), market: slug, yesWon, quotes });
  });
}

const activeSchema = z.object({
  id: z.string(), event_id: z.string(), bestBid: decimalOrNull, bestAsk: decimalOrNull, volume: decimalOrNull, liquidity: decimalOrNull, sportsMarketType: z.string(),
});
const laterSchema = z.object({ market_id: z.string(), category: z.string(), outcome_prices: z.string() });

/** A later price at or above this counts as the outcome: a price near 1, not the venue's word. */
const SETTLED_PRICE = 0.99;

/**
 * Reads every active market of one moment whose later state shows a winner, both sides of each. Crypto and sports are left
 * out; volume over 1 000 and liquidity over 500 make a quote eligible.
 */
export function readSnapshotOutcomes(folder: DataFolder): readonly FarmingOutcome[] {
  const later = new Map(folder.files('venue_a-active-markets', /^later-state-.*\.csv(\.gz)?$/).flatMap((path) => folder.csv(path, laterSchema)).map((row) => [row.market_id, row]));
  return folder.files('venue_a-active-markets', /^active-.*\.csv(\.gz)?$/).flatMap((path) => {
    const atMs = Date.parse(/active-(\d{4}-\d\d-\d\d)/.exec(path)?.[1] ?? '');
    return folder.csv(path, activeSchema).flatMap(({ id, event_id: event, bestBid: bid, bestAsk: ask, volume, liquidity, sportsMarketType }) => {
      const end = later.get(id);
      const yesWon = end === undefined || EXCLUDED.has(end.category) || sportsMarketType !== '' ? null : yesWonOf(end.outcome_prices);
      if (yesWon === null) return [];
      const isEligible = (volume ?? 0) > VOLUME_MINIMUM && (liquidity ?? 0) > LIQUIDITY_MINIMUM;
      return bothSides({ event, market: id, yesWon, quotes: [{ atMs, bid, ask, isEligible }] });
    });
  });
}

function bothSides({ event, market, yesWon, quotes }: Omit<FarmingOutcome, 'won'> & { readonly yesWon: boolean }): readonly FarmingOutcome[] {
  return [
    { event, market: `${market} yes`, won: yesWon, quotes },
    { event, market: `${market} no`, won: !yesWon, quotes: quotes.map(({ bid, ask, ...quote }) => ({ ...quote, bid: mirrored(ask), ask: mirrored(bid) })) },
  ];
}

/** Null while no outcome's later price is near 1. */
function yesWonOf(text: string): boolean | null {
  const [yes, no] = text.replace(/[[\]"]/g, '').split(',').map(Number);
  if (yes !== undefined && yes >= SETTLED_PRICE) return true;
  return no !== undefined && no >= SETTLED_PRICE ? false : null;
}

/** A bid for one side is an ask for the other, in ten-thousandths so that no binary fraction is left over. */
function mirrored(price: number | null): number | null {
  return price === null ? null : Math.round((1 - price) * 10_000) / 10_000;
}

function isCrossed({ bid, ask }: Quote): boolean {
  return bid !== null && ask !== null && bid >= ask;
}
