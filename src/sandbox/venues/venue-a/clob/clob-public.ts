import { asId, type TokenId } from '../../../../domain/ids.ts';
import { formatDecimal, formatPrice } from '../../../../domain/units.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { ExchangeMarket } from '../../../engine/exchange-types.ts';
import { REFUSALS } from '../../../engine/order-rules.ts';
import {
  LAST_CURSOR,
  page,
  secondsText,
  tickNumber,
  wireBook,
  wireCompactMarket,
  wireMarket,
} from './clob-vocabulary.ts';
import {
  failed,
  ok,
  readJson,
  type Call,
  type Reply,
  type VenueRoute,
} from '../../../wire/http-server.ts';

const BATCH_MAXIMUM = 500;
const PAGE_SIZE = 500;

interface Quote {
  readonly exchange: VenueModel;
  readonly market: ExchangeMarket;
  readonly tokenId: TokenId;
}

type QuoteWord = (quote: Quote, side: string) => Record<string, unknown> | null;

/** Public market data of the order book (venue_a.md section 3). */
export function publicRoutes(exchange: VenueModel): readonly VenueRoute[] {
  const one =
    (word: QuoteWord) =>
    (call: Call): Reply => {
      const quote = quoteOf(exchange, call.params['token'] ?? call.query.get('token_id') ?? '');
      if (quote === null) return failed(404, REFUSALS.noBook);
      const body = word(quote, call.query.get('side') ?? '');
      return body === null ? failed(400, 'Invalid side') : ok(body);
    };
  const get = (path: string, run: VenueRoute['run']): VenueRoute => ({ method: 'GET', path, run });
  /** The token may be named by the query or by the path. */
  const either = (path: string, word: QuoteWord): readonly VenueRoute[] => [
    get(path, one(word)),
    get(`${path}/:token`, one(word)),
  ];
  return [
    get('/ok', () => ok('OK')),
    get('/time', () => ok(Math.floor(exchange.clock.nowMs() / 1_000))),
    get('/version', () => ok({ version: 2 })),
    get(
      '/book',
      one(({ market, tokenId }) => ({ ...wireBook(exchange, market, tokenId) })),
    ),
    get('/price', one(priceWord)),
    get(
      '/midpoint',
      one((quote) => ({ mid: midText(quote) })),
    ),
    get(
      '/spread',
      one((quote) => ({ spread: spreadText(quote) })),
    ),
    get('/last-trade-price', one(lastTradeWord)),
    ...either('/tick-size', ({ market }) => ({ minimum_tick_size: tickNumber(market) })),
    ...either('/neg-risk', ({ market }) => ({ neg_risk: market.negRisk })),
    ...either('/fee-rate', ({ market }) => ({ base_fee: market.fee === null ? 0 : 1000 })),
    ...batchRoutes(exchange),
    ...marketRoutes(exchange),
  ];
}

function batchRoutes(exchange: VenueModel): readonly VenueRoute[] {
  const post = (
    path: string,
    join: (quotes: readonly (Quote & { readonly side: string })[]) => unknown,
  ): VenueRoute => ({
    method: 'POST',
    path,
    run(call) {
      const entries = readEntries(call.body);
      if (entries === null) return failed(400, 'Invalid payload');
      if (entries.length > BATCH_MAXIMUM) return failed(400, 'Payload exceeds the limit');
      return ok(
        join(
          entries.flatMap(({ tokenId, side }) => {
            const quote = quoteOf(exchange, tokenId);
            return quote === null ? [] : [{ ...quote, side }];
          }),
        ),
      );
    },
  });
  const byToken = (word: (quote: Quote) => unknown) => (quotes: readonly Quote[]) =>
    Object.fromEntries(quotes.map((quote) => [quote.tokenId, word(quote)]));
  return [
    post('/books', (quotes) =>
      quotes.map(({ market, tokenId }) => wireBook(exchange, market, tokenId)),
    ),
    post(
      '/prices',
      byToken((quote) => ({ BUY: best(quote, 'BUY'), SELL: best(quote, 'SELL') })),
    ),
    post('/midpoints', byToken(midText)),
    post('/spreads', byToken(spreadText)),
    post('/last-trades-prices', (quotes) =>
      quotes.map((quote) => ({ token_id: quote.tokenId, ...lastTradeWord(quote) })),
    ),
  ];
}

