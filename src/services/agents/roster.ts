import type { AgentActor } from '../../../machines/agent.ts';
import { modeOf, type AgentMode, type AgentRecord } from '../../domain/agent.ts';
import { assert } from '../../domain/errors.ts';
import { farmVenueOf } from '../../domain/farming/venues.ts';
import type { AgentId, MarketId, UserId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import type { SignalTransition } from '../../domain/signal.ts';
import {
  groupKeyOf,
  type StrategyRow,
  type StrategyTable,
  type JudgeSettings,
} from '../../domain/strategy/strategy-row.ts';
import type { Line } from '../execution/fan-out.ts';
import type { SignalSource } from './signal-source.ts';
import type { ShadowRun } from '../paper/shadow-runs.ts';

/**
 * What is kept of an agent that holds a position and has nothing to do: these few fields stand for
 * its actor, which is some kilobytes.
 */
interface Parked {
  readonly held: OutcomeIndex;
  /** When the round ends, epoch ms: the position is the market's then. */
  readonly endsAtMs: number;
  /** Sales tried in this round. */
  readonly exits: number;
  /** When it may be offered for sale again, epoch ms. */
  readonly offeredFromMs: number;
}

/** An enabled agent of a user. Idle it costs these few fields: no actor, no timer, no closure. */
export interface Member {
  readonly userId: UserId;
  readonly agentId: AgentId;
  /** Fixed while it is enabled. */
  readonly mode: AgentMode;
  /** Its shadow run; null on paper, and without one. */
  shadow: ShadowRun | null;
  group: Group;
  /** The actor of the round it acts in; null while it waits, for a signal or with a position. */
  actor: AgentActor | null;
  /** The position it waits with; null without one, or an actor. */
  parked: Parked | null;
  /** The market it acts in, or the last one acted in: no second actor for it. */
  marketId: MarketId | null;
}

/** Agents that share a judge. */
export interface Group {
  readonly key: string;
  readonly row: StrategyRow;
  /** What its judge reads of the settings of all its members. */
  readonly settings: JudgeSettings;
  readonly members: Set<Member>;
  /** Who comes first at its next signal, where the last did not reach all. */
  readonly line: Line<Member>;
  /** Rounds that are not over, by market. */
  readonly rounds: Map<MarketId, GroupRound>;
}

/** What a group heard of one round. */
interface GroupRound {
  /** The newest transition, for those who join in mid-round. */
  readonly last: SignalTransition;
  /** Shared receipts written so far. */
  readonly notes: number;
}

/** Enabled agents, by user and by shared judge. */
export interface Roster {
  readonly size: number;
  find(userId: UserId, agentId: AgentId): Member | null;
  group(key: string): Group | null;
  members(): Iterable<Member>;
  /** How many there are of an agent. */
  count(agentId: AgentId): number;
  /**
   * Brings the roster in line with a record: enrols, moves to another group, or withdraws. Gives
   * the member as it was left.
   */
  apply(record: AgentRecord): Member | null;
  clear(): void;
}

/** Key of the judge for these settings. */
export function groupKeyFor(
  strategies: StrategyTable,
  record: Pick<AgentRecord, 'agentId' | 'settings'>,
): string {
  const farm = farmVenueOf(record.agentId);
  // What a farming agent's own settings say, caps and stop, is no part of the judgement of a
  // market: all of a venue share it.
  if (farm !== null) return farm.agentId;
  return groupKeyOf(rowOf(strategies, record), record.settings);
}

/** Row of the record's strategy. Settings are validated before they are stored, so there is one. */
export function rowOf(
  strategies: StrategyTable,
  { agentId, settings }: Pick<AgentRecord, 'agentId' | 'settings'>,
): StrategyRow {
  const row = strategies.row(agentId, settings.strategy);
  assert(row !== null, `${agentId} has no strategy ${settings.strategy}`);
  return row;
}

/** Makes an empty roster; a judge is registered for each group that has members. */
export function createRoster(signals: SignalSource, strategies: StrategyTable): Roster {
  const members = new Map<string, Member>();
  const groups = new Map<string, { readonly group: Group; unregister: () => void }>();

  function groupFor(record: AgentRecord): Group {
    const row = rowOf(strategies, record);
    const key = groupKeyOf(row, record.settings);
    const known = groups.get(key);
    if (known !== undefined) return known.group;
    const { inferenceDifferenceMicros } = record.settings;
    const group: Group = {
      key,
      row,
      settings: { inferenceDifferenceMicros },
      members: new Set(),
      line: { next: null },
      rounds: new Map(),
    };
    // In place before it is registered: open rounds are judged at once, and the first word must
    // find the group.
    const entry = { group, unregister: (): void => undefined };
    groups.set(key, entry);
    entry.unregister = signals.register({
      groupKey: key,
      agentId: row.agentId,
      strategy: row.strategy,
      judge: row.judgeFor(record.settings),
    });
    return group;
  }

  function leave(member: Member): void {
    member.group.members.delete(member);
    if (member.group.members.size > 0) return;
    groups.get(member.group.key)?.unregister();
    groups.delete(member.group.key);
  }

  function enrol(record: AgentRecord): Member {
    const key = keyOf(record.userId, record.agentId);
    const known = members.get(key);
    if (known !== undefined && known.group.key === groupKeyFor(strategies, record)) return known;
    const group = groupFor(record);
    const member = known ?? {
      userId: record.userId,
      agentId: record.agentId,
      mode: modeOf(record),
      shadow: null,
      group,
      actor: null,
      parked: null,
      marketId: null,
    };
    if (known !== undefined) leave(known);
    member.group = group;
    group.members.add(member);
    members.set(key, member);
    return member;
  }

  function withdraw(record: AgentRecord): Member | null {
    const key = keyOf(record.userId, record.agentId);
    const member = members.get(key) ?? null;
    if (member === null) return null;
    members.delete(key);
    leave(member);
    return member;
  }

  return {
    get size() {
      return members.size;
    },
    find: (userId, agentId) => members.get(keyOf(userId, agentId)) ?? null,
    group: (key) => groups.get(key)?.group ?? null,
    members: () => members.values(),
    count(agentId) {
      let count = 0;
      for (const { group } of groups.values())
        if (group.row.agentId === agentId) count += group.members.size;
      return count;
    },
    apply: (record) => (record.enabled ? enrol(record) : withdraw(record)),
    clear() {
      for (const { unregister } of groups.values()) unregister();
      groups.clear();
      members.clear();
    },
  };
}

function keyOf(userId: UserId, agentId: AgentId): string {
  return `${userId}/${agentId}`;
}

/** Forgets a group's rounds that have ended. */
export function forgetPast(group: Group, nowMs: number): void {
  for (const [marketId, { last }] of group.rounds)
    if (last.view.endsAtMs <= nowMs) group.rounds.delete(marketId);
}
