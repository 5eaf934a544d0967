import { describe, expect, it } from 'vitest';
import type { Estimate, OrderBody } from '../../../src/web/api/venues.ts';
import { orderOf } from '../../../src/web/pages/markets/order-body.ts';

const MARKET: OrderBody = {
  marketId: '0x1',
  side: 'yes',
  action: 'buy',
  amount: '5',
  orderType: 'market',
  orderMode: 'dollars',
};
const estimateOf = (worstPrice: string): Estimate =>
  ({ orderType: 'market', worstPrice }) as Estimate; // what the order is made of
const pendingOf = (order: OrderBody) => ({ key: 'k', body: JSON.stringify(order) });

describe('an order of the ticket', () => {
  it('is sent with the worst price that the ticket shows', () => {
    expect(orderOf(MARKET, estimateOf('0.9'), null)).toEqual({ ...MARKET, worstPrice: '0.9' });
  });

  it('without an answer is sent again as it was, whatever the book asks by now', () => {
    const sent = orderOf(MARKET, estimateOf('0.9'), null);
    expect(orderOf(MARKET, estimateOf('0.93'), pendingOf(sent))).toEqual(sent);
    expect(JSON.stringify(orderOf(MARKET, null, pendingOf(sent)))).toBe(JSON.stringify(sent));
  });

  it('of another amount than the one without an answer is one of its own', () => {
    const sent = orderOf(MARKET, estimateOf('0.9'), null);
    const other = { ...MARKET, amount: '6' };
    expect(orderOf(other, estimateOf('0.93'), pendingOf(sent))).toEqual({
      ...other,
      worstPrice: '0.93',
    });
  });

  it('with a limit has that as its worst price', () => {
    const limit: OrderBody = { ...MARKET, orderType: 'limit', price: '0.5' };
    expect(orderOf(limit, estimateOf('0.9'), null)).toEqual(limit);
  });
});
