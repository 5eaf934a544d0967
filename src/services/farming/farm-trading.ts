import { FARMING } from '../../../config/limits/farming.ts';
import type { Advice, AgentRef } from '../../../machines/agent-types.ts';
import type {
  FarmDecideResult,
  FarmEffects,
  FarmEnterResult,
  FarmTask,
} from '../../../machines/farming.ts';
import type { AgentRecord, Criterion } from '../../domain/agent.ts';
import type { DegradedReason } from '../../domain/degraded.ts';
import { assert, isRetryable, type FieldError } from '../../domain/errors.ts';
import { basisOf, type DecisionBasis } from '../../domain/decision-basis.ts';
import {
  entryPriceMaximum,
  farmJudgedView,
  judgeFarmEntry,
  type FarmView,
} from '../../domain/farming/entry.ts';
import type { FarmSettings } from '../../domain/farming/settings.ts';
import { judgeStopLoss, stopTicks, type FarmEntry } from '../../domain/farming/stop-loss.ts';
import type { FarmVenue } from '../../domain/farming/venues.ts';
import { withWindow } from '../../domain/farming/window.ts';
import type { AgentId, MarketId, UserId } from '../../domain/ids.ts';
import type { RiskCaps } from '../../domain/reservation.ts';
import { exposureUsdc, lostUsdc, openPositionCount } from '../../domain/risk.ts';
import { positionSize } from '../../domain/strategy/position-size.ts';
import { formatMicros, priceTicks, usdcMicros, type UsdcMicros } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Log } from '../../ports/log.ts';
import type { StoreReader } from '../../ports/store.ts';
import {
  createReceiptedOrders,
  originOf,
  PASSING_REFUSALS,
  overruled,
  poorer,
  sharesLeft,
} from '../execution/receipted-orders.ts';
import { observeDecision } from '../execution/decision-figures.ts';
import type { Receipts } from '../execution/receipts.ts';
import type { Orders } from '../orders/orders.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import { agentRiskOf } from '../books/record-changes.ts';
import { AGENT_MARKETS, AGENTS, ORDERS } from '../books/tables.ts';
import type { HeldMarkets } from './held-markets.ts';
import { farmInputs, type Slots } from './slots.ts';

export interface FarmTradingDeps extends Pick<Runtime, 'clock' | 'metrics' | 'log'> {
  readonly venue: FarmVenue;
  readonly store: StoreReader;
  readonly orders: Pick<Orders, 'place' | 'get' | 'hasTraded' | 'mostSetAside'>;
  readonly portfolio: Pick<Portfolio, 'cashAt' | 'holdings'>;
  readonly receipts: Receipts;
  readonly slots: Pick<Slots, 'view'>;
  readonly held: Pick<HeldMarkets, 'readings' | 'exitTried'>;
  /**
   * Why entries of this user are held back, whatever the market looks like; empty when they are
   * not.
   */
  readonly degradedReasons: (userId: UserId, agentId: AgentId) => readonly DegradedReason[];
  /**
   * What the user lacks to buy at the venue, beside the money itself; empty when nothing. Errors:
   * those of whom it asks.
   */
  readonly lacking: (userId: UserId) => Promise<readonly FieldError[]>;
}

/** What farming agents do to the world. */
export interface FarmTrading extends FarmEffects {
  /** Lets the agent say again why it passes: its settings have changed, or it was disabled. */
  forget(userId: UserId): void;
}

type FarmCaps = RiskCaps & Required<Pick<RiskCaps, 'openPositions'>>;

/** Criteria that a user's own window decides. */
const OWN_CRITERIA: readonly string[] = ['probability', 'ask', 'time to the end'];

/** What an entry can be judged by again. */
export function farmBasis(
  { filters, strictFilters }: Pick<FarmVenue, 'filters' | 'strictFilters'>,
  view: FarmView,
): DecisionBasis {
  return basisOf({ kind: 'farm_entry', filters, strictFilters, view: farmJudgedView(view) });
}

