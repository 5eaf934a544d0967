import { AppError } from '../../domain/errors.ts';
import type { FillLeg, TradeStatus, VenueFill } from '../../domain/fill.ts';
import { asId, type Address, type OrderId, type TokenId } from '../../domain/ids.ts';
import type { TradeSide } from '../../domain/order.ts';
import {
  TICKS_PER_USD,
  parsePrice,
  parseShares,
  priceTicks,
  shareMicros,
  type PriceTicks,
  type ShareMicros,
} from '../../domain/units.ts';
import type { VenueOrder } from '../../ports/order-gateway.ts';
import type { WireOrder, WireTrade } from './schema.ts';

/** Whose part of a trade is wanted: an API key and the address whose funds move. */
export interface Party {
  readonly key: string;
  readonly address: Address;
}

/**
 * Reads an order in the venue's words. Errors: `venue_protocol` for a status or a size without
 * meaning.
 */
export function parseOrder(wire: WireOrder): VenueOrder {
  const [status, reason] = readOrderStatus(wire.status);
  // A killed order carries an empty size (venue_a.md section 9.4).
  const matchedShares =
    wire.size_matched === '' ? shareMicros(0) : sharesOf(wire.size_matched, wire.id);
  return { orderId: orderIdOf(wire.id), status, matchedShares, reason };
}

const ORDER_STATUSES: readonly (readonly [string, VenueOrder['status']])[] = [
  ['LIVE', 'live'],
  ['MATCHED', 'matched'],
  ['DELAYED', 'delayed'],
  ['UNMATCHED', 'unmatched'],
  ['CANCELED', 'cancelled'],
  ['CANCELLED', 'cancelled'],
  ['INVALID', 'cancelled'],
  ['EXPIRED', 'expired'],
];

/**
 * Statuses come bare or prefixed, in either case, and some carry their reason behind an underscore
 * (venue_a.md section 4.4).
 */
function readOrderStatus(text: string): readonly [VenueOrder['status'], string | null] {
  const bare = text.replace(/^order_status_/i, '');
  for (const [word, status] of ORDER_STATUSES) {
    if (bare.toUpperCase() === word) return [status, word === 'INVALID' ? 'INVALID' : null];
    if (bare.toUpperCase().startsWith(`${word}_`)) return [status, bare.slice(word.length + 1)];
  }
  throw protocol(`an order has the status ${text.slice(0, 80)}`);
}

/**
 * Our parts of a trade: the taker's order when it is ours, and every maker entry that is ours;
 * entries of others are left out. A maker entry on the other outcome's token is a mint or merge:
 * there the taker's price is 1 − the maker's. Errors: `venue_protocol`. Source: venue_a.md sections
 * 4.5, 6.1 and 9.4.
 */
export function parseFills(wire: WireTrade, party: Party): readonly VenueFill[] {
  const shared = {
    tradeId: asId<VenueFill['tradeId']>(wire.id),
    marketId: asId<VenueFill['marketId']>(wire.market),
    word: readWord(wire.status),
    matchedAtMs: readTime(wire.match_time ?? wire.matchtime ?? ''),
    transactionHash: wire.transaction_hash === '' ? null : (wire.transaction_hash ?? null),
  };
  const side: TradeSide = wire.side === 'BUY' ? 'buy' : 'sell';
  const makers = wire.maker_orders
    .filter((entry) => isParty(entry, party, wire.id))
    .map(
      (entry): VenueFill => ({
        ...shared,
        orderId: orderIdOf(entry.order_id),
        tokenId: asId<TokenId>(entry.asset_id),
        side:
          entry.side === undefined
            ? makerSide(wire, entry.asset_id)
            : entry.side === 'BUY'
              ? 'buy'
              : 'sell',
        role: 'maker',
        fee: null,
        legs: [
          { shares: tradedOf(entry.matched_amount, wire.id), price: priceOf(entry.price, wire.id) },
        ],
      }),
    );
  if (!isTaker(wire, party, makers.length > 0)) return makers;
  return [
    {
      ...shared,
      orderId: orderIdOf(wire.taker_order_id),
      tokenId: asId<TokenId>(wire.asset_id),
      side,
      role: 'taker',
      legs: takerLegs(wire),
      fee: null,
    },
    ...makers,
  ];
}

