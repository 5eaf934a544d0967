import { z } from 'zod';
import { formatMicros, formatPrice, usdcMicros } from '../../../../domain/units.ts';
import { VENUE_MODEL } from '../../../../../config/limits/sandbox.ts';
import type { Timer } from '../../../../ports/clock.ts';
import type { ApiKey } from '../../../engine/api-keys.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { EngineTrade, ExchangeEvent, OrderView } from '../../../engine/exchange-types.ts';
import { outcomeLabel, readerOf, secondsText, statusText, wireTrade } from './clob-vocabulary.ts';
import { keyOfCredentials } from './venue-auth.ts';
import type { Channel, PeerHandler, SocketPeer } from '../../../wire/socket-server.ts';
import { readJson } from '../../../wire/http-server.ts';

/** How long a client may stay silent before it has said who it is. */
const AUTH_WINDOW_MS = 10_000;

const markets = z.array(z.string().max(80)).max(VENUE_MODEL.socketTokensMaximum);
const openSchema = z.object({
  auth: z.object({ apiKey: z.string(), secret: z.string(), passphrase: z.string() }),
  type: z.literal('user'),
  markets: markets.optional(),
});
const changeSchema = z.object({ markets, operation: z.enum(['subscribe', 'unsubscribe']) });

interface UserPeer {
  readonly peer: SocketPeer;
  key: ApiKey | null;
  /** Condition ids; null for all markets. */
  markets: Set<string> | null;
  authTimer: Timer | null;
}

type OwnEvent = Extract<ExchangeEvent, { readonly kind: 'order' | 'trade' }>;

/** The user channel: own orders and trades for whoever proves a key (venue_a.md section 9.4). */
export interface UserChannel {
  readonly channel: Channel;
  /** Stops listening to the exchange. */
  close(): void;
}

/** Makes the user channel of an exchange. There is no snapshot and no replay. */
export function createUserChannel(exchange: VenueModel): UserChannel {
  const peers = new Set<UserPeer>();
  const queue: OwnEvent[] = [];
  const stop = exchange.subscribe((event) => {
    if (event.kind !== 'order' && event.kind !== 'trade') return;
    queue.push(event);
    if (queue.length > 1) return;
    // The answer to the request that caused an event leaves first; the fault
    // "trade-before-response" turns that round.
    queueMicrotask(() => {
      for (const one of queue.splice(0)) for (const client of peers) tell(exchange, client, one);
    });
  });
  return {
    close: stop,
    channel(peer) {
      const client: UserPeer = { peer, key: null, markets: null, authTimer: null };
      client.authTimer = exchange.clock.after(AUTH_WINDOW_MS, () =>
        peer.close(1008, 'no authentication'),
      );
      peers.add(client);
      return handlerOf(exchange, client, () => void peers.delete(client));
    },
  };
}

function handlerOf(exchange: VenueModel, client: UserPeer, forget: () => void): PeerHandler {
  return {
    gone() {
      client.authTimer?.cancel();
      forget();
    },
    frame(text) {
      if (text === 'PING') {
        client.peer.send('PONG');
        return;
      }
      const body = readJson(text);
      if (client.key === null) open(exchange, client, body);
      else change(client, body);
    },
  };
}

function open(exchange: VenueModel, client: UserPeer, body: unknown): void {
  const parsed = openSchema.safeParse(body);
  client.key = parsed.success ? keyOfCredentials(exchange.keys, parsed.data.auth) : null;
  if (client.key === null || !parsed.success) {
    client.peer.close(1008, 'authentication failed');
    return;
  }
  client.authTimer?.cancel();
  const named = parsed.data.markets;
  client.markets =
    named === undefined || named.length === 0
      ? null
      : new Set(named.map((market) => market.toLowerCase()));
}

