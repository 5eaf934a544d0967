import { RESEARCH } from '../../../config/research-limits.ts';
import type { Interval } from '../../domain/evidence/interval.ts';
import { wilsonInterval } from '../../domain/evidence/proportion.ts';
import type { FarmingOutcome } from './read/farming-outcomes.ts';
import { clusters, interval } from './score-forecasts.ts';
import type { Part, Split } from './split.ts';

/** A range of probability, the lower end included: the middle of bid and ask, as the agent reads it. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly title: string;
  /** Highest ask paid; 1 where any. */
  readonly askMaximum: number;
}

/** How often outcomes bought in a band came, and what they brought per USD. */
export interface BandFigures {
  readonly band: string;
  readonly part: Part;
  readonly bets: number;
  readonly events: number;
  readonly meanAsk: number | null;
  readonly hit: Interval | null;
  /** Held to the end. 95 percent, by resampling events. */
  readonly profitPerUsd: Interval | null;
  /** Sold at the first bid 10 percent under the entry. */
  readonly profitWithStopPerUsd: Interval | null;
  readonly stopped: number;
}

/** Just above 98 percent, so that 98 itself is inside. */
const OVER_98 = 0.980_01;

/** Bands of the report; the agent's own is last. */
export const BANDS: readonly Band[] = [
  { from: 0.85, to: 0.9, title: '85–90 %', askMaximum: 1 },
  { from: 0.9, to: 0.925, title: '90–92.5 %', askMaximum: 1 },
  { from: 0.925, to: 0.95, title: '92.5–95 %', askMaximum: 1 },
  { from: 0.95, to: 0.96, title: '95–96 %', askMaximum: 1 },
  { from: 0.96, to: 0.97, title: '96–97 %', askMaximum: 1 },
  { from: 0.97, to: OVER_98, title: '97–98 %', askMaximum: 1 },
  { from: OVER_98, to: 1, title: 'over 98 %', askMaximum: 1 },
  { from: 0.95, to: OVER_98, title: '95–98 %, as the agent', askMaximum: OVER_98 },
];

interface Bet {
  readonly event: string;
  readonly atMs: number;
  readonly price: number;
  readonly won: boolean;
  readonly stopBid: number | null;
}

/** Buys each outcome once, at the ask of the first eligible quote whose middle lies in the band, and asks what became of it. */
export function farmingFigures(outcomes: readonly FarmingOutcome[], split: Split, parts: readonly Part[], label: string): readonly BandFigures[] {
  return BANDS.flatMap((band) => {
    const bets = outcomes.flatMap((outcome) => betIn(outcome, band));
    return parts.map((part) => figuresOf(band, part, bets.filter(({ atMs }) => split.partOf(atMs) === part), label));
  });
}

function betIn({ event, won, quotes }: FarmingOutcome, { from, to, askMaximum }: Band): readonly Bet[] {
  const first = quotes.findIndex(({ bid, ask, isEligible }) => isEligible && bid !== null && ask !== null && (bid + ask) / 2 >= from && (bid + ask) / 2 < to && ask < 1 && ask <= askMaximum);
  const bought = quotes[first];
  if (bought === undefined || bought.ask === null) return [];
  const stopAt = bought.ask * (1 - RESEARCH.farmingStopPercent / 100);
  const stop = quotes.slice(first + 1).find(({ bid }) => bid !== null && bid <= stopAt);
  return [{ event, atMs: bought.atMs, price: bought.ask, won, stopBid: stop?.bid ?? null }];
}

function figuresOf({ title }: Band, part: Part, bets: readonly Bet[], label: string): BandFigures {
  const name = `${label} ${title} ${part}`;
  const held = ({ won, price }: Bet): number => (won ? 1 / price - 1 : -1);
  const stopped = (bet: Bet): number => (bet.stopBid === null ? held(bet) : bet.stopBid / bet.price - 1);
  return {
    band: title, part,
    bets: bets.length,
    events: new Set(bets.map(({ event }) => event)).size,
    meanAsk: bets.length === 0 ? null : bets.reduce((sum, { price }) => sum + price, 0) / bets.length,
    hit: wilsonInterval(bets.filter(({ won }) => won).length, bets.length),
    profitPerUsd: interval(clusters(bets, ({ event }) => event, held), name),
    profitWithStopPerUsd: interval(clusters(bets, ({ event }) => event, stopped), `${name} stopped`),
    stopped: bets.filter(({ stopBid }) => stopBid !== null).length,
  };
}
