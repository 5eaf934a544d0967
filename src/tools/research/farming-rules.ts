import type { Assessment } from '../../domain/farming/assessment.ts';
import { judgeFarmEntry } from '../../domain/farming/entry.ts';
import type { FarmVenue } from '../../domain/farming/venues.ts';
import { priceTicks, shareMicros, TICKS_PER_USD } from '../../domain/units.ts';
import type { FarmingOutcome, FarmingQuote } from './read/farming-outcomes.ts';

/** When an outcome is bought. */
export interface FarmingRule {
  readonly title: string;
  /** The agent's own judgement, not just a band of probability. */
  readonly isAgent: boolean;
  readonly allows: (outcome: FarmingOutcome, quote: FarmingQuote) => boolean;
}

/**
 * Middle of bid and ask from `from` to below `to`, in ticks; volume and liquidity, where they are
 * known, as the agent asks for them.
 */
function band(
  { filters: { volumeAboveUsd, liquidityAboveUsd } }: FarmVenue,
  { title, from, to }: (typeof BANDS)[number],
): FarmingRule {
  return {
    title,
    isAgent: false,
    allows: (_outcome, { bidTicks, askTicks, volumeUsd, liquidityUsd }) => {
      if (bidTicks === null || askTicks === null) return false;
      const doubled = bidTicks + askTicks;
      return (
        doubled >= 2 * from &&
        doubled < 2 * to &&
        (volumeUsd ?? Infinity) > volumeAboveUsd &&
        (liquidityUsd ?? Infinity) > liquidityAboveUsd
      );
    },
  };
}

/** More than any filter asks for: takes the place of a figure that was not recorded. */
const UNKNOWN_USD = 1e9;

/** The agent's own judgement of an entry, with this verdict of the risk assessor. */
function asAgent(venue: FarmVenue, title: string, assessment: Assessment): FarmingRule {
  return {
    title,
    isAgent: true,
    allows: ({ endsAtMs }, { atMs, bidTicks, askTicks, volumeUsd, liquidityUsd }) => {
      if (bidTicks === null || askTicks === null) return false;
      const size = shareMicros(0);
      const top = {
        bid: { price: priceTicks(bidTicks), size },
        ask: { price: priceTicks(askTicks), size },
      };
      return (
        judgeFarmEntry(venue, {
          market: {
            endsAtMs,
            volumeUsd: volumeUsd ?? UNKNOWN_USD,
            liquidityUsd: liquidityUsd ?? UNKNOWN_USD,
          },
          outcome: 0,
          listedAtMs: atMs,
          atMs,
          assessment,
          book: { value: top, sourceAtMs: atMs, receivedAtMs: atMs },
        }).verdict === 'enter'
      );
    },
  };
}

const percent = (value: number): number => Math.round((value / 100) * TICKS_PER_USD);

const BANDS = [
  { title: '85–90 %', from: percent(85), to: percent(90) },
  { title: '90–92.5 %', from: percent(90), to: percent(92.5) },
  { title: '92.5–95 %', from: percent(92.5), to: percent(95) },
  { title: '95–96 %', from: percent(95), to: percent(96) },
  { title: '96–97 %', from: percent(96), to: percent(97) },
  { title: '97–98 %', from: percent(97), to: percent(98) },
  { title: '98 % and over', from: percent(98), to: TICKS_PER_USD },
] as const;

/** Bands of the report, and the two ways in which the agent of a venue judges. */
export function farmingRules(venue: FarmVenue): readonly FarmingRule[] {
  return [
    ...BANDS.map((one) => band(venue, one)),
    asAgent(venue, 'the agent, assessor allows all', {
      kind: 'allowed',
      reason: 'takes the place of an assessor',
    }),
    asAgent(venue, 'the agent without an assessor', { kind: 'none', gap: 'missing' }),
  ];
}
