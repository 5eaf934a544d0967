import { AGENT } from '../../../config/limits.ts';
import { toActorClock } from '../../../machines/actor-clock.ts';
import type { AgentActor, AgentEffects, AgentMachine } from '../../../machines/agent.ts';
import { createAgentActor, withAgentEffects } from '../../../machines/agent.ts';
import { btc5MinMachine } from '../../../machines/btc-5min.ts';
import { fifteenMinMachine } from '../../../machines/fifteen-min.ts';
import type { AgentRecord } from '../../domain/agent.ts';
import { AGENT_PROFILES } from '../../domain/agent.ts';
import type { AgentId, MarketId, UserId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { SignalTransition } from '../../domain/signal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import { createFanOut } from './fan-out.ts';
import { createReviews } from './review.ts';
import type { Group, Member } from './roster.ts';
import { createRoster } from './roster.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import { adviceOf } from './trading.ts';
import type { SignalSource } from './signal-source.ts';
import type { AgentActivity } from './agent-views.ts';
import type { Orders } from '../orders/orders.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import type { Receipts } from './receipts.ts';

/** Enabled agents in memory: who waits, who acts. */
export interface AgentsLife {
  readonly size: number;
  /** Brings the agent in line with its record, at once. */
  apply(record: AgentRecord): void;
  /** Enrols without looking for positions: a start reads those for all agents together. */
  enrol(record: AgentRecord): void;
  /** Takes up a position the agent holds; false when it is not enabled, acts already, or the round is over. */
  hold(position: Pick<PositionRecord, 'userId' | 'marketId' | 'outcome' | 'endsAtMs'> & { readonly agentId: AgentId }): boolean;
  activity(userId: UserId, agentId: AgentId): AgentActivity;
  onSignal(transition: SignalTransition): void;
  stop(): void;
}

/** What the life of agents needs. */
export interface AgentsLifeDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly signals: SignalSource;
  readonly strategies: StrategyTable;
  readonly orders: Pick<Orders, 'hasTraded'>;
  readonly portfolio: Pick<Portfolio, 'holdings'>;
  readonly receipts: Receipts;
  readonly effects: AgentEffects;
}

const ACTIVITIES: Readonly<Record<string, AgentActivity>> = { deciding: 'deciding', trading: 'trading', holding: 'holding', leaving: 'leaving' };

