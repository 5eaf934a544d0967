import type { Criterion, Decision } from '../agent.ts';
import type { BookTop } from '../book.ts';
import type { Market, OutcomeIndex } from '../market.ts';
import type { Observed } from '../signal.ts';
import { formatDecimal, formatPrice } from '../units.ts';
import { GAP_WORDS, type Assessment } from './assessment.ts';
import { endCriterion, figureCriteria } from './screen.ts';
import type { FarmVenue } from './venues.ts';

/** All that is known about a market that passed the screening, at one moment. */
export interface FarmView {
  readonly market: Market;
  readonly outcome: OutcomeIndex;
  /** When the listing was read. */
  readonly listedAtMs: number;
  readonly atMs: number;
  /** Trusted top of the outcome's book; null when absent, in doubt or stale (L8). */
  readonly book: Observed<BookTop> | null;
  /** Null while the assessor is being asked. */
  readonly assessment: Assessment | null;
}

/** What is read of a view to judge it, and what a receipt keeps of it. */
export type FarmJudgedView = Omit<FarmView, 'market'> & {
  readonly market: Pick<Market, 'volumeUsd' | 'liquidityUsd' | 'endsAtMs'>;
};

/** Returns what is read of a view to judge it. */
export function farmJudgedView({ market, ...view }: FarmView): FarmJudgedView {
  const { volumeUsd, liquidityUsd, endsAtMs } = market;
  return { ...view, market: { volumeUsd, liquidityUsd, endsAtMs } };
}

/**
 * Judges a market for entry. Probability is the middle of the trusted best bid and ask; the ask
 * itself, which is what is paid, must not lie above the band either. Without an assessment the
 * strict filters hold; a blocking one ends it.
 */
export function judgeFarmEntry(
  venue: Pick<FarmVenue, 'filters' | 'strictFilters'>,
  view: FarmJudgedView,
): Decision {
  const { assessment, book } = view;
  if (book === null)
    return skip([], 'No decision without a trusted book.', {
      name: 'book',
      value: 'absent',
      threshold: 'trusted and fresh',
      passed: false,
    });
  if (assessment === null)
    return skip([], 'The assessor is being asked.', {
      name: 'risk assessment',
      value: 'being asked',
      threshold: 'answered',
      passed: false,
    });
  const risk = riskCriterion(assessment);
  const filters = assessment.kind === 'none' ? venue.strictFilters : venue.filters;
  const { bid, ask } = book.value;
  if (bid === null || ask === null)
    return skip([risk], 'One side of the book is empty.', {
      name: 'book',
      value: bid === null ? 'no bid' : 'no ask',
      threshold: 'bid and ask',
      passed: false,
    });
  const {
    probabilityMinimumTicks: low,
    probabilityMaximumTicks: high,
    spreadMaximumTicks,
  } = filters;
  // Twice the middle: half a tick decides nothing by rounding.
  const doubled = bid.price + ask.price;
  const spread = ask.price - bid.price;
  const criteria: readonly Criterion[] = [
    risk,
    {
      name: 'probability',
      value: percentOfHalfTicks(doubled),
      threshold: `${percentOfHalfTicks(2 * low)} to ${percentOfHalfTicks(2 * high)}${assessment.kind === 'none' ? ' (strict)' : ''}`,
      passed: doubled >= 2 * low && doubled <= 2 * high,
    },
    {
      name: 'ask',
      value: formatPrice(ask.price),
      threshold: `at most ${formatDecimal(high, 4)}`,
      passed: ask.price <= high,
    },
    {
      name: 'spread',
      value: formatDecimal(spread, 4),
      threshold: `at most ${formatDecimal(spreadMaximumTicks, 4)}`,
      passed: spread <= spreadMaximumTicks,
    },
    ...figureCriteria(view, filters),
    endCriterion(view.market.endsAtMs, filters, view.atMs),
  ];
  const failed = criteria.find(({ passed }) => !passed);
  if (failed !== undefined)
    return {
      verdict: 'skip',
      outcome: null,
      criteria,
      reason: `${failed.name} is ${failed.value}, needed ${failed.threshold}.`,
    };
  return {
    verdict: 'enter',
    outcome: view.outcome,
    criteria,
    reason: `All ${criteria.length} criteria are met.`,
  };
}

/** The highest price an entry may pay under the filters that hold for this assessment, in ticks. */
export function entryPriceMaximum(venue: FarmVenue, assessment: Assessment): number {
  return (assessment.kind === 'none' ? venue.strictFilters : venue.filters).probabilityMaximumTicks;
}

function riskCriterion(assessment: Assessment): Criterion {
  const threshold = 'not blocked';
  switch (assessment.kind) {
    case 'allowed':
      return {
        name: 'risk assessment',
        value: `allowed: ${assessment.reason}`,
        threshold,
        passed: true,
      };
    case 'blocked':
      return {
        name: 'risk assessment',
        value: `blocked: ${assessment.reason}`,
        threshold,
        passed: false,
      };
    case 'none':
      return {
        name: 'risk assessment',
        value: `none, ${GAP_WORDS[assessment.gap]}: the strict filters hold`,
        threshold,
        passed: true,
      };
  }
}

function skip(criteria: readonly Criterion[], reason: string, failed: Criterion): Decision {
  return { verdict: 'skip', outcome: null, criteria: [...criteria, failed], reason };
}

function percentOfHalfTicks(halfTicks: number): string {
  return `${formatDecimal(halfTicks * 5, 3)} %`;
}
