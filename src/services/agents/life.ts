import { AGENT } from '../../../config/limits.ts';
import { toActorClock } from '../../../machines/actor-clock.ts';
import {
  createAgentActor,
  withAgentEffects,
  type AgentActor,
  type AgentMachine,
} from '../../../machines/agent.ts';
import type { AgentInput, AgentRef } from '../../../machines/agent-types.ts';
import { btc5MinMachine } from '../../../machines/btc-5min.ts';
import { fifteenMinMachine } from '../../../machines/fifteen-min.ts';
import {
  modeOf,
  roundProfile,
  type AgentMode,
  type AgentRecord,
  type AgentActivity,
} from '../../domain/agent.ts';
import { assert } from '../../domain/errors.ts';
import { AGENT_IDS, type AgentId, type MarketId, type UserId } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { SignalTransition } from '../../domain/signal.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { bidLeftMs, bidOf, type AgentBid } from './bids.ts';
import { countingEffects } from './counting-effects.ts';
import { createFanOut } from '../execution/fan-out.ts';
import { createReviews, exitPauseMs } from './review.ts';
import { createRoster, forgetPast, type Group, type Member } from './roster.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import { createAdvise } from './advise.ts';
import type { SignalSource } from './signal-source.ts';
import type { ShadowRuns } from '../paper/shadow-runs.ts';
import { TRADED_MARKETS } from '../books/tables.ts';
import type { Executions } from './execution.ts';

/** Enabled agents in memory: who waits, who acts. */
export interface AgentsLife {
  readonly size: number;
  /** Brings the agent in line with its record, at once. */
  apply(record: AgentRecord): void;
  /** Enrols without looking for positions: a start reads those for all agents together. */
  enrol(record: AgentRecord): void;
  /**
   * Takes up a position the agent holds; false when it is not enabled in this mode, acts already,
   * or the round is over.
   */
  hold(
    mode: AgentMode,
    position: Pick<PositionRecord, 'userId' | 'marketId' | 'outcome' | 'endsAtMs'> & {
      readonly agentId: AgentId;
    },
  ): boolean;
  /** Takes up a bid of the agent that rests; false as with `hold`. */
  rest(mode: AgentMode, bid: AgentBid): boolean;
  /** Tells the agent that its entry has ended, and whether anything of it was filled. */
  entryEnded(mode: AgentMode, ref: AgentRef, isHeld: boolean): void;
  activity(userId: UserId, agentId: AgentId): AgentActivity;
  /** How many of an agent are enrolled. */
  count(agentId: AgentId): number;
  /** What held the user's agents back is over: those whose signal says enter hear it again. */
  wake(userId: UserId): void;
  /** The same of what held everybody back. */
  wakeAll(): void;
  onSignal(transition: SignalTransition): void;
  stop(): void;
}

const ACTIVITIES: Readonly<Record<string, AgentActivity>> = {
  deciding: 'deciding',
  trading: 'trading',
  resting: 'resting',
  withdrawing: 'resting',
  holding: 'holding',
  leaving: 'leaving',
};

