import { AGENT } from '../../../config/limits.ts';
import type { Advice, AgentRef } from '../../../machines/agent-types.ts';
import { AGENT_PROFILES, type Criterion, type DecisionRecord } from '../../domain/agent.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import { isTerminal, type OrderOrigin, type OrderRecord } from '../../domain/order.ts';
import { formatMicros, type UsdcMicros } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader } from '../../ports/store.ts';
import { agentShares, hasOpenFills } from '../books/agent-shares.ts';
import { AGENT_MARKETS, ORDERS } from '../books/tables.ts';
import type { Orders } from '../orders/orders.ts';
import type { PlaceOrder } from '../orders/place-order.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import { observeDecision, secondsOf } from './decision-figures.ts';
import type { Receipts } from './receipts.ts';

/**
 * Places an order with its receipt in one commit, so that neither is ever found without the other
 * (L11). A refusal is written into a receipt of its own and given back; null when an order was
 * made.
 */
export type ReceiptedOrders = (
  receipt: DecisionRecord,
  request: Omit<PlaceOrder, 'venue'>,
) => Promise<AppError | null>;

/** Makes the one way agents order. */
export function createReceiptedOrders({
  orders,
  receipts,
  clock,
  metrics,
  log,
}: Pick<Runtime, 'clock' | 'metrics' | 'log'> & {
  readonly orders: Pick<Orders, 'place'>;
  readonly receipts: Pick<Receipts, 'put' | 'write'>;
}): ReceiptedOrders {
  return async (receipt, request) => {
    const { userId, agentId, marketId, decisionId } = receipt;
    const { venue } = AGENT_PROFILES[agentId];
    const askedAtMs = clock.nowMs();
    try {
      await orders.place(userId, {
        ...request,
        venue,
        idempotencyKey: decisionId,
        judgedAtMs: receipt.atMs,
        alongside: (tx, { intentId, traceparent }) =>
          receipts.put(tx, {
            ...receipt,
            ...(traceparent === undefined ? {} : { traceparent }),
            outcome: { kind: 'order', intentId },
          }),
      });
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, traceId } = error;
      log.info(
        { userId, agentId, marketId, decisionId, code, ...(traceId === null ? {} : { traceId }) },
        'agent.refused',
      );
      await receipts.write({
        ...receipt,
        outcome: { kind: 'refused', code: error.code, message: error.message },
      });
      return error;
    } finally {
      // After the order: nothing waits for it.
      observeDecision({ metrics, clock }, agentId, receipt, askedAtMs);
      metrics.observe('order_stage_seconds', secondsOf(clock, askedAtMs - receipt.atMs), {
        venue,
        stage: 'decide',
      });
    }
  };
}

/** Refusals of a moment, not of the round: judged anew after a pause. */
export const PASSING_REFUSALS: readonly ErrorCode[] = [
  'book_untrusted',
  'feed_stale',
  'no_liquidity',
  'lock_busy',
  'preparation_timeout',
  'market_fenced',
  'market_not_ready',
  'venue_unavailable',
  'agent_degraded',
];

/** Says whose decision an order is, and what for. */
export function originOf(record: DecisionRecord, purpose: 'entry' | 'exit'): OrderOrigin {
  return { kind: 'agent', agentId: record.agentId, decisionId: record.decisionId, purpose };
}

/** The entry order of an agent in a market; null when it made none. */
export function entryOf(
  store: StoreReader,
  { userId, agentId, marketId }: AgentRef,
): OrderRecord | null {
  const intentId = store.get(AGENT_MARKETS, [userId, agentId, marketId])?.value.intentId;
  return intentId === undefined ? null : (store.get(ORDERS, [userId, intentId])?.value ?? null);
}

/**
 * What the agent may still sell of its own: what its fills brought less what they sold, those that
 * failed to settle left out, and no more than is final and not set aside.
 */
export function sharesLeft(
  {
    store,
    portfolio,
    receipts,
  }: {
    readonly store: StoreReader;
    readonly portfolio: Pick<Portfolio, 'holdings'>;
    readonly receipts: Pick<Receipts, 'exitOrders'>;
  },
  ref: AgentRef,
  held: OutcomeIndex,
): { readonly isOver: boolean; readonly sellable: number } {
  const entry = entryOf(store, ref);
  if (entry === null) return { isOver: true, sellable: 0 };
  const exits = receipts.exitOrders(ref, entry.intent.createdAtMs);
  const own = agentShares(store, ref, entry.intent.tokenId);
  // A trade that is not final may be taken back: what it sold is then to be sold again.
  const isMoving =
    !isTerminal(entry.state) ||
    exits.some((exit) => !isTerminal(exit.state)) ||
    hasOpenFills(store, ref);
  const holding = portfolio
    .holdings(ref.userId, { marketId: ref.marketId, type: 'open' })
    .find(({ position }) => position.outcome === held);
  if (own < AGENT.dustShareMicros || holding === undefined)
    return { isOver: !isMoving, sellable: 0 };
  return { isOver: false, sellable: Math.min(own, holding.availableShares) };
}

/** The same advice with another decision, made by the agent and not by its strategy. */
export function overruled(advice: Advice, decision: Advice['decision']): Advice {
  const { basis, decision: said } = advice;
  return { ...advice, decision, ...(basis === undefined ? {} : { basis: { said, ...basis } }) };
}

/** The same advice, skipped for want of cash. */
export function poorer(advice: Advice, available: UsdcMicros, minimum: UsdcMicros): Advice {
  const funds: Criterion = {
    name: 'cash',
    value: `${formatMicros(available)} USD`,
    threshold: `at least ${formatMicros(minimum)} USD and the fee`,
    passed: false,
  };
  return overruled(advice, {
    verdict: 'skip',
    outcome: null,
    criteria: [...advice.decision.criteria, funds],
    reason: `Cash of ${formatMicros(available)} USD does not cover the smallest position and its fee.`,
  });
}
