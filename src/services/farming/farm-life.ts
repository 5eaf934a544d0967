import { AGENT } from '../../../config/limits.ts';
import { toActorClock } from '../../../machines/actor-clock.ts';
import {
  createFarmingActor,
  farmingMachine,
  withFarmEffects,
  type FarmingActor,
  type FarmTask,
} from '../../../machines/farming.ts';
import type { AgentRecord, AgentActivity } from '../../domain/agent.ts';
import type { FarmView } from '../../domain/farming/entry.ts';
import type { FarmVenue } from '../../domain/farming/venues.ts';
import type { FarmWindow } from '../../domain/farming/window.ts';
import { asId, type AgentId, type UserId } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { createFanOut } from '../execution/fan-out.ts';
import type { Receipts } from '../execution/receipts.ts';
import type { Orders } from '../orders/orders.ts';
import type { Shadowed, ShadowRuns } from '../paper/shadow-runs.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import {
  AGENT_MARKETS,
  OPEN_POSITIONS,
  ORDERS,
  POSITIONS,
  TRADED_MARKETS,
} from '../books/tables.ts';
import type { FarmQuotes } from './farm-source.ts';
import {
  createFarmTrading,
  farmingOf,
  loggingFarmFailures,
  stopOf,
  type FarmTradingDeps,
} from './farm-trading.ts';
import type { FarmWatch } from './farm-watch.ts';
import { createHeldMarkets, type FarmHolding } from './held-markets.ts';

/** Enabled farming agents of one venue in memory: who waits, who holds what, who acts. */
export interface FarmLife {
  readonly size: number;
  /** Brings the agent in line with its record, at once. */
  apply(record: AgentRecord): void;
  /**
   * Enrols without looking for positions: `resume` reads those of all agents together at a start.
   */
  enrol(record: AgentRecord): void;
  /** Takes up what enrolled agents hold and gives how many positions that is (L9). */
  resume(): number;
  activity(userId: UserId, agentId: AgentId): AgentActivity;
  stop(): void;
}

interface Member extends Shadowed {
  readonly userId: UserId;
  settings: AgentRecord['settings'];
  /** While it has something to see to. */
  actor: FarmingActor | null;
}

const ACTIVITIES: Readonly<Record<string, AgentActivity>> = {
  deciding: 'deciding',
  pausing: 'deciding',
  trading: 'trading',
  leaving: 'leaving',
};

/**
 * Makes the life of a venue's farming agents of one mode. One watch of the venue and one reading of
 * a held market's bid serve all of them; an agent hears of changes of mind, not of ticks.
 */
