import type { AgentResults } from '../../domain/agent-results.ts';
import {
  endsEntry,
  NO_RESULTS,
  withEntryEnded,
  withPositionResult,
} from '../../domain/agent-results.ts';
import type { AgentId, UserId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import { isTerminal } from '../../domain/order.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { AGENT_MARKETS, AGENT_RESULTS, ORDERS, POSITIONS } from './tables.ts';

/**
 * One agent, or all agents of a user together: drawdown of the whole is not the sum of its parts.
 */
export type ResultsScope = AgentId | 'all';

/**
 * What an agent's trades came to, as kept; worked out from its records where a store from before
 * this has none yet.
 */
export function resultsOf(reader: StoreReader, userId: UserId, scope: ResultsScope): AgentResults {
  return reader.get(AGENT_RESULTS, [userId, scope])?.value ?? workedOut(reader, userId, scope);
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
  if (agentId === null || isTheSame(before, after)) return;
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

/** Reads every position and entry once; results are then kept from the next change on. */
function workedOut(reader: StoreReader, userId: UserId, scope: ResultsScope): AgentResults {
  const isIn = (agentId: AgentId | null): boolean =>
    agentId !== null && (scope === 'all' || scope === agentId);
  const entries = reader
    .range(AGENT_MARKETS, { prefix: scope === 'all' ? [userId] : [userId, scope] })
    .map(({ value }) => reader.get(ORDERS, [userId, value.intentId])?.value)
    .filter((order) => order !== undefined && isTerminal(order.state));
  const positions = reader
    .range(POSITIONS, { prefix: [userId] })
    .map(({ value }) => value)
    .filter(({ agentId }) => isIn(agentId))
    .sort(
      (one, other) =>
        (one.closedAtMs ?? Number.POSITIVE_INFINITY) -
        (other.closedAtMs ?? Number.POSITIVE_INFINITY),
    );
  const ended = entries.reduce(
    (results, order) => (order === undefined ? results : withEntryEnded(results, order)),
    NO_RESULTS,
  );
  return positions.reduce(
    (results, position) => withPositionResult(results, null, position),
    ended,
  );
}

function isTheSame(before: PositionRecord | null, after: PositionRecord): boolean {
  return (
    before !== null &&
    before.realizedPnl === after.realizedPnl &&
    before.feesUsdc === after.feesUsdc &&
    before.closedAtMs === after.closedAtMs
  );
}
