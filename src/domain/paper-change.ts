import type { DomainEvent } from './events.ts';
import type { AgentId, MarketId, UserId } from './ids.ts';
import { isShadow } from './shadow-account.ts';

/** A user's agent entered a market on paper, or what it holds there on paper changed. */
interface PaperChange {
  readonly userId: UserId;
  readonly agentId: AgentId;
  readonly marketId: MarketId;
}

/**
 * Returns what a fact of paper changes in the results of a user's agent; null for any other, and
 * for those of shadow runs, which have no owner.
 */
export function paperChangeOf(fact: DomainEvent): PaperChange | null {
  const change = changeOf(fact);
  return change === null || isShadow(change.userId) ? null : change;
}

function changeOf(fact: DomainEvent): PaperChange | null {
  if (fact.type === 'agent.traded') return fact;
  if (fact.type !== 'position.changed') return null;
  const { agentId, marketId } = fact.position;
  return agentId === null ? null : { userId: fact.userId, agentId, marketId };
}
