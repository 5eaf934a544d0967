import {
  endsEntry,
  NO_RESULTS,
  withEntryEnded,
  withPositionResult,
  type AgentResults,
} from '../../domain/agent-results.ts';
import type { AgentId, UserId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { AGENT_RESULTS } from './tables.ts';

/**
 * One agent, or all agents of a user together: drawdown of the whole is not the sum of its parts.
 */
export type ResultsScope = AgentId | 'all';

/** What an agent's trades came to. */
export function resultsOf(reader: StoreReader, userId: UserId, scope: ResultsScope): AgentResults {
  return reader.get(AGENT_RESULTS, [userId, scope])?.value ?? NO_RESULTS;
}

/**
 * Takes a position's change into the results of the agent that opened it. Call before the change is
 * written.
 */
export function countPosition(
  tx: StoreWriter,
  before: PositionRecord | null,
  after: PositionRecord,
): void {
  const { userId, agentId } = after;
  if (agentId === null) return;
  for (const scope of [agentId, 'all'] as const)
    tx.put(
      AGENT_RESULTS,
      [userId, scope],
      withPositionResult(resultsOf(tx, userId, scope), before, after),
    );
}

/** Takes the end of an agent's entry into its results. Call before the change is written. */
export function countEntry(tx: StoreWriter, before: OrderRecord | null, after: OrderRecord): void {
  const { origin, userId } = after.intent;
  if (origin.kind !== 'agent' || !endsEntry(before, after)) return;
  for (const scope of [origin.agentId, 'all'] as const)
    tx.put(AGENT_RESULTS, [userId, scope], withEntryEnded(resultsOf(tx, userId, scope), after));
}
