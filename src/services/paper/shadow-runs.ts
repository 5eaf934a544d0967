import { AGENT } from '../../../config/limits.ts';
import { PAPER } from '../../../config/limits/paper.ts';
import type { AgentRecord, AgentSettings } from '../../domain/agent.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import { MICROS_PER_UNIT, usdcMicros } from '../../domain/units.ts';
import type { Log } from '../../ports/log.ts';
import type { PaperTrading } from './paper-trading.ts';
import { shadowIdOf } from './shadow-id.ts';

/**
 * The shadow run of all live agents with one signal and one choice of sizes: an agent on paper like
 * any other.
 */
export interface ShadowRun {
  readonly shadowId: UserId;
  readonly record: AgentRecord;
  /** Live agents it is beside. */
  agents: number;
}

/** A live agent that a shadow run may stand beside; null while none does. */
export interface Shadowed {
  shadow: ShadowRun | null;
}

/**
 * Shadow runs of live agents, as many as there are different signals and sizes: an agent more costs
 * a number.
 */
export interface ShadowRuns {
  readonly size: number;
  /**
   * Gives a live agent the shadow run of its record, null when it leaves; who is the first or the
   * last beside a shadow run enables or disables it.
   */
  pair(agent: Shadowed, record: AgentRecord | null): void;
}

/**
 * Makes the shadow runs. They are derived from live agents and kept nowhere; what they trade is.
 */
export function createShadowRuns({
  paper,
  strategies,
  apply,
  log,
}: {
  readonly paper: Pick<PaperTrading, 'fund' | 'setShadows'>;
  readonly strategies: StrategyTable;
  /** Brings a shadow run in line with its record, as any agent on paper. */
  readonly apply: (record: AgentRecord) => void;
  readonly log: Log;
}): ShadowRuns {
  const shadows = new Map<string, ShadowRun>();
  paper.setShadows((userId, agentId) => {
    const record = shadows.get(userId)?.record;
    return record?.agentId === agentId ? record : null;
  });

  function shadowFor(
    record: AgentRecord,
  ): { readonly shadow: ShadowRun; readonly isNew: boolean } | null {
    const shadowId = shadowIdOf(strategies, record);
    if (shadowId === null) return null;
    const known = shadows.get(shadowId);
    if (known !== undefined) return { shadow: known, isNew: false };
    if (shadows.size >= PAPER.shadowsMaximum) {
      log.warn({ shadows: shadows.size }, 'paper.shadow_runs_full');
      return null;
    }
    const shadow: ShadowRun = {
      shadowId,
      record: {
        ...record,
        userId: shadowId,
        enabled: true,
        mode: 'paper',
        settings: uncapped(record.settings),
      },
      agents: 0,
    };
    shadows.set(shadowId, shadow);
    paper
      .fund(shadowId)
      .catch((error: unknown) => log.error({ shadowId, error }, 'paper.not_funded'));
    return { shadow, isNew: true };
  }

  return {
    get size() {
      return shadows.size;
    },
    pair(agent, record) {
      const before = agent.shadow;
      const joined = record === null ? null : shadowFor(record);
      if (before !== null && joined?.shadow === before) return;
      agent.shadow = joined?.shadow ?? null;
      if (joined !== null) joined.shadow.agents += 1;
      if (before !== null) before.agents -= 1;
      if (before?.agents === 0) {
        shadows.delete(before.shadowId);
        apply({ ...before.record, enabled: false });
      }
      if (joined?.isNew === true) apply(joined.shadow.record);
    },
  };
}

/**
 * A shadow run is compared with many: only the market may limit it, never caps that one of them has
 * used up.
 */
function uncapped(settings: AgentSettings): AgentSettings {
  if (settings.farming === undefined) return settings;
  const { openPositionsMaximum, totalExposureMaximumUsd, dailyLossMaximumUsd } = AGENT.farming;
  const { maxTotalExposure, maxDailyLoss } = settings.farming;
  return {
    ...settings,
    farming: {
      ...settings.farming,
      maxOpenPositions: openPositionsMaximum,
      ...(maxTotalExposure === undefined
        ? {}
        : { maxTotalExposure: usdcMicros(totalExposureMaximumUsd * MICROS_PER_UNIT) }),
      ...(maxDailyLoss === undefined
        ? {}
        : { maxDailyLoss: usdcMicros(dailyLossMaximumUsd * MICROS_PER_UNIT) }),
    },
  };
}
