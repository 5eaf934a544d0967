import type { Criterion } from '../agent.ts';
import type { OutcomeIndex } from '../market.ts';
import { TICKS_PER_USD } from '../units.ts';
import { categoryOf } from './category.ts';
import type { FarmListing } from './listing.ts';
import type { FarmFilters, FarmVenue } from './venues.ts';

/**
 * A market that ends sooner is left alone: its price is the verdict by then, and an order may reach
 * the venue after the end. Milliseconds.
 */
export const ENDS_NO_SOONER_MS = 5 * 60_000;
/**
 * A listing's price may be minutes old: so far outside the band it is still worth reading the book,
 * ticks.
 */
const LISTED_SLACK_TICKS = 100;

/**
 * Of a market without a purchase so far: what its first buyer pays is more than a position of
 * this size can win.
 */
const SETUP_CRITERION: Criterion = {
  name: 'first buy',
  value: 'makes the tokens of the market, at the cost of its buyer',
  threshold: 'tokens that are there',
  passed: false,
};

/** What a scan makes of a listing. */
export interface Screening {
  /** The outcome that may be farmed; null when no side is near the band. */
  readonly outcome: OutcomeIndex | null;
  readonly criteria: readonly Criterion[];
  readonly passed: boolean;
}

/**
 * Screens a listing by all that its venue lists about it. The price here only says which outcome to
 * examine: the book decides (L8). A listing near no band has no outcome and is of no interest.
 */
export function screenListing(listing: FarmListing, venue: FarmVenue, nowMs: number): Screening {
  const outcome = likelyOutcome(listing.listedTicks, venue.filters);
  if (outcome === null) return { outcome, criteria: [], passed: false };
  const { market } = listing;
  const { category, because } = categoryOf(listing);
  const criteria: readonly Criterion[] = [
    {
      name: 'category',
      value:
        category === 'other'
          ? 'neither crypto price nor sports'
          : `${category.replace('_', ' ')} (${because})`,
      threshold: `not ${venue.excluded.map((name) => name.replace('_', ' ')).join(', not ')}`,
      passed: !venue.excluded.includes(category),
    },
    {
      name: 'market',
      value: market.closed
        ? 'closed'
        : market.acceptingOrders
          ? 'takes orders'
          : (market.notTradeable ?? 'takes no orders'),
      threshold: 'takes orders',
      passed: !market.closed && market.acceptingOrders,
    },
    ...(listing.needsSetup ? [SETUP_CRITERION] : []),
    ...figureCriteria(listing, venue.filters),
    endCriterion(market.endsAtMs, venue.filters, nowMs),
  ];
  return { outcome, criteria, passed: criteria.every(({ passed }) => passed) };
}

/** Puts the figures of a market into words. */
export function figureWords({ volumeUsd, liquidityUsd }: Figures): string {
  return `volume ${statedUsd(volumeUsd)}, liquidity ${statedUsd(liquidityUsd)}`;
}

type Figures = Pick<FarmListing['market'], 'volumeUsd' | 'liquidityUsd'>;

function statedUsd(usd: number | null): string {
  return usd === null ? 'not stated' : `${usd.toFixed(2)} USD`;
}

/** Volume and liquidity against filters; a market whose liquidity is not stated is not farmed. */
export function figureCriteria(
  { market }: { readonly market: Figures },
  filters: FarmFilters,
): readonly Criterion[] {
  return [
    {
      name: 'volume',
      value: `${market.volumeUsd.toFixed(2)} USD`,
      threshold: `more than ${filters.volumeAboveUsd} USD`,
      passed: market.volumeUsd > filters.volumeAboveUsd,
    },
    {
      name: 'liquidity',
      value: statedUsd(market.liquidityUsd),
      threshold: `more than ${filters.liquidityAboveUsd} USD`,
      passed: market.liquidityUsd !== null && market.liquidityUsd > filters.liquidityAboveUsd,
    },
  ];
}

/** The end of a market against filters; a market that states none is not farmed. */
export function endCriterion(
  endsAtMs: number,
  { endsWithinHours }: FarmFilters,
  nowMs: number,
): Criterion {
  const leftMs = endsAtMs - nowMs;
  const isStated = endsAtMs < OPEN_END_FROM_MS;
  return {
    name: 'time to the end',
    value: isStated ? durationOf(leftMs) : 'none stated',
    threshold: `at least ${durationOf(ENDS_NO_SOONER_MS)}${endsWithinHours === null ? ', stated' : `, at most ${endsWithinHours} h`}`,
    passed:
      isStated &&
      leftMs >= ENDS_NO_SOONER_MS &&
      (endsWithinHours === null || leftMs <= endsWithinHours * HOUR_MS),
  };
}

const HOUR_MS = 3_600_000;
/**
 * Markets that state no end are given the last moment of a four-digit year by their adapter; the
 * year 9000 lies before it.
 */
const OPEN_END_FROM_MS = 221_845_392_000_000;

function likelyOutcome(
  ticks: FarmListing['listedTicks'],
  { probabilityMinimumTicks, probabilityMaximumTicks }: FarmFilters,
): OutcomeIndex | null {
  if (ticks === null) return null;
  const isNear = (value: number): boolean =>
    value >= probabilityMinimumTicks - LISTED_SLACK_TICKS &&
    value <= Math.min(TICKS_PER_USD - 1, probabilityMaximumTicks + LISTED_SLACK_TICKS);
  if (isNear(ticks[0])) return 0;
  return isNear(ticks[1]) ? 1 : null;
}

/**
 * Near the soonest end in minutes, rounded down, else in hours, rounded up: a value then never
 * reads as what it just misses.
 */
function durationOf(ms: number): string {
  return ms < HOUR_MS ? `${Math.floor(ms / 6_000) / 10} min` : `${Math.ceil(ms / 36_000) / 100} h`;
}
