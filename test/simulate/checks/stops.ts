import { modeOf, stopPolicyOf, type AgentRecord } from '../../../src/domain/agent.ts';
import type { JournalEntry } from '../../../src/domain/events.ts';
import type { OrderIntent } from '../../../src/domain/order.ts';

/** What the journal holds of stops, up to one of its entries. */
interface Standing {
  isOperatorStopped: boolean;
  readonly stoppedUsers: Set<string>;
  readonly agents: Map<string, AgentRecord>;
}

/**
 * L6: orders made while a stop held them back: buys under a stop of the operator or of their user,
 * and orders of an agent that was not enabled for real money, but for sales where its stop was to
 * close its positions. The journal's own order of facts decides.
 */
export function tradedAfterStop(journal: readonly JournalEntry[]): readonly string[] {
  const standing: Standing = {
    isOperatorStopped: false,
    stoppedUsers: new Set(),
    agents: new Map(),
  };
  const found: string[] = [];
  for (const { seq, event } of journal) {
    if (event.type === 'all_trading.stopped' || event.type === 'all_trading.resumed')
      standing.isOperatorStopped = event.type === 'all_trading.stopped';
    if (event.type === 'trading.stopped') standing.stoppedUsers.add(event.userId);
    if (event.type === 'trading.resumed') standing.stoppedUsers.delete(event.userId);
    if (event.type === 'agent.changed')
      standing.agents.set(`${event.userId} ${event.agent.agentId}`, event.agent);
    if (event.type !== 'order.intended') continue;
    const reason = heldBackBy(standing, event.intent);
    if (reason !== null)
      found.push(`${seq}: ${event.intent.intentId} of ${event.userId}, ${reason}`);
  }
  return found;
}

function heldBackBy(
  { isOperatorStopped, stoppedUsers, agents }: Standing,
  { userId, side, origin }: OrderIntent,
): string | null {
  if (side === 'buy' && isOperatorStopped) return 'while all trading was stopped';
  if (side === 'buy' && stoppedUsers.has(userId)) return 'while its user was stopped';
  if (origin.kind !== 'agent') return null;
  const agent = agents.get(`${userId} ${origin.agentId}`);
  if (agent === undefined) return `by ${origin.agentId}, which no user enabled`;
  if (agent.enabled && modeOf(agent) === 'live') return null;
  return origin.purpose === 'exit' && side === 'sell' && stopPolicyOf(agent) === 'close'
    ? null
    : `by ${origin.agentId}, which was ${agent.enabled ? 'on paper' : 'not enabled'}`;
}
