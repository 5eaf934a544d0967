import type { AgentId, TokenId, UserId } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { StoreReader } from '../../ports/store.ts';
import { OPEN_POSITIONS, POSITIONS } from '../tables.ts';

/** A position an agent opened. */
export type AgentPosition = PositionRecord & { readonly agentId: AgentId };

/** Open positions of agents, read from the table of open ones: the cost follows what is held, not the past. */
export function* openAgentPositions(store: StoreReader): Generator<AgentPosition> {
  for (const { key } of store.range(OPEN_POSITIONS)) {
    const userId = asId<UserId>(String(key[1]));
    const position = store.get(POSITIONS, [userId, asId<TokenId>(String(key[2]))])?.value;
    if (position === undefined || position.agentId === null) continue;
    yield { ...position, agentId: position.agentId };
  }
}
