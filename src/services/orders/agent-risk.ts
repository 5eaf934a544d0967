import type { AgentId, TokenId, UserId } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import type { RiskState, TokenRisk } from '../../domain/risk.ts';
import type { StoreReader } from '../../ports/store.ts';
import { riskOf } from '../portfolio/record-changes.ts';
import { OPEN_ORDERS, ORDERS, POSITIONS } from '../tables.ts';

/**
 * The part of what a user has at risk that is one agent's: tokens whose position it opened, and tokens it has an open order
 * in. Reads what is open and not the past. What the user lost in the day has no owner and is left out.
 */
export function agentRisk(reader: StoreReader, userId: UserId, agentId: AgentId): RiskState {
  const state = riskOf(reader, userId);
  const ordered = tokensOrdered(reader, userId, agentId);
  const tokens: Record<string, TokenRisk> = {};
  for (const [token, risk] of Object.entries(state.tokens)) {
    const tokenId = asId<TokenId>(token);
    if (ordered.has(tokenId) || reader.get(POSITIONS, [userId, tokenId])?.value.agentId === agentId) tokens[token] = risk;
  }
  return { tokens, outgoingUsdc: 0, day: state.day, realisedUsdc: 0 };
}

function tokensOrdered(reader: StoreReader, userId: UserId, agentId: AgentId): ReadonlySet<TokenId> {
  const intents = reader.range(OPEN_ORDERS, { prefix: [userId] }).flatMap(({ key }) => reader.get(ORDERS, key)?.value.intent ?? []);
  return new Set(intents.filter(({ origin }) => origin.kind === 'agent' && origin.agentId === agentId).map(({ tokenId }) => tokenId));
}
