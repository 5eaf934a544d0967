import { useEffect } from 'react';
import type { Attempt } from '../../api/attempt.ts';
import { forgetRequest, pendingRequest } from '../../api/money-request.ts';
import { useOrders } from '../../api/orders.ts';
import type { Market, Order } from '../../api/venues.ts';

/**
 * Finds the order of a request of this ticket whose answer was lost, by its key, once the list of
 * orders has it: `onFound` gets it, and the request is pending no more. One that never arrived is
 * in no list, and stays to be asked for again.
 */
export function useLostAnswer(
  market: Market,
  form: string,
  { attempt, onFound }: { readonly attempt: Attempt; onFound(order: Order): void },
): void {
  const orders = useOrders(market);
  const isLost = !attempt.isBusy && attempt.problem?.isOutcomeUnknown === true;
  const key = isLost ? (pendingRequest(form)?.key ?? null) : null;
  const found =
    key === null ? undefined : orders.data?.find(({ clientOrderId }) => clientOrderId === key);
  useEffect(() => {
    if (key === null || found === undefined) return;
    forgetRequest(form, key);
    attempt.clear();
    onFound(found);
  });
}
