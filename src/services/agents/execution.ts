import type { AgentEffects } from '../../../machines/agent-types.ts';
import type { AgentMode } from '../../domain/agent.ts';
import { assert } from '../../domain/errors.ts';
import type { Bus } from '../../ports/bus.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Orders } from '../orders/orders.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import type { Receipts } from '../execution/receipts.ts';

/** Where agents of one mode trade: with real money at the venue, or on paper. */
export interface Execution {
  readonly mode: AgentMode;
  readonly store: StoreReader;
  readonly bus: Bus;
  readonly orders: Pick<Orders, 'get' | 'hasTraded' | 'listOpen'>;
  readonly portfolio: Pick<Portfolio, 'holdings'>;
  readonly receipts: Receipts;
  readonly effects: AgentEffects;
}

/** Gives the execution of a mode. */
export type Executions = (mode: AgentMode) => Execution;

/** Gives each mode its execution. Without one on paper no agent is ever enabled there. */
export function createExecutions(live: Execution, paper: Execution | null): Executions {
  return (mode) => {
    if (mode === 'live') return live;
    assert(paper !== null, 'an agent on paper has an execution');
    return paper;
  };
}
