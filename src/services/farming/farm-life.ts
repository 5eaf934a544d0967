import { FARMING } from '../../../config/farming-limits.ts';
import { AGENT } from '../../../config/limits.ts';
import { toActorClock } from '../../../machines/actor-clock.ts';
import type { FarmingActor, FarmTask } from '../../../machines/farming.ts';
import { createFarmingActor, farmingMachine, withFarmEffects } from '../../../machines/farming.ts';
import type { AgentRecord } from '../../domain/agent.ts';
import type { FarmView } from '../../domain/farming/entry.ts';
import type { FarmVenue } from '../../domain/farming/venues.ts';
import type { AgentId, UserId } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import type { PositionRecord } from '../../domain/position.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Random } from '../../ports/random.ts';
import type { Store } from '../../ports/store.ts';
import type { AgentActivity } from '../agents/agent-views.ts';
import { createFanOut } from '../agents/fan-out.ts';
import type { Receipts } from '../agents/receipts.ts';
import type { Orders } from '../orders/orders.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import { AGENT_MARKETS, OPEN_POSITIONS, ORDERS, POSITIONS, TRADED_MARKETS } from '../tables.ts';
import { createAssessments } from './assessments.ts';
import type { ScreenedOut } from './candidates.ts';
import { createCandidates } from './candidates.ts';
import type { FarmSource } from './farm-source.ts';
import type { FarmTradingDeps } from './farm-trading.ts';
import { createFarmTrading, FARM_STRATEGY, farmingOf, loggingFarmFailures, stopOf } from './farm-trading.ts';
import type { FarmHolding } from './held-markets.ts';
import { createHeldMarkets } from './held-markets.ts';
import { createSeats, farmInputs } from './seats.ts';

/** Enabled farming agents of one venue in memory: who waits, who holds what, who acts. */
export interface FarmLife {
  readonly size: number;
  /** Brings the agent in line with its record, at once. */
  apply(record: AgentRecord): void;
  /** Enrols without looking for positions: `takeUp` reads those of all agents together at a start. */
  enrol(record: AgentRecord): void;
  /** Takes up what enrolled agents hold and gives how many positions that is (L9). */
  takeUp(): number;
  activity(userId: UserId, agentId: AgentId): AgentActivity;
  stop(): void;
}

/** What the life of farming agents needs. */
export interface FarmLifeDeps {
  readonly venue: FarmVenue;
  readonly source: FarmSource;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly bus: Bus;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly orders: Pick<Orders, 'place' | 'get' | 'hasTraded'>;
  readonly portfolio: Pick<Portfolio, 'cash' | 'holdings'>;
  readonly receipts: Receipts;
  /** See FarmTradingDeps. */
  readonly trouble: FarmTradingDeps['trouble'];
}

interface Member {
  readonly userId: UserId;
  settings: AgentRecord['settings'];
  /** While it has something to see to. */
  actor: FarmingActor | null;
}

const ACTIVITIES: Readonly<Record<string, AgentActivity>> = { deciding: 'deciding', pausing: 'deciding', trading: 'trading', leaving: 'leaving' };

/**
 * Makes the life of a venue's farming agents. One scan, one watch of a candidate's book, one assessment and one look at a
 * held market's bid serve all of them; an agent hears of changes of mind, not of ticks.
 */
