import { sharesMoved } from '../../domain/fill.ts';
import type { AgentId, TokenId, UserId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { StoreReader } from '../../ports/store.ts';
import { standingFills } from './kept-fills.ts';
import { FILLS, OPEN_FILLS, OPEN_ORDERS, ORDERS } from './tables.ts';

/** An agent of a user. */
export interface AgentOf {
  readonly userId: UserId;
  readonly agentId: AgentId;
}

/** True when an order of the agent's user was made by the agent. */
function isOrderOf({ intent: { origin } }: OrderRecord, { agentId }: AgentOf): boolean {
  return origin.kind === 'agent' && origin.agentId === agentId;
}

/** Orders of the agent that have not ended. At most ORDER.openPerUserMaximum. */
export function openOrdersOf(reader: StoreReader, agent: AgentOf): readonly OrderRecord[] {
  return reader
    .range(OPEN_ORDERS, { prefix: [agent.userId] })
    .flatMap(({ key }) => reader.get(ORDERS, key)?.value ?? [])
    .filter((order) => isOrderOf(order, agent));
}

/** True while a trade of the agent is neither settled nor reversed. */
export function hasOpenFills(reader: StoreReader, agent: AgentOf): boolean {
  return reader.range(OPEN_FILLS, { prefix: [agent.userId] }).some(({ key }) => {
    const intentId = reader.get(FILLS, key)?.value.intentId;
    const order =
      intentId === undefined ? undefined : reader.get(ORDERS, [agent.userId, intentId])?.value;
    return order !== undefined && isOrderOf(order, agent);
  });
}

/**
 * Shares of a token that the agent's own orders brought, less those they sold; trades that failed
 * to settle left out. Micros, never below zero.
 */
export function agentShares(reader: StoreReader, agent: AgentOf, tokenId: TokenId): number {
  const own = standingFills(reader, agent.userId, tokenId).filter(({ intentId }) => {
    const order = reader.get(ORDERS, [agent.userId, intentId])?.value;
    return order !== undefined && isOrderOf(order, agent);
  });
  return Math.max(
    0,
    own.reduce((sum, fill) => sum + (fill.side === 'buy' ? sharesMoved(fill) : -fill.shares), 0),
  );
}
