import type {
  Advice,
  AgentEffects,
  AgentRef,
  DecideResult,
  EnterResult,
  EntryType,
  LeaveResult,
} from '../../../machines/agent-types.ts';
import { isTrading, type Criterion } from '../../domain/agent.ts';
import type { DegradedReason } from '../../domain/degraded.ts';
import type { AgentId, UserId } from '../../domain/ids.ts';
import { isTerminal } from '../../domain/order.ts';
import type { RoundView } from '../../domain/signal.ts';
import { withoutStale } from '../../domain/strategy/inputs.ts';
import { leastBid, positionSize } from '../../domain/strategy/position-size.ts';
import {
  groupKeyOf,
  type StrategyRow,
  type StrategyTable,
} from '../../domain/strategy/strategy-row.ts';
import { formatMicros, usdcMicros, type UsdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader } from '../../ports/store.ts';
import {
  createReceiptedOrders,
  originOf,
  PASSING_REFUSALS,
  overruled,
  poorer,
  sharesLeft,
  entryOf,
} from '../execution/receipted-orders.ts';
import { countDecision, observeDecision } from '../execution/decision-figures.ts';
import { createAdvise, viewLimits } from './advise.ts';
import type { SignalSource } from './signal-source.ts';
import { bidLeftMs, bidOf, createWithdraw, isHeld, type AgentRound } from './bids.ts';
import { rowOf } from './roster.ts';
import type { Orders } from '../orders/orders.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import type { Receipts } from '../execution/receipts.ts';
import { AGENTS } from '../books/tables.ts';

export interface TradingDeps extends Pick<Runtime, 'clock' | 'metrics' | 'log'> {
  readonly store: StoreReader;
  readonly orders: Pick<Orders, 'place' | 'cancel' | 'get' | 'hasTraded' | 'mostSetAside'>;
  readonly portfolio: Pick<Portfolio, 'cashAt' | 'holdings'>;
  readonly signals: Pick<SignalSource, 'roundView' | 'judgeOf'>;
  readonly strategies: StrategyTable;
  readonly receipts: Receipts;
  /** Why entries of this user are not made, whatever the market. */
  readonly degradedReasons: (userId: UserId, agentId: AgentId) => readonly DegradedReason[];
}

/** A market's round as it is now, stale inputs absent (L8); null when it is not watched. */
export function freshView(
  signals: Pick<SignalSource, 'roundView'>,
  ref: Pick<AgentRef, 'marketId'>,
  clock: Clock,
): RoundView | null {
  const view = signals.roundView(ref.marketId);
  return view === null ? null : withoutStale(view, clock.nowMs(), viewLimits(clock));
}

