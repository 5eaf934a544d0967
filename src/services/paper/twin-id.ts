import type { AgentRecord } from '../../domain/agent.ts';
import type { UserId } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';

const PREFIX = 'twin:';

/**
 * Who the paper twin of an agent is: an account shared by all live agents with the same signal and the same sizes, so that a hundred
 * thousand agents alike have one twin.
 */
export function twinIdOf({ agentId, settings }: Pick<AgentRecord, 'agentId' | 'settings'>, groupKey: string): UserId {
  return asId<UserId>(`${PREFIX}${agentId}:${groupKey}:${settings.minPositionSize}:${settings.avgPositionSize}:${settings.maxPositionSize}`);
}

/** True for the account of a twin. */
export function isTwin(userId: string): boolean {
  return userId.startsWith(PREFIX);
}
