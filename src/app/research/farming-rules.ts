import type { Assessment } from '../../domain/farming/assessment.ts';
import { judgeFarmEntry } from '../../domain/farming/entry.ts';
import { FARM_VENUE_A } from '../../domain/farming/venues.ts';
import { asId } from '../../domain/ids.ts';
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
function band(title: string, from: number, to: number): FarmingRule {
  const { volumeAboveUsd, liquidityAboveUsd } = FARM_VENUE_A.filters;
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

/** More than any filter asks for: stands in for a figure that was not recorded. */
const UNKNOWN_USD = 1e9;

/** The agent's own judgement of an entry, with this word of the risk assessor. */
function asAgent(title: string, assessment: Assessment): FarmingRule {
  return {
    title,
    isAgent: true,
    allows: ({ market, endsAtMs }, { atMs, bidTicks, askTicks, volumeUsd, liquidityUsd }) => {
      if (bidTicks === null || askTicks === null) return false;
      const size = shareMicros(0);
      const top = {
        bid: { price: priceTicks(bidTicks), size },
        ask: { price: priceTicks(askTicks), size },
      };
      return (
        judgeFarmEntry(FARM_VENUE_A, {
          market: {
            venue: FARM_VENUE_A.venue,
            marketId: asId(market),
            listingId: market,
            eventId: market,
            slug: market,
            question: market,
            outcomes: [
              { tokenId: asId(`${market}:0`), label: 'Yes' },
              { tokenId: asId(`${market}:1`), label: 'No' },
            ],
            tickSize: priceTicks(10),
            minSize: shareMicros(5_000_000),
            negRisk: false,
            fee: null,
            takerDelay: false,
            acceptingOrders: true,
            closed: false,
            window: null,
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

/** Bands of the report, and the agent's two ways of judging. */
export const FARMING_RULES: readonly FarmingRule[] = [
  band('85–90 %', percent(85), percent(90)),
  band('90–92.5 %', percent(90), percent(92.5)),
  band('92.5–95 %', percent(92.5), percent(95)),
  band('95–96 %', percent(95), percent(96)),
  band('96–97 %', percent(96), percent(97)),
  band('97–98 %', percent(97), percent(98)),
  band('98 % and over', percent(98), TICKS_PER_USD),
  asAgent('the agent, assessor allows all', {
    kind: 'allowed',
    reason: 'stands in for an assessor',
  }),
  asAgent('the agent without an assessor', { kind: 'none', gap: 'missing' }),
];
