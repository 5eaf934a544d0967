import type { AgentId, IntentId } from '../domain/ids.ts';
import { asId } from '../domain/ids.ts';
import type { TokenId, UserId } from '../domain/ids.ts';
import type { PositionRecord } from '../domain/position.ts';
import type { StoreReader } from '../ports/store.ts';
import { AGENT_MARKETS, OPEN_POSITIONS, POSITIONS } from './tables.ts';

/** A position an agent opened, with the order that opened it. */
export type AgentPosition = PositionRecord & { readonly agentId: AgentId; readonly intentId: IntentId };

/** Open positions of agents, read from the table of open ones: the cost follows what is held, not the past. */
export function* openAgentPositions(store: StoreReader): Generator<AgentPosition> {
  for (const { key } of store.range(OPEN_POSITIONS)) {
    const userId = asId<UserId>(String(key[1]));
    const position = store.get(POSITIONS, [userId, asId<TokenId>(String(key[2]))])?.value;
    if (position === undefined || position.agentId === null) continue;
    const { agentId } = position;
    const traded = store.get(AGENT_MARKETS, [userId, agentId, position.marketId])?.value;
    if (traded !== undefined) yield { ...position, agentId, intentId: traded.intentId };
  }
}