export function createFarmLife(deps: FarmLifeDeps): FarmLife {
  const { venue, source, store, clock, random, bus, log, receipts, portfolio, orders } = deps;
  const { agentId } = venue;
  const members = new Map<UserId, Member>();
  /** Agents at work just now. */
  let acting = 0;
  const fanOut = createFanOut<Member>({ clock, random, chunk: AGENT.fanOutChunk, room: { isThere: () => acting < AGENT.actingMaximum, pauseMs: AGENT.fanOutPauseMs }, onError: (error) => log.error({ agentId, error }, 'agent.failed') });
  const seats = createSeats({
    venue, source, clock, log, assessments: createAssessments({ ...deps, assessor: source.assessor }),
    onTransition({ view, decision }) {
      if (decision.verdict === 'enter') offer(view);
      else note(view.market.marketId, { strategy: FARM_STRATEGY, decision, inputs: farmInputs(view), atMs: view.atMs });
    },
  });
  const held = createHeldMarkets({
    quotes: source.quotes, clock,
    stopOf: (userId, marketId) => stopOf(deps, userId, marketId),
    onStop: ({ userId, market, outcome }) => give(members.get(userId), { kind: 'leave', marketId: market.marketId, outcome }),
  });
  const candidates = createCandidates({ ...deps, scan: source.scan, onScreenedOut, onScanned: () => seats.look(candidates.current()) });
  const trading = loggingFarmFailures(createFarmTrading({ ...deps, seats, held }), log);
  const machine = withFarmEffects(farmingMachine, trading);
  const actorClock = toActorClock(clock);
  let timer: Timer | null = null;

  const unsubscribe = bus.subscribe(({ event }) => {
    if (event.type === 'position.changed' && members.has(event.userId)) follow(event.position);
  });

  /** Tells members of a candidate to enter; those that cannot take it are not woken for it. */
  function offer(view: FarmView): void {
    const { marketId } = view.market;
    fanOut.push(`enter:${marketId}`, [...members.values()], (member) => offerTo(member, view));
  }

  function offerTo(member: Member, { market, outcome }: FarmView): void {
    if (members.get(member.userId) !== member || held.count(member.userId) >= (member.settings.farming?.maxOpenPositions ?? 0)) return;
    if (!orders.hasTraded(member.userId, agentId, market.marketId)) give(member, { kind: 'enter', marketId: market.marketId, outcome });
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

  function note(marketId: FarmView['market']['marketId'], advice: Parameters<Receipts['note']>[2]): void {
    receipts.note(agentId, { agentId, marketId }, advice).catch((error: unknown) => log.error({ agentId, marketId, error }, 'receipt.failed'));
  }

  function onScreenedOut({ listing, criteria, atMs }: ScreenedOut): void {
    const failed = criteria.find(({ passed }) => !passed);
    const reason = failed === undefined ? 'Screened out.' : `${failed.name} is ${failed.value}, needed ${failed.threshold}.`;
    const inputs = [{ name: 'listing', value: `volume ${listing.market.volumeUsd.toFixed(2)} USD, liquidity ${listing.market.liquidityUsd.toFixed(2)} USD`, ageMs: 0, limitMs: FARMING.listingAgeMaximumMs }];
    note(listing.market.marketId, { strategy: FARM_STRATEGY, decision: { verdict: 'skip', outcome: null, criteria, reason }, inputs, atMs });
  }

  /** Keeps the index of what is held in line with a position, if the agent has entered its market. */
  function follow(position: PositionRecord): boolean {
    const holding = holdingOf(position);
    if (holding === null) return false;
    if (position.shares >= AGENT.dustShareMicros && (position.state === 'open' || position.state === 'closing')) {
      held.add(holding);
      return true;
    }
    held.remove(position.userId, position.marketId);
    return false;
  }

  function holdingOf({ userId, marketId, tokenId, outcome }: PositionRecord): FarmHolding | null {
    const claim = store.get(AGENT_MARKETS, [userId, agentId, marketId])?.value;
    const market = store.get(TRADED_MARKETS, [marketId])?.value;
    if (claim === undefined || market === undefined || store.get(ORDERS, [userId, claim.intentId])?.value.intent.tokenId !== tokenId) return null;
    return { userId, market, outcome };
  }

  function look(): void {
    timer = clock.after(FARMING.lookIntervalMs, look);
    seats.look(candidates.current());
    held.look();
  }

  /** Works while there is somebody to work for. */
  function wake(): void {
    candidates.want(members.size > 0);
    if (members.size > 0 && timer === null) timer = clock.after(FARMING.lookIntervalMs, look);
    if (members.size > 0) return;
    timer?.cancel();
    timer = null;
    seats.clear();
  }

  function enrol(record: AgentRecord): Member {
    farmingOf(record);
    const known = members.get(record.userId);
    const member = known ?? { userId: record.userId, settings: record.settings, actor: null };
    member.settings = record.settings;
    members.set(record.userId, member);
    trading.forget(record.userId);
    held.restop(record.userId);
    wake();
    return member;
  }

  function withdraw(userId: UserId): void {
    members.get(userId)?.actor?.send({ type: 'agent.stop' });
    members.delete(userId);
    trading.forget(userId);
    held.forget(userId);
    wake();
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
      if (isNew) for (const { position } of portfolio.holdings(record.userId, { type: 'open' })) follow(position);
      for (const view of seats.entering()) fanOut.push(`join:${record.userId}:${view.market.marketId}`, [member], () => offerTo(member, view));
    },
    takeUp() {
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
      const acting = member.actor === null ? undefined : ACTIVITIES[String(member.actor.getSnapshot().value)];
      return acting ?? (held.count(userId) > 0 ? 'holding' : 'watching');
    },
    stop() {
      unsubscribe();
      timer?.cancel();
      fanOut.stop();
      candidates.want(false);
      for (const { actor } of members.values()) actor?.send({ type: 'agent.stop' });
      members.clear();
      seats.clear();
      held.clear();
    },
  };
}
