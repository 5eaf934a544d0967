import { AppError } from '../domain/errors.ts';
import type { OrderHandle } from '../domain/order.ts';
import type { LookupOutcome, OrderGateway } from '../ports/order-gateway.ts';

/**
 * Makes the gateway of orders that are transactions on a chain: what has left cannot be called back
 * there, nothing rests, and there is nothing to hear: what is in motion is asked about.
 */
export function createChainGateway({
  submit,
  lookup,
}: Pick<OrderGateway, 'submit'> & {
  /** What has become of an order. Errors: those of who is asked, which are `unreachable`. */
  lookup(order: OrderHandle): Promise<LookupOutcome>;
}): OrderGateway {
  return {
    submit,
    async lookup(order) {
      try {
        return await lookup(order);
      } catch (cause) {
        if (!(cause instanceof AppError)) throw cause;
        return { kind: 'unreachable', cause: cause.message };
      }
    },
    cancel: () =>
      Promise.resolve({
        kind: 'refused',
        reason: 'what has left for the chain cannot be called back',
      }),
    fills: null,
    openOrders: () => Promise.resolve({ read: [], unread: 0 }),
    watch(_userId, { next }) {
      let isStopped = false;
      queueMicrotask(() => {
        if (!isStopped) next({ kind: 'connected' });
      });
      return () => void (isStopped = true);
    },
  };
}
