import { asId, type Address } from '../../../../domain/ids.ts';
import { TICKS_PER_USD } from '../../../../domain/units.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { EngineTrade } from '../../../engine/exchange-types.ts';
import {
  ownTradesOf,
  positionsOf,
  type OwnTrade,
  type PositionRow,
} from '../../../engine/portfolio.ts';
import type { EventVolumes } from './event-volumes.ts';
import {
  activityRow,
  amount,
  closedRow,
  currentTicks,
  positionRow,
  PROFILE,
  tradeActivity,
  tradeRow,
  type DataRow,
} from './data-vocabulary.ts';
import { readAddress } from '../clob/venue-auth.ts';
import { gateReply } from '../clob/engine-modes.ts';
import {
  failed,
  ok,
  serveHttp,
  type Call,
  type Listening,
  type Reply,
  type VenueRoute,
} from '../../../wire/http-server.ts';

const TRADES_MAXIMUM = 10_000;
const POSITIONS_MAXIMUM = 500;
/**
 * Given only to those who ask for them by type: the venue's own client 0.2.0 does not know these
 * words and gives up on the whole page.
 */
const ON_REQUEST = new Set(['DEPOSIT', 'WITHDRAWAL']);

/**
 * Serves the Data API v1 (venue_a.md section 12.1) on loopback. It knows what has been mined, not
 * what was just matched.
 */
export async function startDataApi({
  exchange,
  port,
  volumes,
}: {
  readonly exchange: VenueModel;
  readonly port?: number;
  readonly volumes?: EventVolumes;
}): Promise<Listening> {
  return serveHttp({
    clock: exchange.clock,
    ...(port === undefined ? {} : { port }),
    before: (request) => gateReply(exchange.faults, request),
    routes: dataRoutes(exchange, volumes),
  });
}

/** True for markets that a query asks for. */
type MarketTest = (marketId: string) => boolean;

/** By `market` (condition ids) and by `eventId`, each a list or absent. */
function marketTest(query: URLSearchParams, volumes: EventVolumes): MarketTest {
  const named = listOf(query, 'market');
  const events = listOf(query, 'eventId');
  const ofEvents = new Set<string>(
    [...events].flatMap((id) => volumes(id).map(({ marketId }) => marketId)),
  );
  return (marketId) =>
    (named.size === 0 || named.has(marketId)) && (events.size === 0 || ofEvents.has(marketId));
}

/** Routes of the Data API; without `volumes` no event is known by it. */
export function dataRoutes(
  exchange: VenueModel,
  volumes: EventVolumes = () => [],
): readonly VenueRoute[] {
  const get = (
    path: string,
    run: (exchange: VenueModel, call: Call, isWanted: MarketTest) => Reply,
  ): VenueRoute => ({
    method: 'GET',
    path,
    run: (call) => run(exchange, call, marketTest(call.query, volumes)),
  });
  return [
    get('/positions', positions),
    get('/closed-positions', closedPositions),
    get('/trades', trades),
    get('/activity', activity),
    get('/value', value),
    get('/holders', holders),
    get('/oi', openInterest),
    get('/traded', traded),
    get('/live-volume', (_exchange, call) => liveVolume(volumes, call)),
    // No client builds on the sandbox under a builder's code: empty lists are its true answer.
    get('/v1/builders/leaderboard', () => ok([])),
    get('/v1/builders/volume', () => ok([])),
    { method: 'GET', path: '/', run: () => ok({ data: 'OK' }) },
  ];
}

function positions(exchange: VenueModel, { query }: Call, isWanted: MarketTest): Reply {
  const user = readAddress(query.get('user') ?? '');
  if (user === null) return failed(400, "required query param 'user' not provided");
  const threshold = Number(query.get('sizeThreshold') ?? 1) * 1_000_000;
  const held = portfolioOf(exchange, user).filter(
    (row) => row.sharesMicros > 0 && row.sharesMicros >= threshold && isWanted(row.marketId),
  );
  const rows = present(held.map((row) => positionRow(exchange, user, row)));
  const redeemable = query.get('redeemable');
  const sorted = sortRows(
    rows.filter((row) => redeemable === null || String(row['redeemable']) === redeemable),
    query,
  );
  return paged(sorted, query, { usual: 100, most: POSITIONS_MAXIMUM });
}

