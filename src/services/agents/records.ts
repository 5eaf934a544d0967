import { AGENT } from '../../../config/limits.ts';
import type { AgentRecord } from '../../domain/agent.ts';
import type { FieldError } from '../../domain/errors.ts';
import { AppError } from '../../domain/errors.ts';
import type { AgentId, UserId } from '../../domain/ids.ts';
import type { AgentChoices } from '../../domain/settings.ts';
import { defaultSettings, parseSettings } from '../../domain/settings.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import { formatMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { groupKeyFor } from './roster.ts';
import { AGENT_SPELLS } from './tables.ts';
import type { Commit } from '../commit.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import { AGENTS } from '../tables.ts';

/** Durable records of agents. */
export interface AgentRecords {
  /** The record, or that of an agent nobody has touched. */
  read(userId: UserId, agentId: AgentId): AgentRecord;
  /** What enabling asks for and is not there. */
  missing(record: AgentRecord): readonly FieldError[];
  /** Errors: `unknown_setting`, `setting_out_of_range`. */
  updateSettings(userId: UserId, agentId: AgentId, patch: Readonly<Record<string, unknown>>): Promise<void>;
  /** Errors: `agent_not_ready` with what is missing. */
  enable(userId: UserId, agentId: AgentId): Promise<void>;
  disable(userId: UserId, agentId: AgentId): Promise<void>;
}

/** What records need. */
export interface AgentRecordsDeps {
  readonly store: StoreReader;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly portfolio: Pick<Portfolio, 'cash'>;
  readonly strategies: StrategyTable;
  /** What the wallet that orders move still waits for; absent where it needs nothing. */
  readonly walletMissing?: ((userId: UserId) => readonly string[]) | undefined;
}

/** Makes the records over the store. Each change reads and writes in one commit, so two at once follow one another. */
export function createAgentRecords({ store, commit, clock, portfolio, strategies, walletMissing = () => [] }: AgentRecordsDeps): AgentRecords {
  const choicesOf = (agentId: AgentId): AgentChoices => ({ agentId, rows: strategies.of(agentId) });

  function recordIn(reader: StoreReader, userId: UserId, agentId: AgentId): AgentRecord {
    return reader.get(AGENTS, [userId, agentId])?.value ?? {
      userId, agentId, enabled: false, settings: defaultSettings(choicesOf(agentId), AGENT), sizeChosen: false, strategyChosen: false, updatedAtMs: 0,
    };
  }

  function missing(record: AgentRecord): readonly FieldError[] {
    const faults: FieldError[] = [];
    const size = record.settings.avgPositionSize;
    const { available } = portfolio.cash(record.userId);
    if (!record.sizeChosen) faults.push({ path: '/avgPositionSize', message: 'choose a position size first' });
    if (!record.strategyChosen) faults.push({ path: '/strategy', message: 'choose a strategy first' });
    if (available < size) faults.push({ path: '/funds', message: `${formatMicros(available)} USDC is available, the position size asks for ${formatMicros(size)}` });
    for (const step of walletMissing(record.userId)) faults.push({ path: '/wallet', message: `the Safe waits for its ${step}, which comes by itself` });
    return faults;
  }

  async function change(userId: UserId, agentId: AgentId, edit: (current: AgentRecord) => AgentRecord): Promise<void> {
    await commit((tx) => {
      const current = recordIn(tx, userId, agentId);
      const edited = edit(current);
      if (edited === current) return;
      const next: AgentRecord = { ...edited, updatedAtMs: clock.nowMs() };
      tx.put(AGENTS, [userId, agentId], next);
      writeSpell(tx, strategies, current, next);
      tx.append({ type: 'agent.changed', userId, atMs: next.updatedAtMs, agent: next });
    });
  }

  return {
    read: (userId, agentId) => recordIn(store, userId, agentId),
    missing,
    updateSettings: (userId, agentId, patch) => change(userId, agentId, (current) => {
      const { settings, choosesSize, choosesStrategy } = parseSettings(patch, current.settings, choicesOf(agentId), AGENT);
      return { ...current, settings, sizeChosen: current.sizeChosen || choosesSize, strategyChosen: current.strategyChosen || choosesStrategy };
    }),
    enable: (userId, agentId) => change(userId, agentId, (current) => {
      if (current.enabled) return current;
      const fields = missing(current);
      if (fields.length > 0) throw new AppError('agent_not_ready', `${agentId} cannot be enabled: ${fields.map(({ message }) => message).join('; ')}`, { fields });
      return { ...current, enabled: true };
    }),
    disable: (userId, agentId) => change(userId, agentId, (current) => (current.enabled ? { ...current, enabled: false } : current)),
  };
}

/** Keeps the record of which signal the agent shared when, for its list of receipts. */
function writeSpell(tx: StoreWriter, strategies: StrategyTable, before: AgentRecord, after: AgentRecord): void {
  const { userId, agentId, updatedAtMs } = after;
  const left = before.enabled ? groupKeyFor(strategies, before) : null;
  const joined = after.enabled ? groupKeyFor(strategies, after) : null;
  if (left === joined) return;
  const newest = tx.range(AGENT_SPELLS, { prefix: [userId, agentId], reverse: true, limit: 1 })[0];
  if (newest !== undefined && newest.value.untilMs === null) tx.put(AGENT_SPELLS, newest.key, { ...newest.value, untilMs: updatedAtMs });
  if (joined !== null) tx.put(AGENT_SPELLS, [userId, agentId, updatedAtMs], { groupKey: joined, untilMs: null });
}
