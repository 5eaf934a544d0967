import { AGENT_PROFILES } from '../agent.ts';
import type { AgentId, VenueId } from '../ids.ts';
import type { FarmCategory } from './category.ts';
import type { FarmSettingName } from './setting-names.ts';

/**
 * What a market must show to be farmed. Probabilities in ticks of 0.0001, both ends included; money
 * in USD, to be exceeded.
 */
export interface FarmFilters {
  readonly probabilityMinimumTicks: number;
  readonly probabilityMaximumTicks: number;
  readonly volumeAboveUsd: number;
  readonly liquidityAboveUsd: number;
  /** Widest gap between bid and ask: beyond it the middle says nothing about probability. */
  readonly spreadMaximumTicks: number;
  /** Ends no later than this from now; null where any end will do. */
  readonly endsWithinHours: number | null;
}

/** Farming on one venue: everything in which two farming agents differ. */
export interface FarmVenue {
  readonly venue: VenueId;
  readonly agentId: AgentId;
  /** In force for markets the risk assessor has allowed. */
  readonly filters: FarmFilters;
  /** In force for markets without an assessment: missing, late, refused or nonsense. */
  readonly strictFilters: FarmFilters;
  readonly excluded: readonly FarmCategory[];
  /** What its users set; what they do not is as this row says, or without a bound. */
  readonly settings: readonly FarmSettingName[];
}

/**
 * The thresholds of the spec, one row a venue. The strict row is ours (spec.md: "falls back to
 * stricter filters"): a cent off both ends of the band, where mispriced tails and decided markets
 * sit; five times the volume and the liquidity, for a crowd checks a market as an assessor would;
 * half the spread; an end within two weeks, for less can happen in between.
 */
export const FARM_VENUE_A: FarmVenue = {
  venue: AGENT_PROFILES.venue_a_farming.venue,
  agentId: 'venue_a_farming',
  filters: {
    probabilityMinimumTicks: 9_500,
    probabilityMaximumTicks: 9_800,
    volumeAboveUsd: 1_000,
    liquidityAboveUsd: 500,
    spreadMaximumTicks: 200,
    endsWithinHours: null,
  },
  strictFilters: {
    probabilityMinimumTicks: 9_600,
    probabilityMaximumTicks: 9_750,
    volumeAboveUsd: 5_000,
    liquidityAboveUsd: 2_500,
    spreadMaximumTicks: 100,
    endsWithinHours: 14 * 24,
  },
  excluded: ['crypto_price', 'sports'],
  settings: ['maxOpenPositions', 'maxTotalExposure', 'stopLossPercent'],
};

/**
 * The spec's other farming agent, whose users set the band and the end themselves. The venue counts
 * contracts, each worth a dollar at most: some of the volume that venue_a's listings show, and
 * instead of liquidity how many are held. Its fees are inside its prices, so a cent of spread more
 * is taken before the strict row begins.
 */
export const FARM_VENUE_B: FarmVenue = {
  venue: AGENT_PROFILES.venue_b_farming.venue,
  agentId: 'venue_b_farming',
  filters: {
    probabilityMinimumTicks: 9_400,
    probabilityMaximumTicks: 9_800,
    volumeAboveUsd: 500,
    liquidityAboveUsd: 100,
    spreadMaximumTicks: 300,
    endsWithinHours: 72,
  },
  strictFilters: {
    probabilityMinimumTicks: 9_500,
    probabilityMaximumTicks: 9_750,
    volumeAboveUsd: 2_500,
    liquidityAboveUsd: 500,
    spreadMaximumTicks: 150,
    endsWithinHours: 48,
  },
  excluded: ['crypto_price', 'sports'],
  settings: [
    'maxOpenPositions',
    'maxDailyLoss',
    'minProbabilityPercent',
    'maxProbabilityPercent',
    'maxHoursToExpiry',
    'stopLossPercent',
  ],
};

/** Every venue that is farmed. */
export const FARM_VENUES: readonly FarmVenue[] = [FARM_VENUE_A, FARM_VENUE_B];

/** The row of a farming agent; null for an agent that does not farm. */
export function farmVenueOf(agentId: AgentId): FarmVenue | null {
  return FARM_VENUES.find((row) => row.agentId === agentId) ?? null;
}