function marketRoutes(exchange: VenueModel): readonly VenueRoute[] {
  const get = (path: string, run: VenueRoute['run']): VenueRoute => ({ method: 'GET', path, run });
  const byId =
    (word: (market: ExchangeMarket) => unknown) =>
    ({ params }: Call): Reply => {
      const market = exchange.market(asId(params['id'] ?? ''));
      return market === null ? failed(404, 'market not found') : ok(word(market));
    };
  const simplified = (market: ExchangeMarket) => {
    const { condition_id, tokens, rewards, active, closed, archived, accepting_orders } =
      wireMarket(exchange, market);
    return { condition_id, tokens, rewards, active, closed, archived, accepting_orders };
  };
  const full = (market: ExchangeMarket) => wireMarket(exchange, market);
  const listed = (word: (market: ExchangeMarket) => unknown, sampling: boolean) => (call: Call) =>
    marketsPage(exchange, call, { word, sampling });
  return [
    get('/markets', listed(full, false)),
    get('/sampling-markets', listed(full, true)),
    get('/simplified-markets', listed(simplified, false)),
    get('/sampling-simplified-markets', listed(simplified, true)),
    get('/markets/:id', byId(full)),
    get(
      '/clob-markets/:id',
      byId((market) => wireCompactMarket(exchange, market)),
    ),
    get(
      '/markets/live-activity/:id',
      byId((market) => liveActivity(exchange, market)),
    ),
    get('/markets-by-token/:token', ({ params }) => {
      const market = exchange.marketOfToken(asId(params['token'] ?? ''));
      if (market === null) return failed(404, 'market not found');
      return ok({
        condition_id: market.marketId,
        primary_token_id: market.tokens[0],
        secondary_token_id: market.tokens[1],
      });
    }),
    get('/prices-history', (call) => priceHistory(exchange, call)),
    // The sandbox pays no rewards and knows no builders: empty pages are its true answer.
    get('/rewards/markets/current', () => ok(page([], 100))),
    get('/rewards/markets/:id', () => ok(page([], 100))),
    get('/fees/builder-fees/:code', () => failed(404, 'builder not found')),
    get('/builder/trades', () => ok(page([], 300))),
  ];
}

function quoteOf(exchange: VenueModel, token: string): Quote | null {
  const tokenId = asId<TokenId>(token);
  const market = exchange.marketOfToken(tokenId);
  // A resolved market has lost its book (venue_a.md section 3.1).
  return market === null || exchange.payout(market.marketId) !== null
    ? null
    : { exchange, market, tokenId };
}

function best({ exchange, tokenId }: Quote, side: 'BUY' | 'SELL'): string {
  const { bids, asks } = exchange.book(tokenId);
  const level = (side === 'BUY' ? bids : asks)[0];
  return level === undefined ? '0' : formatPrice(level.price);
}

/**
 * Side BUY is the best bid, as the interface description says; readers that need certainty use the
 * book.
 */
function priceWord(quote: Quote, side: string): Record<string, unknown> | null {
  const word = side.toUpperCase();
  return word === 'BUY' || word === 'SELL' ? { price: best(quote, word) } : null;
}

function midText({ exchange, tokenId }: Quote): string {
  const { bids, asks } = exchange.book(tokenId);
  const [bid, ask] = [bids[0]?.price ?? null, asks[0]?.price ?? null];
  if (bid === null || ask === null)
    return bid === null && ask === null ? '0.5' : formatDecimal((bid ?? ask ?? 0) * 10, 5);
  return formatDecimal((bid + ask) * 5, 5);
}

function spreadText({ exchange, tokenId }: Quote): string {
  const { bids, asks } = exchange.book(tokenId);
  const [bid, ask] = [bids[0]?.price ?? null, asks[0]?.price ?? null];
  return bid === null || ask === null ? '0' : formatDecimal(ask - bid, 4);
}

function lastTradeWord({ exchange, market, tokenId }: Quote): {
  readonly price: string;
  readonly side: string;
} {
  const last = exchange.lastTrade(market.marketId);
  const price = exchange.lastTradePrice(tokenId);
  if (last === null || price === null) return { price: '0.5', side: '' };
  return { price: formatPrice(price), side: last.side === 'buy' ? 'BUY' : 'SELL' };
}

