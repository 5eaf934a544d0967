import {
  asId,
  type MarketId,
  type OrderId,
  type TokenId,
  type TradeId,
} from '../../../../domain/ids.ts';
import type { ApiKey } from '../../../engine/api-keys.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { OrderView } from '../../../engine/exchange-types.ts';
import type { Heartbeats } from '../../../engine/heartbeats.ts';
import { REFUSALS } from '../../../engine/order-rules.ts';
import { cursorAfter, readCursor } from './clob-public.ts';
import { page, readerOf, statusText, wireOrder, wireTrade } from './clob-vocabulary.ts';
import type { CallerTime } from '../../../wire/caller-times.ts';
import { fundsAddress } from './admission.ts';
import { postOrder, postOrders } from './order-service.ts';
import { callerTime, keyProof, readAddress } from './venue-auth.ts';
import {
  failed,
  ok,
  readJson,
  type Call,
  type Reply,
  type VenueRoute,
} from '../../../wire/http-server.ts';

const CANCEL_MAXIMUM = 1_000;
const ORDERS_PAGE = 100;
const TRADES_PAGE = 500;
const STUCK_LIVE_MS = 3_000;

type KeyedRun = (call: Call, key: ApiKey, time: CallerTime) => Reply;

/** Private routes: orders, cancels, trades, balances, heartbeat (venue_a.md sections 4 and 7.1). */
export function tradingRoutes({
  exchange,
  heartbeats,
  times,
}: {
  readonly exchange: VenueModel;
  readonly heartbeats: Heartbeats;
  /** Clocks that callers may go by. */
  readonly times: readonly CallerTime[];
}): readonly VenueRoute[] {
  const keyed = (method: VenueRoute['method'], path: string, run: KeyedRun): VenueRoute => ({
    method,
    path,
    run(call) {
      const time = callerTime(call, times);
      const key = time === null ? null : keyProof(call, exchange.keys, times);
      return key === null || time === null
        ? failed(401, 'Unauthorized/Invalid api key')
        : run(call, key, time);
    },
  });
  return [
    keyed('POST', '/order', (call, key, time) =>
      postOrder(exchange, { key, time }, readJson(call.body)),
    ),
    keyed('POST', '/orders', (call, key, time) =>
      postOrders(exchange, { key, time }, readJson(call.body)),
    ),
    keyed('DELETE', '/order', (call, key) => cancelOne(exchange, key, readJson(call.body))),
    keyed('DELETE', '/orders', (call, key) => cancelMany(exchange, key, readJson(call.body))),
    keyed('DELETE', '/cancel-all', (_call, key) => cancelWhere(exchange, key, () => true)),
    keyed('DELETE', '/cancel-market-orders', (call, key) =>
      cancelMarket(exchange, key, readJson(call.body)),
    ),
    keyed('GET', '/data/order/:id', (call, key) =>
      oneOrder(exchange, key, call.params['id'] ?? ''),
    ),
    keyed('GET', '/data/orders', (call, key) => openOrders(exchange, key, call)),
    keyed('GET', '/data/pre-migration-orders', () => ok(page([], ORDERS_PAGE))),
    keyed('GET', '/data/trades', (call, key) => trades(exchange, key, call)),
    keyed('GET', '/balance-allowance', (call, key) => balance(exchange, key, call)),
    keyed('GET', '/balance-allowance/update', (call, key) => refresh(exchange, key, call)),
    keyed('POST', '/v1/heartbeats', (call, key) => beat(heartbeats, key, readJson(call.body))),
    keyed('GET', '/notifications', () => ok([])),
    keyed('DELETE', '/notifications', () => ok('OK')),
    // Scoring and earnings belong to a rewards programme the sandbox does not have.
    keyed('GET', '/order-scoring', () => ok({ scoring: false })),
    keyed('POST', '/orders-scoring', (call) =>
      ok(Object.fromEntries(idsOf(readJson(call.body)).map((id) => [id, false]))),
    ),
    keyed('GET', '/rewards/user', () => ok(page([], ORDERS_PAGE))),
    keyed('GET', '/rewards/user/total', () => ok([])),
    keyed('GET', '/rewards/user/percentages', () => ok({})),
    keyed('GET', '/rewards/user/markets', () => ok(page([], ORDERS_PAGE))),
  ];
}

