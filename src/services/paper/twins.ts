import { PAPER } from '../../../config/paper-limits.ts';
import type { AgentRecord } from '../../domain/agent.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import { groupKeyOf } from '../../domain/strategy/strategy-row.ts';
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

/** Twins of live agents, as many as there are different signals and sizes: an agent more costs a number. */
export interface Twins {
  readonly size: number;
  /**
   * Moves a live agent from its twin, null when it had none, to that of its record, null when it leaves. `joined.isNew` says that
   * the twin is to be enabled, `left` names one that stands beside nobody any more.
   */
  change(from: Twin | null, record: AgentRecord | null): { readonly joined: { readonly twin: Twin; readonly isNew: boolean } | null; readonly left: Twin | null };
}

/** What twins need. */
export interface TwinsDeps {
  readonly paper: Pick<PaperTrading, 'fund' | 'setTwins'>;
  readonly strategies: StrategyTable;
  readonly log: Log;
}

/** Makes the twins. They are derived from live agents and kept nowhere; what they trade is. */
export function createTwins({ paper, strategies, log }: TwinsDeps): Twins {
  const twins = new Map<string, Twin>();
  paper.setTwins((userId, agentId) => {
    const record = twins.get(userId)?.record;
    return record?.agentId === agentId ? record : null;
  });

  function twinFor(record: AgentRecord): { readonly twin: Twin; readonly isNew: boolean } | null {
    const row = strategies.row(record.agentId, record.settings.strategy);
    if (row === null) return null;
    const twinId = twinIdOf(record, groupKeyOf(row, record.settings));
    const known = twins.get(twinId);
    if (known !== undefined) return { twin: known, isNew: false };
    if (twins.size >= PAPER.twinsMaximum) {
      log.warn({ twins: twins.size }, 'paper.twins_full');
      return null;
    }
    const twin: Twin = { twinId, record: { ...record, userId: twinId, enabled: true, mode: 'paper' }, agents: 0 };
    twins.set(twinId, twin);
    paper.fund(twinId).catch((error: unknown) => log.error({ twinId, error }, 'paper.not_funded'));
    return { twin, isNew: true };
  }

  return {
    get size() {
      return twins.size;
    },
    change(from, record) {
      const joined = record === null ? null : twinFor(record);
      if (joined !== null && joined.twin === from) return { joined, left: null };
      if (joined !== null) joined.twin.agents += 1;
      if (from !== null) from.agents -= 1;
      const isLeft = from !== null && from.agents === 0;
      if (isLeft) twins.delete(from.twinId);
      return { joined, left: isLeft ? from : null };
    },
  };
}
