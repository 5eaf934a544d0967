import { isTerminal, type OrderRecord } from './order.ts';
import type { PositionRecord } from './position.ts';

/** What positions came to so far. Money in USDC micros, fees included. */
export interface PositionsResult {
  /** Positions that ended with a profit, and without one. */
  readonly wins: number;
  readonly losses: number;
  readonly realisedUsdc: number;
  readonly feesUsdc: number;
}

/** Before the first position. */
export const NO_POSITIONS: PositionsResult = {
  wins: 0,
  losses: 0,
  realisedUsdc: 0,
  feesUsdc: 0,
};

/**
 * What an agent's trades came to so far, kept as they end, so that no reader has to read them all
 * again. Money in USDC micros, fees included. `peakUsdc` is the highest the realised profit ever
 * stood (0 at the start), `drawdownUsdc` the furthest it fell below a peak.
 */
export interface AgentResults extends PositionsResult {
  /** Entry orders that have ended, and those of them that bought something. */
  readonly entries: number;
  readonly filledEntries: number;
  readonly peakUsdc: number;
  readonly drawdownUsdc: number;
}

/** Before the first trade. */
export const NO_RESULTS: AgentResults = {
  ...NO_POSITIONS,
  entries: 0,
  filledEntries: 0,
  peakUsdc: 0,
  drawdownUsdc: 0,
};

/** What a position counts for in results. */
export type PositionResult = Pick<PositionRecord, 'realizedPnl' | 'feesUsdc' | 'closedAtMs'>;

/**
 * Results with a position as it is now in the place of what it was, null when it is new: a position
 * left without any trade is neither won nor lost.
 */
export function withPosition(
  results: PositionsResult,
  before: PositionResult | null,
  after: PositionResult,
): PositionsResult {
  return {
    wins: results.wins + wonOf(after) - wonOf(before),
    losses: results.losses + lostOf(after) - lostOf(before),
    realisedUsdc: results.realisedUsdc + after.realizedPnl - (before?.realizedPnl ?? 0),
    feesUsdc: results.feesUsdc + after.feesUsdc - (before?.feesUsdc ?? 0),
  };
}

/**
 * Results with open positions of which something was sold, as sold so far: a rest too small to sell
 * must not keep a trade out of them.
 */
export function withPartlySold<Results extends PositionsResult>(
  results: Results,
  open: readonly PositionResult[],
): Results {
  const sold = open.filter(({ closedAtMs }) => closedAtMs === null);
  return {
    ...results,
    wins: results.wins + sold.filter(({ realizedPnl }) => realizedPnl > 0).length,
    losses: results.losses + sold.filter(({ realizedPnl }) => realizedPnl < 0).length,
  };
}

/**
 * The same of an agent. What it realised is one step of the curve that drawdown is read from; a
 * reversed trade is a step back.
 */
export function withPositionResult(
  results: AgentResults,
  before: PositionResult | null,
  after: PositionResult,
): AgentResults {
  const positions = withPosition(results, before, after);
  const peakUsdc = Math.max(results.peakUsdc, positions.realisedUsdc);
  return {
    ...results,
    ...positions,
    peakUsdc,
    drawdownUsdc: Math.max(results.drawdownUsdc, peakUsdc - positions.realisedUsdc),
  };
}

/** Results with an entry order that has just ended. */
export function withEntryEnded(
  results: AgentResults,
  order: Pick<OrderRecord, 'filledShares'>,
): AgentResults {
  return {
    ...results,
    entries: results.entries + 1,
    filledEntries: results.filledEntries + (order.filledShares > 0 ? 1 : 0),
  };
}

/** True when this change of an order, null before its first record, ends an agent's entry. */
export function endsEntry(
  before: Pick<OrderRecord, 'state'> | null,
  after: Pick<OrderRecord, 'state' | 'intent'>,
): boolean {
  const { origin } = after.intent;
  return (
    origin.kind === 'agent' &&
    origin.purpose === 'entry' &&
    isTerminal(after.state) &&
    (before === null || !isTerminal(before.state))
  );
}

/** wins ÷ (wins + losses) in millionths; null before the first ended. */
export function winRateMicros({
  wins,
  losses,
}: Pick<AgentResults, 'wins' | 'losses'>): number | null {
  return ratioMicros(wins, wins + losses);
}

/**
 * Entries that bought something ÷ entries that ended, in millionths; null before the first ended.
 */
export function fillRateMicros({
  entries,
  filledEntries,
}: Pick<AgentResults, 'entries' | 'filledEntries'>): number | null {
  return ratioMicros(filledEntries, entries);
}

function ratioMicros(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part * 1_000_000) / whole);
}

function wonOf(position: PositionResult | null): number {
  return position !== null && position.closedAtMs !== null && position.realizedPnl > 0 ? 1 : 0;
}

function lostOf(position: PositionResult | null): number {
  return position !== null &&
    position.closedAtMs !== null &&
    position.realizedPnl <= 0 &&
    (position.realizedPnl !== 0 || position.feesUsdc !== 0)
    ? 1
    : 0;
}