function cancelOne(exchange: VenueModel, key: ApiKey, body: unknown): Reply {
  const orderId =
    typeof body === 'object' && body !== null && 'orderID' in body ? body.orderID : null;
  return isOrderId(orderId) ? cancelIds(exchange, key, [orderId]) : failed(400, 'Invalid orderID');
}

function cancelMany(exchange: VenueModel, key: ApiKey, body: unknown): Reply {
  const ids = idsOf(body);
  if (ids.length === 0 || !ids.every(isOrderId)) return failed(400, 'Invalid orderID');
  return ids.length > CANCEL_MAXIMUM
    ? failed(400, `Too many orders in payload, max allowed: ${CANCEL_MAXIMUM}`)
    : cancelIds(exchange, key, ids);
}

function cancelMarket(exchange: VenueModel, key: ApiKey, body: unknown): Reply {
  if (typeof body !== 'object' || body === null) return failed(400, REFUSALS.payload);
  const { market, asset_id: asset } = { market: undefined, asset_id: undefined, ...body };
  return cancelWhere(
    exchange,
    key,
    ({ marketId, order }) =>
      (market === undefined || marketId === market) &&
      (asset === undefined || order.tokenId === asset),
  );
}

function cancelWhere(
  exchange: VenueModel,
  key: ApiKey,
  wanted: (view: OrderView) => boolean,
): Reply {
  const open = exchange.openOrders(exchange.keys.ownersOf(key.address)).filter(wanted);
  return cancelIds(
    exchange,
    key,
    open.map(({ order }) => order.orderId),
  );
}

/** Cancels each on its own; 200 even when some could not be (venue_a.md section 4.3). */
function cancelIds(exchange: VenueModel, key: ApiKey, ids: readonly string[]): Reply {
  const owners = exchange.keys.ownersOf(key.address);
  const canceled: string[] = [];
  const refused: Record<string, string> = {};
  for (const id of ids) {
    const owner = exchange.order(asId<OrderId>(id))?.order.owner ?? key.apiKey;
    const result = exchange.cancel(owners.has(owner) ? owner : key.apiKey, asId<OrderId>(id));
    if (result.cancelled) canceled.push(id);
    else refused[id] = result.reason;
  }
  return ok({ canceled, not_canceled: refused });
}

function oneOrder(exchange: VenueModel, key: ApiKey, id: string): Reply {
  const view = exchange.order(asId<OrderId>(id));
  if (view === null || !exchange.keys.ownersOf(key.address).has(view.order.owner))
    return failed(404, 'order not found');
  const killed = view.order.timeInForce === 'FOK' && view.status === 'CANCELED';
  const stuck = killed && exchange.clock.nowMs() < view.updatedAtMs + stuckMs(exchange, view);
  return ok(wireOrder(exchange, view, stuck ? 'LIVE' : statusText(view)));
}

/** How long a killed order is still shown as live; zero unless the fault is armed. */
function stuckMs({ faults }: VenueModel, { order }: OrderView): number {
  return (
    faults
      .take('fok-stuck-live', { owner: order.owner, orderId: order.orderId })
      ?.delayOr(STUCK_LIVE_MS) ?? 0
  );
}

function openOrders(exchange: VenueModel, key: ApiKey, { query }: Call): Reply {
  const offset = readCursor(query.get('next_cursor'));
  if (offset === null) return failed(400, 'invalid order params payload');
  const [id, market, asset] = [query.get('id'), query.get('market'), query.get('asset_id')];
  const views = exchange
    .openOrders(exchange.keys.ownersOf(key.address))
    .filter(
      ({ order, marketId }) =>
        matches(id, order.orderId) && matches(market, marketId) && matches(asset, order.tokenId),
    );
  const rows = offset < 0 ? [] : views.slice(offset, offset + ORDERS_PAGE);
  return ok(
    page(
      rows.map((view) => wireOrder(exchange, view, view.status)),
      ORDERS_PAGE,
      cursorAfter(Math.max(0, offset) + rows.length, offset < 0 ? 0 : views.length),
    ),
  );
}