/** The strategy of farming agents. */
export const FARM_STRATEGY = 'high_probability';

/** Makes what farming agents do: decide with a receipt, enter and leave by orders. */
export function createFarmTrading(deps: FarmTradingDeps): FarmTrading {
  const { venue, store, clock, orders, portfolio, receipts, slots, held } = deps;
  const order = createReceiptedOrders(deps);
  /** Why each agent last passed: one reason leaves one receipt, however many candidates meet it. */
  const passes = new Map<UserId, string>();

  async function decide({
    task,
    ...ref
  }: Parameters<FarmEffects['decide']>[0]): Promise<FarmDecideResult> {
    const record = store.get(AGENTS, [ref.userId, ref.agentId])?.value;
    const view = slots.view(task.marketId);
    const isOver =
      record === undefined ||
      !record.enabled ||
      view === null ||
      orders.hasTraded(ref.userId, ref.agentId, task.marketId);
    if (isOver || view.assessment === null) return { kind: 'pass', again: false };
    const { window } = farmingOf(record);
    const own = withWindow(venue, window);
    const decision = judgeFarmEntry(own, view);
    const advice: Advice = {
      strategy: FARM_STRATEGY,
      decision,
      inputs: farmInputs(view, clock),
      basis: farmBasis(own, view),
      atMs: view.atMs,
    };
    const where = { ...ref, marketId: task.marketId };
    if (decision.verdict !== 'enter') {
      const failed = decision.criteria.find(({ passed }) => !passed)?.name;
      // What others would enter is outside this user's own window.
      if (window !== undefined && failed !== undefined && OWN_CRITERIA.includes(failed))
        return pass(where, advice, failed);
      // The slot's own receipt tells of it: it is shared, and the market has changed its mind for
      // everybody.
      return { kind: 'pass', again: true };
    }
    const [reason] = deps.degradedReasons(ref.userId, ref.agentId);
    if (reason !== undefined)
      return pass(
        where,
        capped(advice, 'agent', `degraded: ${reason.message}`, 'able to trust its surroundings'),
        reason.code,
      );
    const lack = await firstLack(deps, ref.userId);
    if (lack !== null)
      return pass(
        where,
        capped(advice, 'account', `held back: ${lack.message}`, 'able to buy at the venue'),
        lack.path,
      );
    const room = roomFor(store, record, clock.nowMs());
    if (room.positions <= 0)
      return pass(
        where,
        capped(
          advice,
          'open positions',
          `${farmingOf(record).maxOpenPositions - room.positions}`,
          `fewer than ${farmingOf(record).maxOpenPositions}`,
        ),
        'positions',
      );
    const mostSetAside = (usdc: UsdcMicros) => orders.mostSetAside(view.market, usdc);
    const { available } = portfolio.cashAt(ref.userId, view.market.venue);
    const amountUsdc = positionSize({
      settings: record.settings,
      availableUsdc: usdcMicros(Math.min(available, room.usdc)),
      leastUsdc: usdcMicros(0),
      mostSetAside,
    });
    if (amountUsdc === null) {
      const isCapped = room.usdc < available;
      return isCapped
        ? pass(
            where,
            capped(
              advice,
              `room below the ${room.cap} cap`,
              `${formatMicros(room.usdc)} USD`,
              `at least ${formatMicros(record.settings.minPositionSize)} USD and the fee`,
            ),
            room.cap,
          )
        : pass(where, poorer(advice, available, record.settings.minPositionSize), 'funds');
    }
    passes.delete(ref.userId);
    return {
      kind: 'enter',
      plan: {
        ...advice,
        amountUsdc,
        mostUsdc: mostSetAside(amountUsdc),
        worstPrice: priceTicks(entryPriceMaximum(own, view.assessment)),
      },
    };
  }

  async function pass(ref: AgentRef, advice: Advice, reason: string): Promise<FarmDecideResult> {
    if (passes.get(ref.userId) !== reason) {
      passes.set(ref.userId, reason);
      observeDecision(deps, ref.agentId, advice, clock.nowMs());
      await receipts.write(receipts.make(ref, advice, null));
    }
    return { kind: 'pass', again: false };
  }

  async function enter({
    task,
    plan,
    ...ref
  }: Parameters<FarmEffects['enter']>[0]): Promise<FarmEnterResult> {
    const record = store.get(AGENTS, [ref.userId, ref.agentId])?.value;
    if (record === undefined) return { kind: 'refused', retryable: false };
    const receipt = receipts.make({ ...ref, marketId: task.marketId }, plan, plan.amountUsdc);
    // The entry may wait, and its user lower a cap meanwhile.
    const agentLimits = (reader: StoreReader): FarmCaps =>
      capsOf(reader.get(AGENTS, [ref.userId, ref.agentId])?.value ?? record);
    const refusal = await order(receipt, {
      marketId: task.marketId,
      outcome: task.outcome,
      side: 'buy',
      amount: { unit: 'usdc', micros: plan.amountUsdc },
      type: { kind: 'market', worstPrice: plan.worstPrice },
      origin: originOf(receipt, 'entry'),
      limits: { orderUsdc: plan.mostUsdc },
      agentLimits,
    });
    if (refusal === null) return { kind: 'traded' };
    return {
      kind: 'refused',
      retryable: refusal.retryable || PASSING_REFUSALS.includes(refusal.code),
    };
  }

  async function leave({ task, ...ref }: Parameters<FarmEffects['leave']>[0]): Promise<void> {
    const where: AgentRef = { ...ref, marketId: task.marketId };
    const record = store.get(AGENTS, [ref.userId, ref.agentId])?.value;
    const known = stopOf(deps, ref.userId, task.marketId);
    if (record === undefined || !record.enabled || known === null) return;
    const nowMs = clock.nowMs();
    const readings = held.readings(task.marketId, task.outcome);
    const decision = judgeStopLoss(
      task.outcome,
      stopTicks(known.entry, known.lossPerMille),
      readings,
      nowMs,
    );
    const left = sharesLeft(deps, where, task.outcome);
    if (decision.verdict !== 'exit' || left.isOver || left.sellable <= 0) return;
    const newest = readings.at(-1);
    const inputs = [
      {
        name: 'best bid',
        value: newest === undefined ? null : String(newest.bidTicks),
        ageMs: newest === undefined ? null : nowMs - newest.atMs,
        limitMs: FARMING.checkIntervalMs,
      },
    ];
    const basis = basisOf({
      kind: 'stop_loss',
      held: task.outcome,
      entry: known.entry,
      lossPerMille: known.lossPerMille,
      looks: readings,
      atMs: nowMs,
    });
    const receipt = receipts.make(
      where,
      { strategy: FARM_STRATEGY, decision, inputs, basis, atMs: nowMs },
      null,
    );
    held.exitTried(ref.userId, task.marketId);
    await order(receipt, {
      marketId: task.marketId,
      outcome: task.outcome,
      side: 'sell',
      amount: { unit: 'shares', micros: left.sellable },
      type: { kind: 'market' },
      origin: originOf(receipt, 'exit'),
    });
  }

  return { decide, enter, leave, forget: (userId) => void passes.delete(userId) };
}

