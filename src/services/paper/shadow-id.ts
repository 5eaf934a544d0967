import type { AgentRecord } from '../../domain/agent.ts';
import type { FarmSettings } from '../../domain/farming/settings.ts';
import { farmVenueOf } from '../../domain/farming/venues.ts';
import { asId, type UserId } from '../../domain/ids.ts';
import { SHADOW_PREFIX } from '../../domain/shadow-account.ts';
import { groupKeyOf, type StrategyTable } from '../../domain/strategy/strategy-row.ts';

/**
 * Who the shadow run of an agent is: an account shared by all live agents with the same signal and
 * the same sizes, for farming with the same stop and window, so that a hundred thousand agents
 * alike have one shadow run. Null where the agent's strategy no longer exists.
 */
export function shadowIdOf(
  strategies: StrategyTable,
  { agentId, settings }: Pick<AgentRecord, 'agentId' | 'settings'>,
): UserId | null {
  const row = strategies.row(agentId, settings.strategy);
  const signal =
    farmVenueOf(agentId) !== null
      ? farmSignalOf(settings.farming)
      : row === null
        ? undefined
        : groupKeyOf(row, settings);
  if (signal === undefined) return null;
  return asId<UserId>(
    `${SHADOW_PREFIX}${agentId}:${signal}:${settings.minPositionSize}:${settings.avgPositionSize}:${settings.maxPositionSize}`,
  );
}

function farmSignalOf(farming: FarmSettings | undefined): string | undefined {
  if (farming === undefined) return undefined;
  const { stopLossPerMille, window } = farming;
  if (window === undefined) return String(stopLossPerMille);
  const { probabilityMinimumTicks, probabilityMaximumTicks, endsWithinHours } = window;
  return `${stopLossPerMille}/${probabilityMinimumTicks}/${probabilityMaximumTicks}/${endsWithinHours}`;
}
