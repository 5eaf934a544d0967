import type { Output } from '../../api/routes.ts';
import type { Agent } from './agent-state.ts';
import type { Performance } from './shown-performance.ts';

/** Why there is no strength to hold against what came. */
export function calibrationEmpty(
  { entered, entries }: Pick<Output<'GET /api/agents/:agent/calibration'>, 'entered' | 'entries'>,
  { asset }: Pick<Agent, 'asset'>,
): string {
  if (asset === null)
    return 'Its strategy states no strength: it does not bet on a direction, so there is nothing to compare.';
  if (entries > 0)
    return `It has entered ${entries} ${entries === 1 ? 'market' : 'markets'}, and none of them has ended with a winner yet.`;
  return entered === 0
    ? 'It has entered no market yet, so there is nothing to compare.'
    : 'What it entered by stated no signal strength, so there is nothing to compare.';
}

/** Why no entry with real money is held against one on paper. */
export function comparisonEmpty(
  { trades, fillRate }: Pick<Performance, 'trades' | 'fillRate'>,
  isPaper: boolean,
): string {
  if (isPaper)
    return 'It trades on paper. Once it trades with real money, each of its entries is compared here with the same one on paper.';
  if (trades === 0)
    return 'It has made no entry with real money yet, so there is nothing to compare with paper.';
  return fillRate === null
    ? 'None of its orders with real money is over yet, so there is nothing to compare with paper.'
    : 'Of its entries with real money none has one on paper beside it that was made at the same time with the same settings, so there is nothing to compare.';
}
