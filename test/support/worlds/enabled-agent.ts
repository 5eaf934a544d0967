import { AGENT } from '../../../config/limits.ts';
import type { AgentSettings } from '../../../src/domain/agent.ts';
import type { AgentId, UserId } from '../../../src/domain/ids.ts';
import { defaultSettings } from '../../../src/domain/settings.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';
import { AGENTS } from '../../../src/services/books/tables.ts';
import type { Life } from './trading-world.ts';

/** Writes an enabled agent, so that orders in its name are taken without its signals. */
export async function anEnabledAgent(
  life: Pick<Life, 'commit'>,
  userId: UserId,
  {
    agentId = 'btc_5min',
    settings = {},
    enabled = true,
  }: {
    readonly agentId?: AgentId;
    readonly settings?: Partial<AgentSettings>;
    readonly enabled?: boolean;
  } = {},
): Promise<void> {
  await life.commit((tx) =>
    tx.put(AGENTS, [userId, agentId], {
      userId,
      agentId,
      enabled,
      settings: {
        ...defaultSettings({ agentId, rows: STRATEGIES.of(agentId) }, AGENT),
        ...settings,
      },
      updatedAtMs: 1,
    }),
  );
}