function trades(exchange: VenueModel, key: ApiKey, { query }: Call): Reply {
  const offset = readCursor(query.get('next_cursor'));
  const [before, after] = [query.get('before'), query.get('after')];
  if (offset === null || !isSeconds(before) || !isSeconds(after))
    return failed(400, 'Invalid trade params payload');
  const [id, market, asset, maker] = [
    query.get('id'),
    query.get('market'),
    query.get('asset_id'),
    query.get('maker_address'),
  ];
  const makerAddress = maker === null || maker === '' ? null : readAddress(maker);
  const owners = exchange.keys.ownersOf(key.address);
  const rows = exchange.tradesOf(owners).flatMap((trade) => {
    const atS = Math.floor(trade.matchedAtMs / 1_000);
    const wanted =
      matches(id, trade.tradeId satisfies TradeId) &&
      matches(market, trade.marketId) &&
      (matches(asset, trade.tokenId) || trade.makers.some(({ tokenId }) => tokenId === asset)) &&
      (before === null || before === '' || atS < Number(before)) &&
      (after === null || after === '' || atS >= Number(after)) &&
      (makerAddress === null ||
        trade.taker === makerAddress ||
        trade.makers.some((part) => part.maker === makerAddress));
    const reader = wanted ? readerOf(trade, owners) : null;
    return reader !== null ? [{ trade, reader }] : [];
  });
  const shown = offset < 0 ? [] : rows.slice(offset, offset + TRADES_PAGE);
  const data = shown.map(({ trade, reader }) => ({
    ...wireTrade(exchange, trade, reader),
    status: `TRADE_STATUS_${trade.status}`,
  }));
  return ok(
    page(
      data,
      TRADES_PAGE,
      cursorAfter(Math.max(0, offset) + shown.length, offset < 0 ? 0 : rows.length),
    ),
  );
}

function balance(exchange: VenueModel, key: ApiKey, { query }: Call): Reply {
  const type = query.get('asset_type');
  const account = fundsAddress(key.address, Number(query.get('signature_type') ?? 0), exchange);
  if (account === null) return failed(400, 'Invalid signature_type');
  if (type !== 'COLLATERAL' && type !== 'CONDITIONAL') return failed(400, 'Invalid asset type');
  const tokenId = asId<TokenId>(query.get('token_id') ?? '');
  if (type === 'CONDITIONAL' && !/^\d{1,78}$/.test(tokenId)) return failed(400, 'Invalid token id');
  const holding = type === 'COLLATERAL' ? 'usdc' : tokenId;
  const allowances = exchange
    .allowances(account, holding)
    .map(([spender, micros]) => [spender, String(micros)] as const);
  return ok({
    balance: String(Math.max(0, exchange.funds(account, holding).balance)),
    allowances: Object.fromEntries(allowances),
  });
}

function refresh(exchange: VenueModel, key: ApiKey, { query }: Call): Reply {
  const account = fundsAddress(key.address, Number(query.get('signature_type') ?? 0), exchange);
  if (account === null) return failed(400, 'Invalid signature_type');
  exchange.refreshFunds(account);
  return ok('');
}

function beat(heartbeats: Heartbeats, key: ApiKey, body: unknown): Reply {
  const id =
    typeof body === 'object' && body !== null && 'heartbeat_id' in body ? body.heartbeat_id : '';
  const { valid, heartbeatId } = heartbeats.beat(key.apiKey, typeof id === 'string' ? id : '');
  if (valid) return ok({ heartbeat_id: heartbeatId });
  return {
    kind: 'json',
    status: 400,
    body: { error_msg: 'Invalid Heartbeat ID', heartbeat_id: heartbeatId },
  };
}

function matches(filter: string | null, value: OrderId | MarketId | TokenId | TradeId): boolean {
  return filter === null || filter === '' || filter === value;
}

function isSeconds(text: string | null): boolean {
  return text === null || /^\d{0,12}$/.test(text);
}

function isOrderId(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value);
}

function idsOf(body: unknown): readonly string[] {
  return Array.isArray(body) ? body.filter((id): id is string => typeof id === 'string') : [];
}