/** Makes what agents do to the world: decide with a receipt, enter and leave by orders. */
export function createTrading(deps: TradingDeps): AgentEffects {
  const { store, clock, orders, portfolio, signals, strategies, receipts, metrics } = deps;
  const order = createReceiptedOrders(deps);
  const advise = createAdvise(clock);

  function count(ref: Pick<AgentRef, 'agentId'>, decision: Advice['decision']): void {
    countDecision(metrics, ref.agentId, decision);
  }

  async function decide(
    ref: AgentRef & { readonly lastPass: string | null },
  ): Promise<DecideResult> {
    const record = store.get(AGENTS, [ref.userId, ref.agentId])?.value;
    if (record === undefined || !isTrading(record))
      return { kind: 'pass', reason: 'disabled', again: false };
    if (orders.hasTraded(ref.userId, ref.agentId, ref.marketId))
      return { kind: 'pass', reason: 'traded', again: false };
    const view = freshView(signals, ref, clock);
    if (view === null) return { kind: 'pass', reason: 'unwatched', again: true };
    const row = rowOf(strategies, record);
    const judge =
      signals.judgeOf(groupKeyOf(row, record.settings), ref.marketId) ??
      row.judgeFor(record.settings);
    const { inferenceDifferenceMicros } = record.settings;
    const advice = advise(row, view, judge.judge(view), {
      kind: 'entry',
      inferenceDifferenceMicros,
      memory: judge.memory ?? null,
    });
    const { verdict, outcome } = advice.decision;
    if (verdict !== 'enter' || outcome === null) return pass(ref, advice, 'signal');
    const reasons = deps.degradedReasons(ref.userId, ref.agentId);
    if (reasons.length > 0) return pass(ref, blockedBy(advice, reasons), 'degraded');
    const availableUsdc = portfolio.cashAt(ref.userId, view.market.venue).available;
    const type = entryType(row, view);
    const leastUsdc = type.kind === 'limit' ? leastBid(view.market, type.price) : usdcMicros(0);
    if (leastUsdc > record.settings.maxPositionSize)
      return pass(ref, smaller(advice, leastUsdc, record.settings.maxPositionSize), 'size');
    const mostSetAside = (usdc: UsdcMicros) => orders.mostSetAside(view.market, usdc);
    const amountUsdc = positionSize({
      settings: record.settings,
      availableUsdc,
      leastUsdc,
      mostSetAside,
    });
    if (amountUsdc === null)
      return pass(
        ref,
        poorer(
          advice,
          availableUsdc,
          usdcMicros(Math.max(record.settings.minPositionSize, leastUsdc)),
        ),
        'funds',
      );
    return {
      kind: 'enter',
      plan: {
        ...advice,
        outcome,
        type,
        amountUsdc,
        mostUsdc: mostSetAside(amountUsdc),
      },
    };
  }

  /** Leaves one receipt for one reason, however often it comes up in the round. */
  async function pass(
    ref: AgentRef & { readonly lastPass: string | null },
    advice: Advice,
    reason: 'signal' | 'degraded' | 'funds' | 'size',
  ): Promise<DecideResult> {
    if (ref.lastPass !== reason) {
      observeDecision(deps, ref.agentId, advice, clock.nowMs());
      await receipts.write(receipts.make(ref, advice, null));
    }
    return { kind: 'pass', reason, again: reason === 'signal' || reason === 'degraded' };
  }

  async function enter({
    plan,
    ...ref
  }: Parameters<AgentEffects['enter']>[0]): Promise<EnterResult> {
    const receipt = receipts.make(ref, plan, plan.amountUsdc);
    const refusal = await order(receipt, {
      marketId: ref.marketId,
      outcome: plan.outcome,
      side: 'buy',
      amount: { unit: 'usdc', micros: plan.amountUsdc },
      type: plan.type,
      origin: originOf(receipt, 'entry'),
      limits: { orderUsdc: plan.mostUsdc },
    });
    // An entry of its own that waited when the agent was stopped may have come first since it was
    // enabled again: it is looked after as this one.
    const isOwn =
      refusal?.code === 'already_traded' && entryOf(store, ref)?.intent.outcome === plan.outcome;
    if (refusal === null || isOwn) return entered(ref);
    return {
      kind: 'refused',
      retryable: refusal.retryable || PASSING_REFUSALS.includes(refusal.code),
    };
  }

  function entered(ref: AgentRef): EnterResult {
    const entry = entryOf(store, ref);
    // Should a fill come after all, it brings the agent back to its position.
    if (entry !== null && isTerminal(entry.state) && !isHeld(entry)) return { kind: 'ended' };
    const bid = entry === null ? null : bidOf(entry);
    return bid === null
      ? { kind: 'traded' }
      : { kind: 'resting', bidLeftMs: bidLeftMs(bid, clock) };
  }

  function roundOf(ref: AgentRef): AgentRound | null {
    const record = store.get(AGENTS, [ref.userId, ref.agentId])?.value;
    return record === undefined || !isTrading(record)
      ? null
      : { row: rowOf(strategies, record), view: freshView(signals, ref, clock) };
  }

  async function leave({
    held,
    ...ref
  }: Parameters<AgentEffects['leave']>[0]): Promise<LeaveResult> {
    const seen = roundOf(ref);
    if (seen === null || seen.view === null) return { kind: 'waiting' };
    const left = sharesLeft(deps, ref, held);
    if (left.isOver) return { kind: 'left' };
    const { row, view } = seen;
    const decision = row.judgeExit(view, held);
    const advice = advise(row, view, decision, { kind: 'position', held });
    if (advice.decision.verdict !== 'exit' || left.sellable <= 0) return { kind: 'waiting' };
    const receipt = receipts.make(ref, advice, null);
    await order(receipt, {
      marketId: ref.marketId,
      outcome: held,
      side: 'sell',
      amount: { unit: 'shares', micros: left.sellable },
      type: { kind: 'market' },
      origin: originOf(receipt, 'exit'),
    });
    return { kind: 'tried' };
  }

  return {
    decide,
    enter,
    leave,
    withdraw: createWithdraw({ store, clock, orders, receipts, roundOf, advise, count }),
  };
}

/** The same effects, each failure logged once: the machine only learns that it failed. */
export function loggingFailures(effects: AgentEffects, log: Log): AgentEffects {
  const logged = <T>(
    name: string,
    { userId, agentId, marketId }: AgentRef,
    done: Promise<T>,
  ): Promise<T> =>
    done.catch((error: unknown) => {
      log.error({ userId, agentId, marketId, effect: name, error }, 'agent.effect_failed');
      throw error;
    });
  return {
    decide: (input) => logged('decide', input, effects.decide(input)),
    enter: (input) => logged('enter', input, effects.enter(input)),
    leave: (input) => logged('leave', input, effects.leave(input)),
    withdraw: (input) => logged('withdraw', input, effects.withdraw(input)),
  };
}

function entryType({ order }: StrategyRow, view: RoundView): EntryType {
  return order.kind === 'market'
    ? order
    : { kind: 'limit', price: order.price, expiresAtMs: view.startsAtMs + order.endsAfterMs };
}

function blockedBy(advice: Advice, reasons: readonly DegradedReason[]): Advice {
  const criteria = reasons.map(
    ({ code, message }): Criterion => ({
      name: code,
      value: message,
      threshold: 'nothing in the way',
      passed: false,
    }),
  );
  return overruled(advice, {
    verdict: 'skip',
    outcome: null,
    criteria: [...advice.decision.criteria, ...criteria],
    reason: `Degraded: ${reasons.map(({ message }) => message).join(' ')}`,
  });
}

function smaller(advice: Advice, least: UsdcMicros, maximum: UsdcMicros): Advice {
  const size: Criterion = {
    name: 'largest position',
    value: `${formatMicros(maximum)} USD`,
    threshold: `at least ${formatMicros(least)} USD, the venue's smallest bid`,
    passed: false,
  };
  return overruled(advice, {
    verdict: 'skip',
    outcome: null,
    criteria: [...advice.decision.criteria, size],
    reason: `The venue takes no bid below ${formatMicros(least)} USD here, and positions of this agent end at ${formatMicros(maximum)} USD.`,
  });
}