/**
 * Some messages leave the role out; then the owner at the top tells it, unless that is the maker's
 * own view.
 */
function isTaker(wire: WireTrade, party: Party, isMaker: boolean): boolean {
  if (wire.trader_side !== undefined)
    return wire.trader_side === 'TAKER' && isParty(wire, party, wire.id);
  return !isMaker && isParty(wire, party, wire.id);
}

/** A part without a named party may be ours: it is neither taken nor denied. */
function isParty(
  entry: { readonly owner?: string | undefined; readonly maker_address?: string | undefined },
  party: Party,
  tradeId: string,
): boolean {
  if (entry.owner === undefined && entry.maker_address === undefined)
    throw protocol(`trade ${tradeId} does not say whose it is`);
  return (
    entry.owner === party.key || entry.maker_address?.toLowerCase() === party.address.toLowerCase()
  );
}

/**
 * On the same token the maker stood against the taker, on the other one beside it (mint and merge).
 */
function makerSide(wire: WireTrade, assetId: string): TradeSide {
  return (assetId === wire.asset_id) === (wire.side === 'BUY') ? 'sell' : 'buy';
}

/**
 * The taker's legs at each maker's exact price. Where the entries do not add up to the trade (the
 * list can be cut), the venue's own total and price stand instead.
 */
function takerLegs(wire: WireTrade): readonly FillLeg[] {
  const size = tradedOf(wire.size, wire.id);
  const legs = wire.maker_orders.map((entry): FillLeg => {
    const price = priceOf(entry.price, wire.id);
    return {
      shares: sharesOf(entry.matched_amount, wire.id),
      price: entry.asset_id === wire.asset_id ? price : priceTicks(TICKS_PER_USD - price),
    };
  });
  const total = legs.reduce((sum, leg) => sum + leg.shares, 0);
  return total === size && legs.length > 0
    ? legs
    : [{ shares: size, price: priceOf(wire.price, wire.id) }];
}

/** An order id is a hash, which has no case; our own records write it small. */
function orderIdOf(text: string): OrderId {
  return asId<OrderId>(text.toLowerCase());
}

function readWord(status: string): TradeStatus {
  switch (status.replace(/^trade_status_/i, '').toUpperCase()) {
    case 'MATCHED':
    case 'MATCHED_NOT_BROADCASTED':
      return 'matched';
    case 'MINED':
      return 'mined';
    case 'CONFIRMED':
      return 'confirmed';
    case 'RETRYING':
      return 'retrying';
    case 'FAILED':
      return 'failed';
    default:
      throw protocol(`a trade has the status ${status.slice(0, 80)}`);
  }
}

/** Epoch ms of seconds text, milliseconds text or ISO text: all have been seen. */
function readTime(text: string): number {
  const ms = /^\d{9,11}$/.test(text)
    ? Number(text) * 1_000
    : /^\d{12,14}$/.test(text)
      ? Number(text)
      : Date.parse(text);
  if (!Number.isSafeInteger(ms)) throw protocol(`a trade has the time ${text.slice(0, 40)}`);
  return ms;
}

function priceOf(text: string, tradeId: string): PriceTicks {
  const price = parsePrice(text);
  if (price === null) throw protocol(`trade ${tradeId} has the price ${text.slice(0, 40)}`);
  return price;
}

/** A trade of size zero is invalid: what else it says is not to be believed either. */
function tradedOf(text: string, tradeId: string): ShareMicros {
  const shares = sharesOf(text, tradeId);
  if (shares === 0) throw protocol(`trade ${tradeId} has the size 0`);
  return shares;
}

function sharesOf(text: string, id: string): ShareMicros {
  const shares = parseShares(text);
  if (shares === null) throw protocol(`${id} has the size ${text.slice(0, 40)}`);
  return shares;
}

function protocol(message: string): AppError {
  return new AppError('venue_protocol', message);
}
