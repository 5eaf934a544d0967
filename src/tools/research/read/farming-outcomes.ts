import { z } from 'zod';
import { priceTicks, TICKS_PER_USD, type PriceTicks } from '../../../domain/units.ts';
import type { DataFolder } from '../data-folder.ts';
import { decimalOrNull, outcomePrice, unixSeconds } from '../row-schemas.ts';

/**
 * What an outcome could be bought and sold for at one moment. Prices in ticks; null without
 * asks or bids.
 */
export interface FarmingQuote {
  readonly atMs: number;
  readonly bidTicks: PriceTicks | null;
  readonly askTicks: PriceTicks | null;
  /** Null where it was not recorded. */
  readonly volumeUsd: number | null;
  /** Null where it was not recorded. */
  readonly liquidityUsd: number | null;
}

/** One outcome of a market that ended, neither of crypto nor of sports. */
export interface FarmingOutcome {
  /** Markets of one event win and lose together. */
  readonly event: string;
  readonly market: string;
  /** As the venue stated it beforehand; the last moment of the year 9999 where it stated none. */
  readonly endsAtMs: number;
  readonly won: boolean;
  /** In order of time. */
  readonly quotes: readonly FarmingQuote[];
}

const marketSchema = z.object({
  slug: z.string(),
  category: z.string(),
  resolved_yes: decimalOrNull,
  label_source: z.string(),
});
const quoteSchema = z.object({
  t: unixSeconds,
  slug: z.string(),
  bid: outcomePrice,
  ask: outcomePrice,
  volume24hr: decimalOrNull,
});
type Quote = z.infer<typeof quoteSchema>;

/** Categories the farming agents leave alone (spec.md, Trading agents). */
const EXCLUDED = new Set(['sports', 'crypto']);
/** How markets without an end come from their adapter. */
const OPEN_END_MS = Date.parse('9999-12-31T23:59:59Z');

/**
 * Reads two-minute quotes of markets with an official outcome, both sides of each. The volume is
 * that of a day, and liquidity was not recorded; the end is the date in the market's name.
 */
export function readQuotedOutcomes(folder: DataFolder): readonly FarmingOutcome[] {
  const markets = folder
    .files('venue_a-us-quotes', /^markets\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, marketSchema));
  const official = new Map(
    markets
      .filter(
        ({ category, label_source, resolved_yes }) =>
          label_source === 'api' && resolved_yes !== null && !EXCLUDED.has(category),
      )
      .map((market) => [market.slug, market]),
  );
  const bySlug = new Map<string, Quote[]>();
  for (const quote of folder
    .files('venue_a-us-quotes', /^quotes-.*\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, quoteSchema))) {
    if (!official.has(quote.slug) || isCrossed(quote)) continue;
    const quotes = bySlug.get(quote.slug) ?? [];
    quotes.push(quote);
    bySlug.set(quote.slug, quotes);
  }
  return [...bySlug].flatMap(([slug, unsorted]) => {
    const yesWon = official.get(slug)?.resolved_yes === 1;
    const quotes = unsorted
      .toSorted((a, b) => a.t - b.t)
      .map(({ t, bid, ask, volume24hr }) => ({
        atMs: t * 1_000,
        bidTicks: bid,
        askTicks: ask,
        volumeUsd: volume24hr,
        liquidityUsd: null,
      }));
    const day = /-(\d{4}-\d\d-\d\d)(?:-|$)/.exec(slug)?.[1];
    return bothSides({
      event: slug.slice(0, slug.lastIndexOf('-')),
      market: slug,
      endsAtMs: day === undefined ? OPEN_END_MS : Date.parse(`${day}T23:59:59Z`),
      yesWon,
      quotes,
    });
  });
}

const activeSchema = z.object({
  id: z.string(),
  event_id: z.string(),
  endDate: z.string(),
  bestBid: outcomePrice,
  bestAsk: outcomePrice,
  volume: decimalOrNull,
  liquidity: decimalOrNull,
  sportsMarketType: z.string(),
});
const laterSchema = z.object({
  market_id: z.string(),
  category: z.string(),
  outcome_prices: z.string(),
});

/** A later price at or above this counts as the outcome: a price near 1, not the venue's word. */
const SETTLED_PRICE = 0.99;

/** Reads every active market of one moment whose later state shows a winner, both sides of each. */
export function readSnapshotOutcomes(folder: DataFolder): readonly FarmingOutcome[] {
  const later = new Map(
    folder
      .files('venue_a-active-markets', /^later-state-.*\.csv(\.gz)?$/)
      .flatMap((path) => folder.csv(path, laterSchema))
      .map((row) => [row.market_id, row]),
  );
  return folder.files('venue_a-active-markets', /^active-.*\.csv(\.gz)?$/).flatMap((path) => {
    const atMs = Date.parse(/active-(\d{4}-\d\d-\d\d)/.exec(path)?.[1] ?? '');
    return folder
      .csv(path, activeSchema)
      .flatMap(
        ({
          id,
          event_id: event,
          endDate,
          bestBid,
          bestAsk,
          volume,
          liquidity,
          sportsMarketType,
        }) => {
          const end = later.get(id);
          const yesWon =
            end === undefined || EXCLUDED.has(end.category) || sportsMarketType !== ''
              ? null
              : yesWonOf(end.outcome_prices);
          if (yesWon === null) return [];
          const endsAtMs = endDate === '' ? OPEN_END_MS : Date.parse(endDate);
          return bothSides({
            event,
            market: id,
            endsAtMs,
            yesWon,
            quotes: [
              {
                atMs,
                bidTicks: bestBid,
                askTicks: bestAsk,
                volumeUsd: volume ?? 0,
                liquidityUsd: liquidity ?? 0,
              },
            ],
          });
        },
      );
  });
}

/** Both sides of a market from the quotes of its Yes. */
export function bothSides({
  market,
  yesWon,
  quotes,
  ...rest
}: Omit<FarmingOutcome, 'won'> & { readonly yesWon: boolean }): readonly FarmingOutcome[] {
  return [
    { ...rest, market: `${market} yes`, won: yesWon, quotes },
    {
      ...rest,
      market: `${market} no`,
      won: !yesWon,
      quotes: quotes.map(({ bidTicks, askTicks, ...quote }) => ({
        ...quote,
        bidTicks: mirrored(askTicks),
        askTicks: mirrored(bidTicks),
      })),
    },
  ];
}

/** Null while no outcome's later price is near 1. */
function yesWonOf(text: string): boolean | null {
  const [yes, no] = text
    .replace(/[[\]"]/g, '')
    .split(',')
    .map(Number);
  if (yes !== undefined && yes >= SETTLED_PRICE) return true;
  return no !== undefined && no >= SETTLED_PRICE ? false : null;
}

/** A bid for one side is an ask for the other. */
function mirrored(price: PriceTicks | null): PriceTicks | null {
  return price === null ? null : priceTicks(TICKS_PER_USD - price);
}

function isCrossed({ bid, ask }: Quote): boolean {
  return bid !== null && ask !== null && bid >= ask;
}