/** The same effects, each failure logged once: the machine only learns that it failed. */
export function loggingFarmFailures(trading: FarmTrading, log: Log): FarmTrading {
  const logged = <T>(
    name: string,
    {
      userId,
      agentId,
      task,
    }: { readonly userId: UserId; readonly agentId: string; readonly task: FarmTask },
    done: Promise<T>,
  ): Promise<T> =>
    done.catch((error: unknown) => {
      log.error(
        { userId, agentId, marketId: task.marketId, effect: name, error },
        'agent.effect_failed',
      );
      throw error;
    });
  return {
    decide: (input) => logged('decide', input, trading.decide(input)),
    enter: (input) => logged('enter', input, trading.enter(input)),
    leave: (input) => logged('leave', input, trading.leave(input)),
    forget: (userId) => trading.forget(userId),
  };
}

/**
 * What a farming position was bought for, and how far below it its stop lies; null while no fill of
 * the entry is known.
 */
export function stopOf(
  { store, venue: { agentId } }: Pick<FarmTradingDeps, 'store' | 'venue'>,
  userId: UserId,
  marketId: MarketId,
): { readonly entry: FarmEntry; readonly lossPerMille: number } | null {
  const record = store.get(AGENTS, [userId, agentId])?.value;
  const intentId = store.get(AGENT_MARKETS, [userId, agentId, marketId])?.value.intentId;
  const entry = intentId === undefined ? undefined : store.get(ORDERS, [userId, intentId])?.value;
  if (record === undefined || entry === undefined || entry.filledShares <= 0) return null;
  return {
    entry: { usdc: entry.filledUsdc, shares: entry.filledShares },
    lossPerMille: farmingOf(record).stopLossPerMille,
  };
}

