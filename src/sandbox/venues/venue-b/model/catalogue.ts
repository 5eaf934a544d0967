import { hashedUniform, streamOf } from '../../../hashed-chance.ts';
import type { ListedEvent, Listing, PriceStructure } from './listing.ts';
import { SERIES, type SeriesRule, type Strike } from './series.ts';
import { dateCode, shownDate } from './tickers.ts';

/** What is listed at a moment. */
export interface Catalogue {
  /** Oldest end first. */
  eventsAt(nowMs: number): readonly ListedEvent[];
}

/** One market in ten has no outcome tokens before its first buy. */
const UNINITIALIZED_SHARE = 0.1;
/** Between two updates of what is listed. */
const UPDATE_MS = 30_000;

/** Creates the catalogue of a seed: the same at the same time, whoever asked before. */
export function createCatalogue(seed: number): Catalogue {
  const events = new Map<string, ListedEvent>();
  let updated = Number.NaN;
  let listed: readonly ListedEvent[] = [];
  return {
    eventsAt(nowMs) {
      const now = Math.floor(nowMs / UPDATE_MS);
      if (now === updated) return listed;
      const before = new Map(events);
      events.clear();
      listed = SERIES.flatMap((rule) =>
        endsAt(rule, now * UPDATE_MS).map((endMs) => [rule, endMs] as const),
      )
        .sort(([, one], [, other]) => one - other)
        .map(([rule, endMs]) => {
          const ticker = `${rule.ticker}-${dateCode(endMs, rule.dateTo)}`;
          const event = before.get(ticker) ?? eventOf(seed, { rule, ticker, endMs });
          events.set(ticker, event);
          return event;
        });
      updated = now;
      return listed;
    },
  };
}

/** Ends of the events of a series that are listed at a moment. */
function endsAt(
  { periodMs, offsetMs, lifeMs, listedBeforeMs, keptMs }: SeriesRule,
  nowMs: number,
): readonly number[] {
  const first = Math.ceil((nowMs - keptMs - offsetMs) / periodMs);
  const last = Math.floor((nowMs + lifeMs + listedBeforeMs - offsetMs) / periodMs);
  return Array.from(
    { length: Math.max(0, last - first + 1) },
    (_, index) => (first + index) * periodMs + offsetMs,
  );
}

interface Place {
  readonly rule: SeriesRule;
  readonly ticker: string;
  readonly endMs: number;
}

function eventOf(seed: number, place: Place): ListedEvent {
  const { rule, ticker, endMs } = place;
  const { decidedBy } = rule;
  const markets =
    typeof decidedBy === 'string'
      ? [
          listingOf(seed, place, {
            code: dateCode(endMs, 'minute').slice(-2),
            title: rule.eventTitle,
            yesSubTitle: 'Price up',
            low: null,
            high: null,
          }),
        ]
      : decidedBy.map((strike) => listingOf(seed, place, strike));
  return {
    ticker,
    seriesTicker: rule.ticker,
    title: rule.eventTitle,
    subTitle: shownDate(endMs, rule.dateTo),
    mutuallyExclusive: rule.mutuallyExclusive ?? false,
    markets,
  };
}

function listingOf(seed: number, { rule, ticker, endMs }: Place, strike: Strike): Listing {
  const own = `${ticker}-${strike.code}`;
  const { decidedBy } = rule;
  const isQuick = rule.lifeMs <= 3_600_000;
  return {
    ticker: own,
    eventTicker: ticker,
    seriesTicker: rule.ticker,
    title: strike.title,
    yesSubTitle: strike.yesSubTitle,
    openMs: endMs - rule.lifeMs,
    closeMs: endMs,
    process:
      typeof decidedBy === 'string'
        ? { kind: 'price', asset: decidedBy }
        : { kind: 'walk', stream: streamOf(ticker), low: strike.low, high: strike.high },
    structure: structureOf(rule),
    sizeLifeMs: isQuick ? 10_000 : 120_000,
    stepMs: isQuick ? 500 : 2_000,
    depth: rule.depth,
    contractsPerHour: rule.contractsPerHour,
    tapeSlotMs: isQuick ? 5_000 : rule.lifeMs <= 12 * 3_600_000 ? 60_000 : 600_000,
    isInitialized:
      typeof decidedBy === 'string' || hashedUniform(seed, streamOf(own), 0) >= UNINITIALIZED_SHARE,
  };
}

function structureOf({ decidedBy, category }: SeriesRule): PriceStructure {
  if (typeof decidedBy === 'string') return 'tapered_deci_cent';
  return category === 'Sports' ? 'deci_cent' : 'linear_cent';
}
