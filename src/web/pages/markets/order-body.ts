import type { PendingRequest } from '../../api/money-request.ts';
import type { Estimate, OrderBody } from '../../api/venues.ts';

/**
 * Returns the order as the person saw it: a market order trades no share for worse than the price
 * that its ticket names, even if the book moves on the way. One that was sent and not answered is
 * sent again as it was: with another price it would be a second order.
 */
export function orderOf(
  asked: OrderBody,
  estimate: Estimate | null,
  pending: PendingRequest | null,
): OrderBody {
  if (pending !== null) {
    const sent = JSON.parse(pending.body) as OrderBody; // kept by this page as it was sent
    const { worstPrice: _seen, ...rest } = sent;
    if (JSON.stringify(rest) === JSON.stringify(asked)) return sent;
  }
  return asked.orderType === 'market' && estimate?.orderType === 'market'
    ? { ...asked, worstPrice: estimate.worstPrice }
    : asked;
}