export function createFarmLife(
  deps: Pick<Runtime, 'store' | 'clock' | 'random' | 'bus' | 'log' | 'metrics'> & {
    readonly venue: FarmVenue;
    readonly watch: Pick<FarmWatch, 'slots' | 'join'>;
    readonly quotes: FarmQuotes;
    /** Paper shadow runs of the agents; null on paper itself, and where there are none. */
    readonly shadows: ShadowRuns | null;
    readonly orders: Pick<Orders, 'place' | 'get' | 'hasTraded' | 'mostSetAside'>;
    readonly portfolio: Pick<Portfolio, 'cashAt' | 'holdings'>;
    readonly receipts: Receipts;
    /** See FarmTradingDeps. */
    readonly degradedReasons: FarmTradingDeps['degradedReasons'];
    /** See FarmTradingDeps. */
    readonly lacking: FarmTradingDeps['lacking'];
  },
): FarmLife {
  const { venue, watch, quotes, store, clock, random, bus, log, shadows, portfolio, orders } = deps;
  const { slots } = watch;
  const { agentId } = venue;
  const members = new Map<UserId, Member>();
  /** Windows of members, and how many have each. */
  const windows = new Map<string, { readonly window: FarmWindow; readonly users: number }>();
  /** Agents at work just now. */
  let acting = 0;
  const fanOut = createFanOut<Member>({
    clock,
    random,
    chunk: AGENT.fanOutChunk,
    room: { isThere: () => acting < AGENT.actingMaximum, pauseMs: AGENT.fanOutPauseMs },
    onError: (error) => log.error({ agentId, error }, 'agent.failed'),
  });
  const held = createHeldMarkets({
    quotes,
    clock,
    stopOf: (userId, marketId) => stopOf(deps, userId, marketId),
    onStop: ({ userId, market, outcome }) =>
      give(members.get(userId), { kind: 'leave', marketId: market.marketId, outcome }),
  });
  const trading = loggingFarmFailures(createFarmTrading({ ...deps, slots, held }), log);
  const want = watch.join({ onEnter: offer, onCheck: held.check });
  const machine = withFarmEffects(farmingMachine, trading);
  const actorClock = toActorClock(clock);

  const unsubscribe = bus.subscribe(({ event }) => {
    if (event.type === 'position.changed' && members.has(event.userId)) follow(event.position);
  });

  /** Tells members of a candidate to enter; those that cannot take it are not woken for it. */
  function offer(view: FarmView): void {
    const { marketId } = view.market;
    fanOut.push(`enter:${marketId}`, [...members.values()], (member) => offerTo(member, view));
  }

  function offerTo(member: Member, { market, outcome }: FarmView): void {
    if (
      members.get(member.userId) !== member ||
      held.count(member.userId) >= (member.settings.farming?.maxOpenPositions ?? 0)
    )
      return;
    if (!orders.hasTraded(member.userId, agentId, market.marketId))
      give(member, { kind: 'enter', marketId: market.marketId, outcome });
  }

  /** Has a member see to a task: by the actor that is at work, or by a new one. */
  function give(member: Member | undefined, task: FarmTask): void {
    if (member === undefined) return;
    if (member.actor !== null) return member.actor.send({ type: 'task.offered', task });
    const actor = createFarmingActor(machine, { userId: member.userId, agentId, task }, actorClock);
    member.actor = actor;
    acting += 1;
    const release = (): void => {
      acting -= 1;
      if (member.actor === actor) member.actor = null;
    };
    actor.subscribe({
      complete: release,
      error: (error) => {
        log.error({ userId: member.userId, agentId, error }, 'agent.failed');
        release();
      },
    });
    actor.start();
  }

  /**
   * Keeps the index of what is held in line with a position, if the agent has entered its market.
   */
  function follow(position: PositionRecord): boolean {
    const holding = holdingOf(position);
    if (holding === null) return false;
    if (
      position.shares >= AGENT.dustShareMicros &&
      (position.state === 'open' || position.state === 'closing')
    ) {
      held.add(holding);
      return true;
    }
    held.remove(position.userId, position.marketId);
    return false;
  }

  function holdingOf({ userId, marketId, tokenId, outcome }: PositionRecord): FarmHolding | null {
    const claim = store.get(AGENT_MARKETS, [userId, agentId, marketId])?.value;
    const market = store.get(TRADED_MARKETS, [marketId])?.value;
    if (
      claim === undefined ||
      market === undefined ||
      store.get(ORDERS, [userId, claim.intentId])?.value.intent.tokenId !== tokenId
    )
      return null;
    return { userId, market, outcome };
  }

  function enrol(record: AgentRecord): Member {
    farmingOf(record);
    const known = members.get(record.userId);
    const member = known ?? {
      userId: record.userId,
      settings: record.settings,
      actor: null,
      shadow: null,
    };
    countWindow(known?.settings, -1);
    countWindow(record.settings, 1);
    member.settings = record.settings;
    members.set(record.userId, member);
    trading.forget(record.userId);
    held.restop(record.userId);
    wantAll();
    shadows?.pair(member, record);
    return member;
  }

  /** Members with the same window are many, windows are few. */
  function countWindow(settings: AgentRecord['settings'] | undefined, by: 1 | -1): void {
    const window = settings?.farming?.window;
    if (window === undefined) return;
    const key = JSON.stringify(window);
    const users = (windows.get(key)?.users ?? 0) + by;
    if (users === 0) windows.delete(key);
    else windows.set(key, { window, users });
  }

  function wantAll(): void {
    want(members.size === 0 ? null : Array.from(windows.values(), ({ window }) => window));
  }

  function withdraw(userId: UserId): void {
    const member = members.get(userId);
    member?.actor?.send({ type: 'agent.stop' });
    if (member !== undefined) shadows?.pair(member, null);
    countWindow(member?.settings, -1);
    members.delete(userId);
    trading.forget(userId);
    held.forget(userId);
    wantAll();
  }

  return {
    get size() {
      return members.size;
    },
    enrol,
    apply(record) {
      if (!record.enabled) return withdraw(record.userId);
      const isNew = !members.has(record.userId);
      const member = enrol(record);
      if (isNew)
        for (const { position } of portfolio.holdings(record.userId, { type: 'open' }))
          follow(position);
      for (const view of slots.entering())
        fanOut.push(`join:${record.userId}:${view.market.marketId}`, [member], () =>
          offerTo(member, view),
        );
    },
    resume() {
      let count = 0;
      for (const { key } of store.range(OPEN_POSITIONS)) {
        const [, userId = '', tokenId = ''] = key;
        if (!members.has(asId<UserId>(String(userId)))) continue;
        const position = store.get(POSITIONS, [userId, tokenId])?.value;
        if (position !== undefined && follow(position)) count += 1;
      }
      return count;
    },
    activity(userId) {
      const member = members.get(userId);
      if (member === undefined) return 'disabled';
      const acting =
        member.actor === null ? undefined : ACTIVITIES[String(member.actor.getSnapshot().value)];
      return acting ?? (held.count(userId) > 0 ? 'holding' : 'watching');
    },
    stop() {
      unsubscribe();
      fanOut.stop();
      want(null);
      for (const { actor } of members.values()) actor?.send({ type: 'agent.stop' });
      members.clear();
      windows.clear();
      held.clear();
    },
  };
}