/** Makes the life of agents: a roster of all, and an actor for each that acts in a round. */
export function createAgentsLife({
  clock,
  random,
  log,
  signals,
  strategies,
  executions,
  modes,
  shadows,
}: Pick<Runtime, 'clock' | 'random' | 'log'> & {
  readonly signals: SignalSource;
  readonly strategies: StrategyTable;
  readonly executions: Executions;
  /** Whether there is an execution on paper. */
  readonly modes: readonly AgentMode[];
  /** Paper shadow runs of live agents; null where there are none. */
  readonly shadows: ShadowRuns | null;
}): AgentsLife {
  const roster = createRoster(signals, strategies);
  // Each mode counts for itself; together they are bounded, for a shadow run is one for many.
  const acting = modes.map((mode) => ({ mode, ...countingEffects(executions(mode).effects) }));
  const actingNow = (): number => acting.reduce((sum, { now }) => sum + now(), 0);
  const fanOut = createFanOut<Member>({
    clock,
    random,
    chunk: AGENT.fanOutChunk,
    room: { isThere: () => actingNow() < AGENT.actingMaximum, pauseMs: AGENT.fanOutPauseMs },
    onError: (error) => log.error({ error }, 'agent.failed'),
  });
  const reviews = createReviews({ executions, clock, signals, fanOut, advise, log });
  const actorClock = toActorClock(clock);
  const adviceOf = createAdvise(clock);
  const machines = new Map<AgentMode, Readonly<Record<5 | 15, AgentMachine>>>(
    acting.map(({ mode, effects }) => [
      mode,
      {
        5: withAgentEffects(btc5MinMachine, effects),
        15: withAgentEffects(fifteenMinMachine, effects),
      },
    ]),
  );

  function machineOf({ agentId, mode }: Member): AgentMachine {
    const found = machines.get(mode)?.[roundProfile(agentId).minutes];
    assert(found !== undefined, `agents trade ${mode}`);
    return found;
  }

  function begin(
    member: Member,
    marketId: MarketId,
    endsAtMs: number,
    start: Pick<AgentInput, 'held' | 'bidLeftMs' | 'exits'>,
  ): void {
    end(member);
    const { userId, agentId } = member;
    const lifeMs = endsAtMs - clock.nowMs();
    const actor = createAgentActor(
      machineOf(member),
      { userId, agentId, marketId, lifeMs, ...start },
      actorClock,
    );
    member.actor = actor;
    member.marketId = marketId;
    actor.subscribe({
      next: (snapshot) => {
        const { held } = snapshot.context;
        if (held === null) return;
        if (snapshot.matches('resting'))
          reviews.add(member, marketId, { kind: 'bid', outcome: held, endsAtMs });
        if (!snapshot.matches('holding')) return;
        reviews.add(member, marketId, { kind: 'position', outcome: held, endsAtMs });
        // Once the turn is over: an actor made to sell passes through here on its way.
        queueMicrotask(() => parkIdle(member, actor, endsAtMs));
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
    if (member.actor !== actor) return;
    reviews.remove(member, marketId);
    member.actor = null;
  }

  /** An agent that holds a position waits without its actor. */
  function parkIdle(member: Member, actor: AgentActor, endsAtMs: number): void {
    const { value, context } = actor.getSnapshot();
    if (member.actor !== actor || value !== 'holding' || context.held === null) return;
    member.actor = null;
    member.parked = {
      held: context.held,
      endsAtMs,
      exits: context.exits,
      offeredFromMs: clock.nowMs() + exitPauseMs(context.exits),
    };
    actor.stop();
  }

  /** Ends what the agent does in its round, whatever that is. */
  function end(member: Member): void {
    member.actor?.send({ type: 'agent.stop' });
    if (member.parked !== null && member.marketId !== null) reviews.remove(member, member.marketId);
    member.parked = null;
  }

  /**
   * Has an agent check its stake: one that waits gets an actor again, unless its sales have failed
   * and the next has to wait.
   */
  function advise(member: Member, marketId: MarketId): void {
    const { parked } = member;
    if (parked !== null && member.marketId === marketId && clock.nowMs() >= parked.offeredFromMs) {
      const { held, endsAtMs, exits } = parked;
      // Not by `end`: the stake stays, and with it its place among the reviews.
      member.parked = null;
      begin(member, marketId, endsAtMs, { held, bidLeftMs: null, exits });
    }
    member.actor?.send({ type: 'exit.advised' });
  }

  /**
   * Tells a member of a signal to enter. It judges again for itself: the signal may have changed
   * while it waited its turn.
   */
  function offer(member: Member, { marketId, groupKey, view }: SignalTransition): void {
    const isMember =
      roster.find(member.userId, member.agentId) === member && member.group.key === groupKey;
    if (!isMember || view.endsAtMs <= clock.nowMs()) return;
    if (member.marketId !== marketId) {
      if (executions(member.mode).orders.hasTraded(member.userId, member.agentId, marketId)) return;
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
    const reported = decision.verdict === 'enter' ? [...group.members] : [];
    const isOver = (): boolean => transition.view.endsAtMs <= clock.nowMs();
    fanOut.call({
      key: `enter:${group.key}:${marketId}`,
      line: group.line,
      members: reported,
      tell: (member) => offer(member, transition),
      isOver,
    });
    reviews.review(marketId);
  }

  function note(group: Group, { marketId, view, decision, memory }: SignalTransition): void {
    executions('live')
      .receipts.note(
        group.key,
        { agentId: group.row.agentId, marketId },
        adviceOf(group.row, view, decision, {
          kind: 'entry',
          inferenceDifferenceMicros: group.settings.inferenceDifferenceMicros,
          memory: memory ?? null,
        }),
      )
      .catch((error: unknown) => {
        log.error({ groupKey: group.key, marketId, error }, 'receipt.failed');
      });
  }

  /** Lets an agent that was enabled in mid-round hear what its group heard. */
  function catchUp(member: Member): void {
    for (const { last } of member.group.rounds.values()) {
      if (last.decision.verdict === 'enter')
        fanOut.push(`join:${member.userId}:${member.agentId}:${last.marketId}`, [member], () =>
          offer(member, last),
        );
    }
  }

  function hold(mode: AgentMode, position: Parameters<AgentsLife['hold']>[1]): boolean {
    const member = roster.find(position.userId, position.agentId);
    if (member?.mode !== mode || isActing(member) || position.endsAtMs <= clock.nowMs())
      return false;
    const { marketId, outcome, endsAtMs } = position;
    end(member);
    member.marketId = marketId;
    member.parked = { held: outcome, endsAtMs, exits: 0, offeredFromMs: 0 };
    reviews.add(member, marketId, { kind: 'position', outcome, endsAtMs });
    return true;
  }

  function rest(mode: AgentMode, bid: AgentBid): boolean {
    const member = roster.find(bid.userId, bid.agentId);
    const endsAtMs =
      executions(mode).store.get(TRADED_MARKETS, [bid.marketId])?.value.endsAtMs ?? 0;
    if (member?.mode !== mode || isActing(member) || endsAtMs <= clock.nowMs()) return false;
    begin(member, bid.marketId, endsAtMs, { held: bid.outcome, bidLeftMs: bidLeftMs(bid, clock) });
    return true;
  }

  function isActing({ actor, parked }: Member): boolean {
    return actor !== null || (parked !== null && parked.endsAtMs > clock.nowMs());
  }

  /**
   * Resumes what the agent has at the venue: a bid first, for its position is looked after once
   * the bid has ended.
   */
  function resume({ userId, agentId, mode }: Member): void {
    const { orders, portfolio } = executions(mode);
    for (const order of orders.listOpen(userId)) {
      const bid = bidOf(order);
      if (bid?.agentId === agentId) rest(mode, bid);
    }
    for (const { position } of portfolio.holdings(userId, { type: 'open' }))
      if (position.agentId === agentId) hold(mode, { ...position, agentId });
  }

  /**
   * Gives a live agent the shadow run of its signal and sizes, null the record of one that is
   * leaving, and lets go of the one before.
   */
  function pair(member: Member, record: AgentRecord | null): void {
    if (member.mode === 'live') shadows?.pair(member, record);
  }

  function dismiss(member: Member, record: AgentRecord): void {
    roster.apply({ ...record, enabled: false });
    end(member);
    pair(member, null);
  }

  function apply(record: AgentRecord): void {
    const { userId, agentId } = record;
    const known = roster.find(userId, agentId);
    // Stopped and enabled with other money before anybody looked: it begins anew there.
    const hasLeft = known !== null && (!record.enabled || known.mode !== modeOf(record));
    if (hasLeft) dismiss(known, record);
    if (!record.enabled) return;
    const before = hasLeft ? null : known;
    const beforeKey = before?.group.key;
    const member = roster.apply(record);
    if (member === null) return;
    pair(member, record);
    if (member.group.key === beforeKey) return;
    if (before === null) resume(member);
    catchUp(member);
  }

  return {
    get size() {
      return roster.size;
    },
    apply,
    enrol(record) {
      const member = roster.apply(record);
      if (member === null) return;
      pair(member, record);
      catchUp(member);
    },
    hold,
    rest,
    entryEnded(mode, { userId, agentId, marketId }, isHeld) {
      const member = roster.find(userId, agentId);
      if (member?.mode === mode && member.marketId === marketId)
        member.actor?.send({ type: 'entry.ended', isHeld });
    },
    activity(userId, agentId) {
      const member = roster.find(userId, agentId);
      if (member === null) return 'disabled';
      if (member.actor !== null) return ACTIVITIES[member.actor.getSnapshot().value] ?? 'watching';
      return isActing(member) ? 'holding' : 'watching';
    },
    count: (agentId) => roster.count(agentId),
    wake(userId) {
      for (const agentId of AGENT_IDS) {
        const member = roster.find(userId, agentId);
        if (member !== null) catchUp(member);
      }
    },
    wakeAll() {
      fanOut.push('wake', [...roster.members()], (member) => {
        if (roster.find(member.userId, member.agentId) === member) catchUp(member);
      });
    },
    onSignal,
    stop() {
      fanOut.stop();
      for (const member of roster.members()) end(member);
      reviews.stop();
      roster.clear();
    },
  };
}
