import { AGENT } from '../../../config/limits.ts';
import { toActorClock } from '../../../machines/actor-clock.ts';
import type { AgentActor, AgentEffects, AgentInput, AgentMachine, AgentRef } from '../../../machines/agent.ts';
import { createAgentActor, withAgentEffects } from '../../../machines/agent.ts';
import { btc5MinMachine } from '../../../machines/btc-5min.ts';
import { fifteenMinMachine } from '../../../machines/fifteen-min.ts';
import type { AgentRecord } from '../../domain/agent.ts';
import { roundProfile } from '../../domain/agent.ts';
import type { AgentId, MarketId, UserId } from '../../domain/ids.ts';
import { AGENT_IDS } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { SignalTransition } from '../../domain/signal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { AgentBid } from './bids.ts';
import { bidLeftMs, bidOf } from './bids.ts';
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
import { TRADED_MARKETS } from '../tables.ts';
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
  /** Takes up a bid of the agent that rests; false as with `hold`. */
  rest(bid: AgentBid): boolean;
  /** Tells the agent that its entry has ended, and whether anything of it was filled. */
  entryEnded(ref: AgentRef, isHeld: boolean): void;
  activity(userId: UserId, agentId: AgentId): AgentActivity;
  /** How many of an agent are enrolled. */
  count(agentId: AgentId): number;
  /** What held the user's agents back is over: those whose signal says enter hear it again. */
  wake(userId: UserId): void;
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
  readonly store: StoreReader;
  readonly orders: Pick<Orders, 'hasTraded' | 'listOpen'>;
  readonly portfolio: Pick<Portfolio, 'holdings'>;
  readonly receipts: Receipts;
  readonly effects: AgentEffects;
}

const ACTIVITIES: Readonly<Record<string, AgentActivity>> = { deciding: 'deciding', trading: 'trading', resting: 'resting', withdrawing: 'resting', holding: 'holding', leaving: 'leaving' };

/** Makes the life of agents: a roster of all, and an actor for each that acts in a round. */
export function createAgentsLife({ store, clock, random, log, signals, strategies, orders, portfolio, receipts, effects }: AgentsLifeDeps): AgentsLife {
  const roster = createRoster(signals, strategies);
  const acting = counting(effects);
  const fanOut = createFanOut<Member>({ clock, random, chunk: AGENT.fanOutChunk, room: { isThere: () => acting.now() < AGENT.actingMaximum, pauseMs: AGENT.fanOutPauseMs }, onError: (error) => log.error({ error }, 'agent.failed') });
  const reviews = createReviews({ store, clock, signals, portfolio, receipts, fanOut, log });
  const actorClock = toActorClock(clock);
  const machines: Readonly<Record<5 | 15, AgentMachine>> = {
    5: withAgentEffects(btc5MinMachine, acting.effects),
    15: withAgentEffects(fifteenMinMachine, acting.effects),
  };

  function begin(member: Member, marketId: MarketId, endsAtMs: number, start: Pick<AgentInput, 'held' | 'bidLeftMs'>): void {
    member.actor?.send({ type: 'agent.stop' });
    const { userId, agentId } = member;
    const lifeMs = endsAtMs - clock.nowMs();
    const actor = createAgentActor(machines[roundProfile(agentId).minutes], { userId, agentId, marketId, lifeMs, ...start }, actorClock);
    member.actor = actor;
    member.marketId = marketId;
    actor.subscribe({
      next: (snapshot) => {
        const { held } = snapshot.context;
        if (held === null) return;
        if (snapshot.matches('holding')) reviews.add(member, marketId, { kind: 'position', outcome: held });
        if (snapshot.matches('resting')) reviews.add(member, marketId, { kind: 'bid', outcome: held });
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
      begin(member, marketId, view.endsAtMs, { held: null, bidLeftMs: null });
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
    begin(member, position.marketId, position.endsAtMs, { held: position.outcome, bidLeftMs: null });
    return true;
  }

  function rest(bid: AgentBid): boolean {
    const member = roster.find(bid.userId, bid.agentId);
    const endsAtMs = store.get(TRADED_MARKETS, [bid.marketId])?.value.endsAtMs ?? 0;
    if (member === null || member.actor !== null || endsAtMs <= clock.nowMs()) return false;
    begin(member, bid.marketId, endsAtMs, { held: bid.outcome, bidLeftMs: bidLeftMs(bid, clock) });
    return true;
  }

  /** Takes up what the agent has at the venue: a bid first, for its position is looked after once the bid has ended. */
  function takeUp({ userId, agentId }: AgentRecord): void {
    for (const order of orders.listOpen(userId)) {
      const bid = bidOf(order);
      if (bid?.agentId === agentId) rest(bid);
    }
    for (const { position } of portfolio.holdings(userId, { type: 'open' })) if (position.agentId === agentId) hold({ ...position, agentId });
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
    if (before === null) takeUp(record);
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
    rest,
    entryEnded({ userId, agentId, marketId }, isHeld) {
      const member = roster.find(userId, agentId);
      if (member?.marketId === marketId) member.actor?.send({ type: 'entry.ended', isHeld });
    },
    activity(userId, agentId) {
      const member = roster.find(userId, agentId);
      if (member === null) return 'disabled';
      return member.actor === null ? 'watching' : ACTIVITIES[member.actor.getSnapshot().value] ?? 'watching';
    },
    count: (agentId) => roster.count(agentId),
    wake(userId) {
      for (const agentId of AGENT_IDS) {
        const member = roster.find(userId, agentId);
        if (member !== null) catchUp(member);
      }
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

/** The same effects, and how many of them are under way. */
function counting(effects: AgentEffects): { readonly effects: AgentEffects; now(): number } {
  let underWay = 0;
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await work;
    } finally {
      underWay -= 1;
    }
  };
  return {
    effects: {
      decide: (input) => counted(effects.decide(input)),
      enter: (input) => counted(effects.enter(input)),
      leave: (input) => counted(effects.leave(input)),
      withdraw: (input) => counted(effects.withdraw(input)),
    },
    now: () => underWay,
  };
}
