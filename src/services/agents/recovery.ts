import type { AgentRecord } from '../../domain/agent.ts';
import { asId, type AgentId, type TokenId, type UserId } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { StoreReader } from '../../ports/store.ts';
import { AGENTS, OPEN_POSITIONS, POSITIONS } from '../books/tables.ts';

/**
 * Records read from the store at a time: a start with a hundred thousand agents holds no more of
 * them at once.
 */
const PAGE = 1_000;

/** Every agent on record, enabled or not. */
export function* allAgents(store: StoreReader): Generator<AgentRecord> {
  for (
    let page = store.range(AGENTS, { limit: PAGE });
    page.length > 0;
    page = store.range(AGENTS, { after: page.at(-1)?.key ?? [], limit: PAGE })
  ) {
    for (const { value } of page) yield value;
  }
}

/** A position an agent opened. */
export type AgentPosition = PositionRecord & { readonly agentId: AgentId };

/**
 * Open positions of agents, read from the table of open ones: the cost follows what is held, not
 * the past.
 */
export function* openAgentPositions(store: StoreReader): Generator<AgentPosition> {
  for (const { key } of store.range(OPEN_POSITIONS)) {
    const userId = asId<UserId>(String(key[1]));
    const position = store.get(POSITIONS, [userId, asId<TokenId>(String(key[2]))])?.value;
    if (position === undefined || position.agentId === null) continue;
    yield { ...position, agentId: position.agentId };
  }
}