function closedPositions(exchange: VenueModel, { query }: Call, isWanted: MarketTest): Reply {
  const user = readAddress(query.get('user') ?? '');
  if (user === null) return failed(400, "required query param 'user' not provided");
  const rows = portfolioOf(exchange, user)
    .filter((row) => row.sharesMicros === 0 && row.boughtMicros > 0 && isWanted(row.marketId))
    .sort((a, b) => b.lastAtMs - a.lastAtMs);
  return paged(present(rows.map((row) => closedRow(exchange, user, row))), query, {
    usual: 10,
    most: 50,
  });
}

function trades(exchange: VenueModel, { query }: Call, isWanted: MarketTest): Reply {
  const user = query.get('user');
  const address = user === null ? null : readAddress(user);
  if (user !== null && address === null) return failed(400, 'invalid user');
  const filters = [query.get('filterType'), query.get('filterAmount')];
  if ((filters[0] !== null) !== (filters[1] !== null))
    return failed(400, 'filterType and filterAmount go together');
  const least = Number(query.get('filterAmount') ?? 0) * 1_000_000;
  const takerOnly = query.get('takerOnly') !== 'false';
  const side = query.get('side')?.toLowerCase() ?? null;
  const source = address === null ? exchange.trades() : exchange.tradesOf(new Set([address]));
  const rows = source
    .filter(isMined)
    .flatMap(ownTradesOf)
    .filter(
      (own) =>
        (!takerOnly || own.role === 'taker') &&
        (address === null || own.address === address) &&
        (side === null || own.side === side) &&
        isWanted(own.marketId) &&
        isWithin(own.atMs, query) &&
        (query.get('filterType') === 'TOKENS' ? own.sharesMicros : own.usdcMicros) >= least,
    );
  return paged(present(rows.map((own) => tradeRow(exchange, own))), query, {
    usual: 100,
    most: TRADES_MAXIMUM,
  });
}

function activity(exchange: VenueModel, { query }: Call, isWanted: MarketTest): Reply {
  const user = readAddress(query.get('user') ?? '');
  if (user === null) return failed(400, "required query param 'user' not provided");
  const types = listOf(query, 'type');
  const others = exchange
    .activityOf(user)
    .filter((entry) => isWithin(entry.atMs, query) && isWanted(entry.marketId ?? ''));
  // Most callers ask for one type: a long history of trades is not gone through for deposits.
  const own =
    types.size > 0 && !types.has('TRADE')
      ? []
      : ownMined(exchange, user).filter(
          (trade) => isWithin(trade.atMs, query) && isWanted(trade.marketId),
        );
  const rows = [
    ...others.toReversed().map((entry) => activityRow(exchange, entry)),
    ...present(own.map((trade) => tradeActivity(exchange, trade))),
  ].filter((row) =>
    types.size === 0 ? !ON_REQUEST.has(String(row['type'])) : types.has(String(row['type'])),
  );
  // Newest first; the sort is stable, so entries of one second keep their order.
  rows.sort((a, b) => Number(b['timestamp']) - Number(a['timestamp']));
  if (query.get('sortDirection') === 'ASC') rows.reverse();
  return paged(rows, query, { usual: 100, most: POSITIONS_MAXIMUM });
}

function value(exchange: VenueModel, { query }: Call, isWanted: MarketTest): Reply {
  const user = readAddress(query.get('user') ?? '');
  if (user === null) return failed(400, "required query param 'user' not provided");
  const total = portfolioOf(exchange, user).reduce((sum, row) => {
    const market = exchange.market(row.marketId);
    if (market === null || !isWanted(row.marketId)) return sum;
    return (
      sum +
      Math.floor((row.sharesMicros * currentTicks(exchange, market, row.tokenId)) / TICKS_PER_USD)
    );
  }, 0);
  return ok([{ user, value: amount(total) }]);
}

function holders(exchange: VenueModel, { query }: Call): Reply {
  const limit = limitOf(query, { usual: 100, most: POSITIONS_MAXIMUM });
  const least = Number(query.get('minBalance') ?? 1) * 1_000_000;
  const rows = [...listOf(query, 'market')]
    .flatMap((id) => exchange.market(asId(id)) ?? [])
    .flatMap((market) =>
      market.tokens.map((token, outcomeIndex) => ({
        token,
        holders: exchange
          .holders(token)
          .filter(({ balance }) => balance >= least)
          .sort((a, b) => b.balance - a.balance)
          .slice(0, limit)
          .map(({ account, balance }) => ({
            proxyWallet: account,
            asset: token,
            amount: amount(balance),
            outcomeIndex,
            ...PROFILE,
            displayUsernamePublic: false,
          })),
      })),
    );
  return ok(rows);
}

