import type { Decision, StrategyId } from '../agent.ts';
import type { DecisionBasis } from '../decision-basis.ts';
import { judgeFarmEntry } from '../farming/entry.ts';
import { judgeStopLoss, stopTicks } from '../farming/stop-loss.ts';
import type { AgentId } from '../ids.ts';
import type { StrategyTable } from './strategy-row.ts';
import { STRATEGIES } from './table.ts';

/** What a receipt holds to decide by again. */
export interface DecidedBy {
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  readonly basis: DecisionBasis;
}

/**
 * Decides again by what a receipt holds; null where there is no such strategy any more. It is what
 * the receipt says, or `basis.said` where there is one.
 */
export function decideAgain(
  { agentId, strategy, basis }: DecidedBy,
  strategies: StrategyTable = STRATEGIES,
): Decision | null {
  switch (basis.kind) {
    case 'farm_entry':
      return judgeFarmEntry(basis, basis.view);
    case 'stop_loss':
      return judgeStopLoss(
        basis.held,
        stopTicks(basis.entry, basis.lossPerMille),
        basis.looks,
        basis.atMs,
      );
    default:
  }
  const row = strategies.row(agentId, strategy);
  if (row === null) return null;
  if (basis.kind === 'entry') return row.judgeFor(basis, basis.memory).judge(basis.view);
  if (basis.kind === 'position') return row.judgeExit(basis.view, basis.held);
  return row.order.kind === 'limit' ? row.order.judge(basis.view, basis.held) : null;
}
