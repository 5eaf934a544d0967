import type { DecisionRecord } from '../../domain/agent.ts';
import { AppError } from '../../domain/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Orders } from '../orders/orders.ts';
import type { PlaceOrder } from '../orders/place-order.ts';
import type { Receipts } from './receipts.ts';

/** What receipted orders need. */
export interface ReceiptedOrdersDeps {
  readonly orders: Pick<Orders, 'place'>;
  readonly receipts: Pick<Receipts, 'put' | 'write'>;
  readonly metrics: Metrics;
  readonly log: Log;
}

/**
 * Places an order with its receipt in one commit, so that neither is ever found without the other (L11). A refusal is written
 * into a receipt of its own and given back; null when an order was made.
 */
export type ReceiptedOrders = (
  receipt: DecisionRecord,
  request: PlaceOrder,
) => Promise<AppError | null>;

/** Makes the one way agents order. */
export function createReceiptedOrders({
  orders,
  receipts,
  metrics,
  log,
}: ReceiptedOrdersDeps): ReceiptedOrders {
  return async (receipt, request) => {
    const { userId, agentId, marketId, decisionId } = receipt;
    metrics.count('decisions_total', { agent: agentId, verdict: receipt.decision.verdict });
    try {
      await orders.place(userId, {
        ...request,
        idempotencyKey: decisionId,
        alongside: (tx, { intentId }) =>
          receipts.put(tx, { ...receipt, outcome: { kind: 'order', intentId } }),
      });
      return null;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.info({ userId, agentId, marketId, decisionId, code: error.code }, 'agent.refused');
      await receipts.write({
        ...receipt,
        outcome: { kind: 'refused', code: error.code, message: error.message },
      });
      return error;
    }
  };
}