/** Makes the life of agents: a roster of all, and an actor for each that acts in a round. */
export function createAgentsLife({ clock, random, log, signals, strategies, orders, portfolio, receipts, effects }: AgentsLifeDeps): AgentsLife {
  const roster = createRoster(signals, strategies);
  const fanOut = createFanOut<Member>({ clock, random, chunk: AGENT.fanOutChunk, onError: (error) => log.error({ error }, 'agent.failed') });
  const reviews = createReviews({ clock, signals, portfolio, receipts, fanOut, log });
  const actorClock = toActorClock(clock);
  const machines: Readonly<Record<5 | 15, AgentMachine>> = {
    5: withAgentEffects(btc5MinMachine, effects),
    15: withAgentEffects(fifteenMinMachine, effects),
  };

  function begin(member: Member, marketId: MarketId, endsAtMs: number, held: OutcomeIndex | null): void {
    member.actor?.send({ type: 'agent.stop' });
    const { userId, agentId } = member;
    const lifeMs = endsAtMs - clock.nowMs();
    const actor = createAgentActor(machines[AGENT_PROFILES[agentId].minutes], { userId, agentId, marketId, lifeMs, held }, actorClock);
    member.actor = actor;
    member.marketId = marketId;
    actor.subscribe({
      next: (snapshot) => {
        if (snapshot.matches('holding') && snapshot.context.held !== null) reviews.add(member, marketId, snapshot.context.held);
      },
      complete: () => release(member, actor, marketId),
      error: (error) => {
        log.error({ userId, agentId, marketId, error }, 'agent.failed');
        release(member, actor, marketId);
      },
    });
    actor.start();
  }

  function release(member: Member, actor: AgentActor, marketId: MarketId): void {
    reviews.remove(member, marketId);
    if (member.actor === actor) member.actor = null;
  }

  /** Tells a member of a signal to enter. It judges again for itself: the signal may have changed while it waited its turn. */
  function offer(member: Member, { marketId, groupKey, view }: SignalTransition): void {
    const isMember = roster.find(member.userId, member.agentId) === member && member.group.key === groupKey;
    if (!isMember || view.endsAtMs <= clock.nowMs()) return;
    if (member.marketId !== marketId) {
      if (orders.hasTraded(member.userId, member.agentId, marketId)) return;
      begin(member, marketId, view.endsAtMs, null);
    }
    member.actor?.send({ type: 'signal.ready' });
  }

  function onSignal(transition: SignalTransition): void {
    const group = roster.group(transition.groupKey);
    const { marketId, decision } = transition;
    if (group === null || transition.view.endsAtMs <= clock.nowMs()) return;
    forgetPast(group, clock.nowMs());
    const notes = group.rounds.get(marketId)?.notes ?? 0;
    const isNoted = decision.verdict !== 'enter' && notes < AGENT.signalReceiptsPerRoundMaximum;
    group.rounds.set(marketId, { last: transition, notes: isNoted ? notes + 1 : notes });
    if (isNoted) note(group, transition);
    const told = decision.verdict === 'enter' ? [...group.members] : [];
    fanOut.push(`enter:${group.key}:${marketId}`, told, (member) => offer(member, transition));
    reviews.review(marketId);
  }

  function note(group: Group, { marketId, view, decision }: SignalTransition): void {
    receipts.note(group.key, { agentId: group.row.agentId, marketId }, adviceOf(group.row, view, decision)).catch((error: unknown) => {
      log.error({ groupKey: group.key, marketId, error }, 'receipt.failed');
    });
  }

  /** Lets an agent that was enabled in mid-round hear what its group heard. */
  function catchUp(member: Member): void {
    for (const { last } of member.group.rounds.values()) {
      if (last.decision.verdict === 'enter') fanOut.push(`join:${member.userId}:${member.agentId}:${last.marketId}`, [member], () => offer(member, last));
    }
  }

  function hold(position: Parameters<AgentsLife['hold']>[0]): boolean {
    const member = roster.find(position.userId, position.agentId);
    if (member === null || member.actor !== null || position.endsAtMs <= clock.nowMs()) return false;
    begin(member, position.marketId, position.endsAtMs, position.outcome);
    return true;
  }

  function apply(record: AgentRecord): void {
    const { userId, agentId } = record;
    if (!record.enabled) {
      roster.apply(record)?.actor?.send({ type: 'agent.stop' });
      return;
    }
    const before = roster.find(userId, agentId);
    const beforeKey = before?.group.key;
    const member = roster.apply(record);
    if (member === null || member.group.key === beforeKey) return;
    if (before === null) {
      for (const { position } of portfolio.holdings(userId, { type: 'open' })) if (position.agentId === agentId) hold({ ...position, agentId });
    }
    catchUp(member);
  }

  return {
    get size() {
      return roster.size;
    },
    apply,
    enrol(record) {
      const member = roster.apply(record);
      if (member !== null) catchUp(member);
    },
    hold,
    activity(userId, agentId) {
      const member = roster.find(userId, agentId);
      if (member === null) return 'disabled';
      return member.actor === null ? 'watching' : ACTIVITIES[member.actor.getSnapshot().value] ?? 'watching';
    },
    onSignal,
    stop() {
      fanOut.stop();
      for (const member of roster.members()) member.actor?.send({ type: 'agent.stop' });
      reviews.stop();
      roster.clear();
    },
  };
}

function forgetPast(group: Group, nowMs: number): void {
  for (const [marketId, { last }] of group.rounds) if (last.view.endsAtMs <= nowMs) group.rounds.delete(marketId);
}
