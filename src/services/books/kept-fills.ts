import { assert } from '../../domain/errors.ts';
import type { FillRecord } from '../../domain/fill.ts';
import type { TokenId, UserId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import type { OrderIntent, OrderRecord } from '../../domain/order.ts';
import type { StoreReader } from '../../ports/store.ts';
import { FILLS, ORDERS, TOKEN_FILLS, TRADED_MARKETS } from './tables.ts';

/** Fills of one token that still count, in the order in which they were booked. */
export function standingFills(
  reader: StoreReader,
  userId: UserId,
  tokenId: TokenId,
): readonly FillRecord[] {
  return reader
    .range(TOKEN_FILLS, { prefix: [userId, tokenId] })
    .map(({ value }) => reader.get(FILLS, [userId, value.orderId, value.tradeId])?.value)
    .filter((record) => record !== undefined)
    .filter(({ settlement }) => settlement !== 'reversed');
}

/** The order that a fill is of. */
export function orderOf(tx: StoreReader, { userId, intentId, tradeId }: FillRecord): OrderRecord {
  const order = tx.get(ORDERS, [userId, intentId])?.value;
  assert(order !== undefined, `fill ${tradeId} has an order`);
  return order;
}

/** The market of an order or a position, which is stored with its first order. */
export function tradedMarket(
  reader: StoreReader,
  { marketId }: Pick<OrderIntent, 'marketId'>,
): Market {
  const market = reader.get(TRADED_MARKETS, [marketId])?.value;
  assert(market !== undefined, `market ${marketId} was stored with its first order`);
  return market;
}
