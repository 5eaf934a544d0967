import { AGENT } from '../../../config/limits.ts';
import { PAPER } from '../../../config/limits/paper.ts';
import type { AgentRecord, AgentSettings } from '../../domain/agent.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import { MICROS_PER_UNIT, usdcMicros } from '../../domain/units.ts';
import type { Log } from '../../ports/log.ts';
import type { PaperTrading } from './paper-trading.ts';
import { twinIdOf } from './twin-id.ts';

/** The paper twin of all live agents with one signal and one choice of sizes: an agent on paper like any other. */
export interface Twin {
  readonly twinId: UserId;
  readonly record: AgentRecord;
  /** Live agents it stands beside. */
  agents: number;
}

/** A live agent that a twin may stand beside; null while none does. */
export interface Twinned {
  twin: Twin | null;
}

/** Twins of live agents, as many as there are different signals and sizes: an agent more costs a number. */
export interface Twins {
  readonly size: number;
  /** Gives a live agent the twin of its record, null when it leaves; who is the first or the last beside a twin enables or disables it. */
  pair(agent: Twinned, record: AgentRecord | null): void;
}

/** What twins need. */
export interface TwinsDeps {
  readonly paper: Pick<PaperTrading, 'fund' | 'setTwins'>;
  readonly strategies: StrategyTable;
  /** Brings a twin in line with its record, as any agent on paper. */
  readonly apply: (record: AgentRecord) => void;
  readonly log: Log;
}

/** Makes the twins. They are derived from live agents and kept nowhere; what they trade is. */
export function createTwins({ paper, strategies, apply, log }: TwinsDeps): Twins {
  const twins = new Map<string, Twin>();
  paper.setTwins((userId, agentId) => {
    const record = twins.get(userId)?.record;
    return record?.agentId === agentId ? record : null;
  });

  function twinFor(record: AgentRecord): { readonly twin: Twin; readonly isNew: boolean } | null {
    const twinId = twinIdOf(strategies, record);
    if (twinId === null) return null;
    const known = twins.get(twinId);
    if (known !== undefined) return { twin: known, isNew: false };
    if (twins.size >= PAPER.twinsMaximum) {
      log.warn({ twins: twins.size }, 'paper.twins_full');
      return null;
    }
    const twin: Twin = {
      twinId,
      record: {
        ...record,
        userId: twinId,
        enabled: true,
        mode: 'paper',
        settings: uncapped(record.settings),
      },
      agents: 0,
    };
    twins.set(twinId, twin);
    paper.fund(twinId).catch((error: unknown) => log.error({ twinId, error }, 'paper.not_funded'));
    return { twin, isNew: true };
  }

  return {
    get size() {
      return twins.size;
    },
    pair(agent, record) {
      const before = agent.twin;
      const joined = record === null ? null : twinFor(record);
      if (before !== null && joined?.twin === before) return;
      agent.twin = joined?.twin ?? null;
      if (joined !== null) joined.twin.agents += 1;
      if (before !== null) before.agents -= 1;
      if (before?.agents === 0) {
        twins.delete(before.twinId);
        apply({ ...before.record, enabled: false });
      }
      if (joined?.isNew === true) apply(joined.twin.record);
    },
  };
}

/** A twin stands beside many: what holds it back must be the market, never caps that one of them has used up. */
function uncapped(settings: AgentSettings): AgentSettings {
  if (settings.farming === undefined) return settings;
  const { openPositionsMaximum, totalExposureMaximumUsd } = AGENT.farming;
  return {
    ...settings,
    farming: {
      ...settings.farming,
      maxOpenPositions: openPositionsMaximum,
      maxTotalExposure: usdcMicros(totalExposureMaximumUsd * MICROS_PER_UNIT),
    },
  };
}
