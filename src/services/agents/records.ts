import { AGENT } from '../../../config/limits.ts';
import {
  AGENT_MODES,
  AGENT_PROFILES,
  modeOf,
  type AgentMode,
  type AgentRecord,
  type StopPolicy,
} from '../../domain/agent.ts';
import { AppError, type FieldError } from '../../domain/errors.ts';
import { AGENT_IDS, type AgentId, type UserId, type VenueId } from '../../domain/ids.ts';
import {
  choicesOf,
  defaultSettings,
  parseSettings,
  type AgentChoices,
} from '../../domain/settings.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import { formatMicros } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { groupKeyFor } from './roster.ts';
import { noteStop, tellStopped, type StoppedAgent } from './stops.ts';
import { ENABLED_PERIODS } from '../execution/tables.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import { AGENTS, UNWINDS, tableOf } from '../books/tables.ts';

/** Durable records of agents. */
export interface AgentRecords {
  /** The record, or that of an untouched agent. */
  read(userId: UserId, agentId: AgentId): AgentRecord;
  /** What enabling asks for and is not there. */
  missing(record: AgentRecord, mode?: AgentMode): readonly FieldError[];
  /**
   * `enabled` may be sent as it is, so that what was read can be written. Errors:
   * `unknown_setting`, `setting_out_of_range`.
   */
  updateSettings(
    userId: UserId,
    agentId: AgentId,
    patch: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /**
   * `onStop` says what a stop will do, on an enabled agent too; absent, it stays as it was;
   * `lacking` is what else its user lacks. Errors: `agent_not_ready` with what is missing.
   */
  enable(
    userId: UserId,
    agentId: AgentId,
    choice?: EnableChoice,
    lacking?: readonly FieldError[],
  ): Promise<void>;
  /** Disables the agent, with what its stop is to end. One that is not enabled stays as it is. */
  stop(userId: UserId, agentId: AgentId): Promise<StoppedAgent>;
  /** The same for all agents of the user, in one commit. */
  stopAll(userId: UserId): Promise<readonly StoppedAgent[]>;
}

/**
 * What is chosen when an agent is enabled; what is absent stays as it was, and the mode is live.
 */
export interface EnableChoice {
  readonly onStop?: StopPolicy;
  readonly mode?: AgentMode;
}

export interface AgentRecordsDeps extends Pick<Runtime, 'commit' | 'clock'> {
  readonly store: StoreReader;
  readonly portfolio: Pick<Portfolio, 'cashAt'>;
  readonly strategies: StrategyTable;
  /** What the wallet that pays at a venue still waits for; absent where none needs anything. */
  readonly walletMissing?: ((userId: UserId, venue: VenueId) => readonly string[]) | undefined;
  /** Whether a venue is among those of this service, open or not; all are where absent. */
  readonly isServed?: ((venue: VenueId) => boolean) | undefined;
}

/**
 * Makes the records over the store. Each change reads and writes in one commit, so two at once
 * follow one another.
 */
export function createAgentRecords({
  store,
  commit,
  clock,
  portfolio,
  strategies,
  walletMissing = () => [],
  isServed = () => true,
}: AgentRecordsDeps): AgentRecords {
  const choices = (agentId: AgentId): AgentChoices => choicesOf(strategies, agentId);

  function recordIn(reader: StoreReader, userId: UserId, agentId: AgentId): AgentRecord {
    return (
      reader.get(AGENTS, [userId, agentId])?.value ?? {
        userId,
        agentId,
        enabled: false,
        settings: defaultSettings(choices(agentId), AGENT),
        updatedAtMs: 0,
      }
    );
  }

  function missing(record: AgentRecord, mode: AgentMode = 'live'): readonly FieldError[] {
    const faults: FieldError[] = [];
    const size = record.settings.avgPositionSize;
    if (mode === 'paper') return faults;
    const { venue } = AGENT_PROFILES[record.agentId];
    if (!isServed(venue)) return [{ path: '/venue', message: `${venue} is not served here` }];
    const { available } = portfolio.cashAt(record.userId, venue);
    if (available < size)
      faults.push({
        path: '/funds',
        code: 'insufficient_funds',
        message: `${formatMicros(available)} USDC is available, the position size asks for ${formatMicros(size)}`,
      });
    for (const step of walletMissing(record.userId, venue))
      faults.push({
        path: '/wallet',
        code: 'wallet_not_ready',
        message: `the Safe waits for its ${step}, which comes by itself`,
      });
    return faults;
  }

  function put(tx: StoreWriter, current: AgentRecord, edited: AgentRecord): void {
    const { userId, agentId } = current;
    const next: AgentRecord = { ...edited, updatedAtMs: clock.nowMs() };
    tx.put(AGENTS, [userId, agentId], next);
    writeEnabledPeriod(tx, strategies, current, next);
    tx.append({ type: 'agent.changed', userId, atMs: next.updatedAtMs, agent: next });
  }

  async function change(
    userId: UserId,
    agentId: AgentId,
    edit: (current: AgentRecord, tx: StoreWriter) => AgentRecord,
  ): Promise<void> {
    await commit((tx) => {
      const current = recordIn(tx, userId, agentId);
      const edited = edit(current, tx);
      if (edited !== current) put(tx, current, edited);
    });
  }

  function stop(tx: StoreWriter, userId: UserId, agentId: AgentId): StoppedAgent {
    const current = recordIn(tx, userId, agentId);
    const stopped = noteStop(tx, current, clock.nowMs());
    if (current.enabled) put(tx, current, { ...current, enabled: false });
    return stopped;
  }

  return {
    read: (userId, agentId) => recordIn(store, userId, agentId),
    missing,
    updateSettings: (userId, agentId, patch) =>
      change(userId, agentId, (current) => {
        const { enabled, ...settings } = patch;
        assertSwitchStays(enabled, current);
        return {
          ...current,
          settings: parseSettings(settings, current.settings, choices(agentId), AGENT),
        };
      }),
    enable: (userId, agentId, { onStop, mode: wanted } = {}, lacking = []) =>
      change(userId, agentId, (current, tx) => {
        const mode = wanted ?? (current.enabled ? modeOf(current) : 'live');
        const chosen =
          onStop === undefined || onStop === current.onStop ? current : { ...current, onStop };
        if (current.enabled && modeOf(current) !== mode)
          throw new AppError(
            'agent_enabled',
            `${agentId} is enabled ${modeOf(current) === 'live' ? 'with real money' : 'on paper'}; disable it before it is enabled the other way`,
          );
        if (current.enabled) return chosen;
        const fields = [...missing(current, mode), ...(mode === 'paper' ? [] : lacking)];
        if (fields.length > 0)
          throw new AppError(
            'agent_not_ready',
            `${agentId} cannot be enabled: ${fields.map(({ message }) => message).join('; ')}`,
            { fields },
          );
        // Enabling is a request of its own: what a stop was still ending is the agent's again.
        for (const each of AGENT_MODES) tx.remove(tableOf(each, UNWINDS), [userId, agentId]);
        const { mode: _before, ...rest } = chosen;
        return { ...rest, enabled: true, ...(mode === 'paper' ? { mode } : {}) };
      }),
    stop: (userId, agentId) => commit((tx) => stop(tx, userId, agentId)),
    stopAll: (userId) =>
      commit((tx) => {
        const agents = AGENT_IDS.map((agentId) => stop(tx, userId, agentId));
        tellStopped(tx, userId, agents, clock.nowMs());
        return agents;
      }),
  };
}

/**
 * Settings as they are read say whether the agent is enabled; writing them does not enable or
 * disable it.
 */
function assertSwitchStays(enabled: unknown, current: AgentRecord): void {
  if (enabled === undefined || enabled === current.enabled) return;
  const message = `is ${current.enabled} and is changed by enabling or disabling the agent`;
  throw new AppError('setting_out_of_range', `enabled: ${message}`, {
    fields: [{ path: '/enabled', message }],
  });
}

/** Keeps the record of which signal the agent shared when, for its list of receipts. */
function writeEnabledPeriod(
  tx: StoreWriter,
  strategies: StrategyTable,
  before: AgentRecord,
  after: AgentRecord,
): void {
  const { userId, agentId, updatedAtMs } = after;
  const left = before.enabled ? groupKeyFor(strategies, before) : null;
  const joined = after.enabled ? groupKeyFor(strategies, after) : null;
  if (left === joined) return;
  const newest = tx.range(ENABLED_PERIODS, {
    prefix: [userId, agentId],
    reverse: true,
    limit: 1,
  })[0];
  if (newest !== undefined && newest.value.untilMs === null)
    tx.put(ENABLED_PERIODS, newest.key, { ...newest.value, untilMs: updatedAtMs });
  if (joined !== null)
    tx.put(ENABLED_PERIODS, [userId, agentId, updatedAtMs], { groupKey: joined, untilMs: null });
}
