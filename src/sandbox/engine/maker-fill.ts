import { asId, type Address, type OrderId } from '../../domain/ids.ts';
import { mulDiv, priceTicks, shareMicros, TICKS_PER_USD } from '../../domain/units.ts';
import { endOrder, marketOf, type EngineState, type OrderRecord } from './engine-state.ts';
import { deposit } from './funding.ts';
import { placeOrder } from './placing.ts';
import { uuidFrom, type RunScheduled } from './settlement.ts';

/**
 * The market maker account that fills on demand; it takes its collateral out of nothing, like the
 * faucet.
 */
const FILLER = asId<Address>('0x00000000000000000000000000000000000F111E');
const CENT_OF_SHARE = 10_000;

/**
 * Lets the market maker fill a resting order, and with it everything that rests before it: the
 * market maker buys the token that is sold, or the opposite one when the order buys, so that it
 * never needs shares of its own.
 */
export function fillByMaker(state: EngineState, target: OrderRecord, run: RunScheduled): void {
  const { market, book } = marketOf(state, target.marketId);
  let ahead = 0;
  for (const resting of book.queue(target.bookSide)) {
    ahead += resting.remaining;
    if (resting === target) break;
  }
  const sells = target.order.side === 'sell';
  const shares = Math.max(market.minSize, Math.ceil(ahead / CENT_OF_SHARE) * CENT_OF_SHARE);
  const price = priceTicks(sells ? target.order.price : TICKS_PER_USD - target.order.price);
  const tokenId = sells ? target.order.tokenId : market.tokens[target.outcome === 0 ? 1 : 0];
  const orderId = asId<OrderId>(`maker-fill:${uuidFrom(state.random)}`);
  deposit(state, FILLER, shareMicros(shares * 2));
  placeOrder(
    state,
    {
      orderId,
      maker: FILLER,
      owner: 'maker:filler',
      tokenId,
      side: 'buy',
      timeInForce: 'GTC',
      price,
      makerMicros: mulDiv(shares, price, TICKS_PER_USD, 'floor'),
      takerMicros: shares,
      expiresAtMs: null,
      postOnly: false,
    },
    run,
  );
  const rest = state.orders.get(orderId);
  if (rest?.status === 'LIVE') endOrder(state, rest, 'CANCELED', null);
}