function readEntries(
  body: string,
): readonly { readonly tokenId: string; readonly side: string }[] | null {
  const parsed = readJson(body);
  if (!Array.isArray(parsed)) return null;
  return parsed.map((entry: unknown) => {
    const { token_id: tokenId, side } =
      typeof entry === 'object' && entry !== null
        ? { token_id: undefined, side: undefined, ...entry }
        : {};
    return {
      tokenId: typeof tokenId === 'string' ? tokenId : '',
      side: typeof side === 'string' ? side : '',
    };
  });
}

/** Cursors are base64 of the offset: "MA==" is 0, "LTE=" is -1, the end. Null when malformed. */
export function readCursor(cursor: string | null): number | null {
  if (cursor === null || cursor === '') return 0;
  const text = Buffer.from(cursor, 'base64').toString('utf8');
  return /^(?:\d{1,9}|-1)$/.test(text) ? Number(text) : null;
}

/** Cursor of the page after `offset`, or the last one's. */
export function cursorAfter(offset: number, total: number): string {
  return offset >= total ? LAST_CURSOR : Buffer.from(String(offset)).toString('base64');
}

function marketsPage(
  exchange: VenueModel,
  call: Call,
  { word, sampling }: { word: (market: ExchangeMarket) => unknown; sampling: boolean },
): Reply {
  const offset = readCursor(call.query.get('next_cursor'));
  if (offset === null) return failed(400, 'Invalid payload');
  const markets = exchange
    .markets()
    .filter(({ marketId }) => !sampling || exchange.payout(marketId) === null);
  const rows = offset < 0 ? [] : markets.slice(offset, offset + PAGE_SIZE);
  return ok(
    page(
      rows.map(word),
      PAGE_SIZE,
      cursorAfter(offset + rows.length, offset < 0 ? 0 : markets.length),
    ),
  );
}

function priceHistory(exchange: VenueModel, { query }: Call): Reply {
  const tokenId = asId<TokenId>(query.get('market') ?? '');
  const market = exchange.marketOfToken(tokenId);
  if (market === null) return failed(400, 'Invalid market');
  const spans: Readonly<Record<string, number>> = {
    '1h': 3_600,
    '6h': 21_600,
    '1d': 86_400,
    '1w': 604_800,
  };
  const nowS = Math.floor(exchange.clock.nowMs() / 1_000);
  const span = spans[query.get('interval') ?? ''];
  const from = span === undefined ? Number(query.get('startTs') ?? 0) : nowS - span;
  const until = Number(query.get('endTs') ?? nowS);
  const stepS = Math.max(1, Number(query.get('fidelity') ?? 1)) * 60;
  const history = new Map<number, { readonly t: number; readonly p: number }>();
  for (const trade of [...exchange.trades()].reverse()) {
    const t = Math.floor(trade.matchedAtMs / 1_000);
    if (trade.marketId !== market.marketId || !(t >= from && t <= until)) continue;
    const price = trade.tokenId === tokenId ? trade.price : 10_000 - trade.price;
    history.set(Math.floor(t / stepS), { t, p: Number(formatDecimal(price, 4)) });
  }
  return ok({ history: [...history.values()] });
}

function liveActivity(exchange: VenueModel, market: ExchangeMarket): unknown {
  const trades = exchange
    .trades()
    .filter(({ marketId }) => marketId === market.marketId)
    .slice(0, 100);
  return trades.map((trade) => ({
    event_type: 'trade',
    market: {
      condition_id: market.marketId,
      asset_id: trade.tokenId,
      question: market.question,
      slug: market.slug,
    },
    user: { address: trade.taker },
    side: trade.side === 'buy' ? 'BUY' : 'SELL',
    size: formatDecimal(trade.shares, 6),
    fee_rate_bps: '0',
    price: formatPrice(trade.price),
    outcome_index: market.tokens[0] === trade.tokenId ? 0 : 1,
    outcome: market.tokens[0] === trade.tokenId ? market.labels[0] : market.labels[1],
    transaction_hash: trade.transactionHash ?? '',
    timestamp: secondsText(trade.matchedAtMs),
  }));
}
