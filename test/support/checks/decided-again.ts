import { isDeepStrictEqual } from 'node:util';
import type { Decision, StrategyId } from '../../../src/domain/agent.ts';
import type { DecisionBasis } from '../../../src/domain/decision-basis.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { AgentId } from '../../../src/domain/ids.ts';
import { decideAgain } from '../../../src/domain/strategy/decide-again.ts';
import type { Store } from '../../../src/ports/store.ts';

/** A receipt as it is compared with what is decided again. */
interface Decided {
  readonly agentId: AgentId;
  readonly strategy: StrategyId;
  readonly decision: Decision;
  readonly basis?: DecisionBasis;
}

/** What deciding again found. */
export interface DecidedAgain {
  /** Receipts that can be decided again, by agent and what was asked. */
  readonly asked: Readonly<Record<string, number>>;
  /** Reasons of those that cannot. */
  readonly without: readonly string[];
  /** Receipts that say something else than what is decided again. */
  readonly wrong: readonly { readonly recorded: Decision; readonly again: Decision | null }[];
}

/** Decides every receipt of a journal again, from nothing but its text. */
export function decideJournalAgain(store: Store): DecidedAgain {
  const asked: Record<string, number> = {};
  const without: string[] = [];
  const wrong: { recorded: Decision; again: Decision | null }[] = [];
  for (const { event } of store.readJournal(0, 1_000_000)) {
    for (const receipt of receiptsIn(event)) {
      // what a browser has is the text
      const { agentId, strategy, basis, decision } = JSON.parse(JSON.stringify(receipt)) as Decided;
      if (basis === undefined) {
        without.push(decision.reason);
        continue;
      }
      const name = `${agentId} ${basis.kind}`;
      asked[name] = (asked[name] ?? 0) + 1;
      const recorded = basis.said ?? decision;
      const again = decideAgain({ agentId, strategy, basis });
      if (!isDeepStrictEqual(again, recorded)) wrong.push({ recorded, again });
    }
  }
  return { asked, without, wrong };
}

function receiptsIn(event: DomainEvent): readonly Decided[] {
  if (event.type === 'paper.recorded') return receiptsIn(event.fact);
  if (event.type === 'decision.made') return [event.decision];
  return event.type === 'signal.judged' ? [event.receipt] : [];
}