/** Farming settings of a farming agent's record: whatever wrote it has put them there. */
export function farmingOf({ agentId, settings }: AgentRecord): FarmSettings {
  assert(settings.farming !== undefined, `the record of ${agentId} has farming settings`);
  return settings.farming;
}

/**
 * What the user lacks first; where that is unknown now, it is reported as such: no agent enters on
 * a guess.
 */
async function firstLack(
  { lacking }: Pick<FarmTradingDeps, 'lacking'>,
  userId: UserId,
): Promise<FieldError | null> {
  try {
    return (await lacking(userId))[0] ?? null;
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return { path: '/venue', message: 'not to be looked at now' };
  }
}

/** The caps the agent's user has set. */
function capsOf(record: AgentRecord): FarmCaps {
  const { maxOpenPositions, maxTotalExposure, maxDailyLoss } = farmingOf(record);
  return {
    openPositions: maxOpenPositions,
    ...(maxTotalExposure === undefined ? {} : { exposureUsdc: maxTotalExposure }),
    ...(maxDailyLoss === undefined ? {} : { dailyLossUsdc: maxDailyLoss }),
  };
}

/**
 * What the agent's caps leave, by the tightest: a check beforehand, so that no order is made only
 * to be refused. The order's own transaction decides (L5).
 */
function roomFor(
  store: StoreReader,
  record: AgentRecord,
  atMs: number,
): {
  readonly positions: number;
  readonly usdc: UsdcMicros;
  readonly cap: 'exposure' | 'daily loss';
} {
  const {
    openPositions,
    exposureUsdc: exposureCap = Number.POSITIVE_INFINITY,
    dailyLossUsdc: lossCap,
  } = capsOf(record);
  const state = agentRiskOf(store, record.userId, record.agentId);
  const atRisk = exposureUsdc(state);
  const exposure = exposureCap - atRisk;
  const loss =
    lossCap === undefined ? Number.POSITIVE_INFINITY : lossCap - atRisk - lostUsdc(state, atMs);
  return {
    positions: openPositions - openPositionCount(state),
    usdc: usdcMicros(Math.max(0, Math.min(exposure, loss, Number.MAX_SAFE_INTEGER))),
    cap: loss < exposure ? 'daily loss' : 'exposure',
  };
}

function capped(advice: Advice, name: string, value: string, threshold: string): Advice {
  const cap: Criterion = { name, value, threshold, passed: false };
  return overruled(advice, {
    verdict: 'skip',
    outcome: null,
    criteria: [...advice.decision.criteria, cap],
    reason: `${name} is ${value}, needed ${threshold}.`,
  });
}