function openInterest(exchange: VenueModel, { query }: Call): Reply {
  const markets = [...listOf(query, 'market')].flatMap((id) => exchange.market(asId(id)) ?? []);
  return ok(
    markets.map((market) => ({
      market: market.marketId,
      value: amount(exchange.total(market.tokens[0])),
    })),
  );
}

/**
 * One row for each event asked for, as the venue gives it: its own total and those of its markets,
 * USD.
 */
function liveVolume(volumes: EventVolumes, { query }: Call): Reply {
  const id = query.get('id') ?? '';
  if (!/^\d{1,20}$/.test(id)) return failed(400, "required query param 'id' not provided");
  const markets = volumes(id).map(({ marketId, usd }) => ({ market: marketId, value: usd }));
  return ok([{ total: markets.reduce((sum, { value: usd }) => sum + usd, 0), markets }]);
}

function traded(exchange: VenueModel, { query }: Call): Reply {
  const user = readAddress(query.get('user') ?? '');
  if (user === null) return failed(400, "required query param 'user' not provided");
  return ok({
    user,
    traded: new Set(ownMined(exchange, user).map(({ marketId }) => marketId)).size,
  });
}

function portfolioOf(exchange: VenueModel, user: Address): readonly PositionRow[] {
  const redemptions = exchange
    .activityOf(user)
    .flatMap(({ kind, tokenId, marketId, sharesMicros, usdcMicros, atMs }) =>
      kind === 'REDEEM' && tokenId !== null && marketId !== null
        ? [{ tokenId, marketId, sharesMicros, usdcMicros, atMs }]
        : [],
    );
  return positionsOf(ownMined(exchange, user).reverse(), redemptions);
}

/** An address's parts in mined trades, newest first. */
function ownMined(exchange: VenueModel, user: Address): OwnTrade[] {
  return exchange
    .tradesOf(new Set([user]))
    .filter(isMined)
    .flatMap(ownTradesOf)
    .filter(({ address }) => address === user);
}

function isMined({ status }: EngineTrade): boolean {
  return status === 'MINED' || status === 'CONFIRMED';
}

function isWithin(atMs: number, query: URLSearchParams): boolean {
  const atS = Math.floor(atMs / 1_000);
  return (
    atS >= Number(query.get('start') ?? 0) &&
    atS <= Number(query.get('end') ?? Number.MAX_SAFE_INTEGER)
  );
}

function listOf(query: URLSearchParams, name: string): ReadonlySet<string> {
  return new Set(
    query
      .getAll(name)
      .flatMap((text) => text.split(','))
      .filter((text) => text !== ''),
  );
}

const SORTS: Readonly<Record<string, string>> = {
  CURRENT: 'currentValue',
  INITIAL: 'initialValue',
  TOKENS: 'size',
  CASHPNL: 'cashPnl',
  PERCENTPNL: 'percentPnl',
  PRICE: 'curPrice',
  AVGPRICE: 'avgPrice',
};

function sortRows(rows: readonly DataRow[], query: URLSearchParams): readonly DataRow[] {
  const field = SORTS[query.get('sortBy') ?? 'TOKENS'] ?? 'size';
  const direction = query.get('sortDirection') === 'ASC' ? 1 : -1;
  return [...rows].sort((a, b) => direction * (Number(a[field]) - Number(b[field])));
}

/** Rows of markets that are listed. */
function present(rows: readonly (DataRow | null)[]): readonly DataRow[] {
  return rows.filter((row) => row !== null);
}

function limitOf(
  query: URLSearchParams,
  { usual, most }: { readonly usual: number; readonly most: number },
): number {
  const limit = Number(query.get('limit') ?? usual);
  return Number.isInteger(limit) && limit >= 0 ? Math.min(limit, most) : usual;
}

function paged(
  rows: readonly DataRow[],
  query: URLSearchParams,
  limits: { readonly usual: number; readonly most: number },
): Reply {
  const offset = Number(query.get('offset') ?? 0);
  const from = Number.isInteger(offset) && offset >= 0 ? offset : 0;
  return ok(rows.slice(from, from + limitOf(query, limits)));
}