function change(client: UserPeer, body: unknown): void {
  const parsed = changeSchema.safeParse(body);
  if (!parsed.success) {
    client.peer.send('INVALID MESSAGE');
    return;
  }
  const named = parsed.data.markets.map((market) => market.toLowerCase());
  if (parsed.data.operation === 'unsubscribe')
    for (const market of named) client.markets?.delete(market);
  else
    client.markets = new Set(
      [...(client.markets ?? []), ...named].slice(0, VENUE_MODEL.socketTokensMaximum),
    );
}

function tell(exchange: VenueModel, client: UserPeer, event: OwnEvent): void {
  if (client.key === null) return;
  const owners = exchange.keys.ownersOf(client.key.address);
  const marketId = event.kind === 'order' ? event.order.marketId : event.trade.marketId;
  if (client.markets !== null && !client.markets.has(marketId.toLowerCase())) return;
  const subject = { owner: client.key.apiKey, address: client.key.address, marketId };
  const frame =
    event.kind === 'order'
      ? orderFrame(exchange, event, owners)
      : tradeFrame(exchange, event.trade, owners);
  if (frame === null || exchange.faults.take('dropped-user-events', subject) !== null) return;
  if (exchange.faults.take('socket-dropped', subject) !== null) {
    client.peer.cut();
    return;
  }
  const text = JSON.stringify(frame);
  client.peer.send(text);
  if (event.kind !== 'trade') return;
  if (exchange.faults.take('duplicate-trade', subject) !== null) client.peer.send(text);
  if (
    event.trade.status !== 'CONFIRMED' ||
    exchange.faults.take('confirmed-then-replayed-matched', subject) === null
  )
    return;
  client.peer.send(
    JSON.stringify({
      ...frame,
      status: 'MATCHED',
      transaction_hash: '',
      last_update: secondsText(event.trade.matchedAtMs),
    }),
  );
}

function orderFrame(
  exchange: VenueModel,
  event: Extract<OwnEvent, { kind: 'order' }>,
  owners: ReadonlySet<string>,
): Record<string, unknown> | null {
  const { order: view, type } = event;
  const { order } = view;
  if (!owners.has(order.owner)) return null;
  const market = exchange.market(view.marketId);
  const killed =
    view.status === 'CANCELED' &&
    view.matchedShares === 0 &&
    (order.timeInForce === 'FOK' || order.timeInForce === 'FAK');
  return {
    event_type: 'order',
    type,
    id: order.orderId,
    owner: order.owner,
    order_owner: order.owner,
    market: view.marketId,
    asset_id: order.tokenId,
    side: order.side === 'buy' ? 'BUY' : 'SELL',
    original_size: formatMicros(usdcMicros(view.originalMicros)),
    // A killed order comes with these three empty (venue_a.md section 9.4).
    size_matched: killed ? '' : formatMicros(view.matchedShares),
    outcome: killed || market === null ? '' : outcomeLabel(market, order.tokenId),
    created_at: killed ? '' : secondsText(view.createdAtMs),
    price: formatPrice(order.price),
    associate_trades: view.tradeIds.length === 0 ? null : view.tradeIds,
    order_type: order.timeInForce,
    expiration: order.expiration ?? '0',
    status: socketStatus(view),
    maker_address: order.maker,
    timestamp: String(view.updatedAtMs),
  };
}

/** What the venue cancels by itself is INVALID here, whatever REST calls it. */
function socketStatus(view: OrderView): string {
  return view.status === 'CANCELED_MARKET_RESOLVED' ? 'INVALID' : statusText(view);
}

function tradeFrame(
  exchange: VenueModel,
  trade: EngineTrade,
  owners: ReadonlySet<string>,
): Record<string, unknown> | null {
  const reader = readerOf(trade, owners);
  if (reader === null) return null;
  return {
    ...wireTrade(exchange, trade, reader),
    event_type: 'trade',
    type: 'TRADE',
    fee_rate_bps: '',
    trade_owner: reader.owner,
    timestamp: String(trade.updatedAtMs),
  };
}
