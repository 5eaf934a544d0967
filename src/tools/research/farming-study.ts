import { EVIDENCE, RESEARCH } from '../../../config/limits/research.ts';
import { createSeededRandom } from '../../adapters/random/seeded-random.ts';
import { evidenceGate, type Evidence } from '../../domain/evidence/evidence-gate.ts';
import type { Interval } from '../../domain/evidence/interval.ts';
import { wilsonInterval } from '../../domain/evidence/proportion.ts';
import { stopTicks } from '../../domain/farming/stop-loss.ts';
import type { FarmVenue } from '../../domain/farming/venues.ts';
import {
  costMicros,
  priceTicks,
  sharesFor,
  TICKS_PER_USD,
  usdcMicros,
} from '../../domain/units.ts';
import { farmingRules, type FarmingRule } from './farming-rules.ts';
import type { FarmingOutcome } from './read/farming-outcomes.ts';
import { dayOf } from './register.ts';
import { clusters, interval } from './score-forecasts.ts';
import type { Part, Split } from './split.ts';

/** How often outcomes bought by a rule came, and what they brought per USD. */
export interface FarmingFigures {
  readonly rule: string;
  /** The agent's own rule, not just a band. */
  readonly isAgent: boolean;
  readonly part: Part;
  readonly bets: number;
  readonly events: number;
  readonly meanAsk: number | null;
  readonly hit: Interval | null;
  /** Held to the end. 95 percent, by resampling events. */
  readonly profitPerUsd: Interval | null;
  /** Sold at the first bid that stood at or below the stop. */
  readonly profitWithStopPerUsd: Interval | null;
  readonly stopped: number;
  /** Of the agent's rules, with the stop; null for a band. */
  readonly evidence: Evidence | null;
}

/** What a study runs, fixed before it does. */
export interface FarmingPlan {
  readonly name: string;
  /** Whose agent judges. */
  readonly venue: FarmVenue;
  readonly outcomes: readonly FarmingOutcome[];
  /** What a share costs beside its price, and what of its price a sale loses, in ticks. */
  readonly feeTicks: (priceTicks: number) => number;
  readonly split: Split;
  readonly parts: readonly Part[];
  /** What was not recorded, and what takes its place. */
  readonly standIns: readonly string[];
  readonly comparisons: number;
}

interface Bet {
  readonly event: string;
  readonly atMs: number;
  readonly askTicks: number;
  readonly won: boolean;
  readonly stopBidTicks: number | null;
}

/**
 * Buys each outcome once by each rule, at the ask of the first quote it allows or at that of the
 * next one where that is worse (these markets move over minutes, so that is what latency can cost),
 * and asks what became of it.
 */
export function farmingFigures(plan: FarmingPlan): readonly FarmingFigures[] {
  return farmingRules(plan.venue).flatMap((rule) => {
    const bets = plan.outcomes.flatMap((outcome) => betOn(outcome, rule));
    return plan.parts.map((part) =>
      figuresOf(
        plan,
        rule,
        part,
        bets.filter(({ atMs }) => plan.split.partOf(atMs) === part),
      ),
    );
  });
}

function betOn(outcome: FarmingOutcome, { allows }: FarmingRule): readonly Bet[] {
  const first = outcome.quotes.findIndex((quote) => allows(outcome, quote));
  const bought = quotedAt(outcome, first);
  if (bought === null) return [];
  const { ask, atMs } = bought;
  const shares = sharesFor(usdcMicros(RESEARCH.stakeMicros), priceTicks(ask));
  const stop = stopTicks(
    { usdc: costMicros(shares, priceTicks(ask), 'ceil'), shares },
    RESEARCH.farmingStopPerMille,
  );
  const sold = outcome.quotes
    .slice(first + 1)
    .find(({ bidTicks }) => bidTicks !== null && bidTicks <= stop);
  return [
    {
      event: outcome.event,
      atMs,
      askTicks: ask,
      won: outcome.won,
      stopBidTicks: sold?.bidTicks ?? null,
    },
  ];
}

function quotedAt(
  { quotes }: FarmingOutcome,
  index: number,
): { readonly ask: number; readonly atMs: number } | null {
  const quote = quotes[index];
  return quote === undefined || quote.askTicks === null
    ? null
    : { ask: Math.max(quote.askTicks, quotes[index + 1]?.askTicks ?? 0), atMs: quote.atMs };
}

function figuresOf(
  { name, standIns, comparisons, feeTicks }: FarmingPlan,
  { title, isAgent }: FarmingRule,
  part: Part,
  bets: readonly Bet[],
): FarmingFigures {
  const label = `${name} ${title} ${part}`;
  const paid = ({ askTicks }: Bet): number => askTicks + feeTicks(askTicks);
  const held = (bet: Bet): number => (bet.won ? TICKS_PER_USD / paid(bet) - 1 : -1);
  const stopped = (bet: Bet): number =>
    bet.stopBidTicks === null
      ? held(bet)
      : (bet.stopBidTicks - feeTicks(bet.stopBidTicks)) / paid(bet) - 1;
  const byEvent = (profitOf: (bet: Bet) => number): readonly (readonly number[])[] =>
    clusters(bets, ({ event }) => event, profitOf);
  const random = createSeededRandom(`${RESEARCH.seed}:gate:${label}`);
  return {
    rule: title,
    isAgent,
    part,
    bets: bets.length,
    events: new Set(bets.map(({ event }) => event)).size,
    meanAsk:
      bets.length === 0
        ? null
        : bets.reduce((sum, { askTicks }) => sum + askTicks, 0) / bets.length / TICKS_PER_USD,
    hit: wilsonInterval(bets.filter(({ won }) => won).length, bets.length),
    profitPerUsd: interval(byEvent(held), label),
    profitWithStopPerUsd: interval(byEvent(stopped), `${label} stopped`),
    stopped: bets.filter(({ stopBidTicks }) => stopBidTicks !== null).length,
    evidence:
      !isAgent || bets.length === 0
        ? null
        : evidenceGate(
            {
              returns: byEvent(stopped),
              byDay: clusters(bets, ({ atMs }) => dayOf(atMs), stopped),
              standIns,
            },
            {
              ...EVIDENCE,
              level: EVIDENCE.levelPercent / 100,
              comparisons,
              draws: EVIDENCE.bootstrapDraws,
            },
            (bound) => random.integer(bound),
          ),
  };
}
