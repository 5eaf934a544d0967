import { AGENT_PROFILES } from '../agent.ts';
import type { AgentId, VenueId } from '../ids.ts';
import type { FarmCategory } from './category.ts';

/** What a market must show to be farmed. Probabilities in ticks of 0.0001, both ends included; money in USD, to be exceeded. */
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
  /** Most that an agent of this venue may lose in a UTC day, all that it has at risk counted as lost, in USD; null where the venue's agent has no such cap. */
  readonly dailyLossUsd: number | null;
}

/**
 * The thresholds of the spec, one row a venue. The strict row is ours (spec.md: "falls back to stricter filters"): a cent off
 * both ends of the band, where mispriced tails and decided markets sit; five times the volume and the liquidity, for a crowd
 * checks a market as an assessor would; half the spread; an end within two weeks, for less can happen in between.
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
  dailyLossUsd: null,
};

/** Every venue that is farmed. */
const FARM_VENUES: readonly FarmVenue[] = [FARM_VENUE_A];

/** The row of a farming agent; null for an agent that does not farm. */
export function farmVenueOf(agentId: AgentId): FarmVenue | null {
  return FARM_VENUES.find((row) => row.agentId === agentId) ?? null;
}
