import type { Asset } from '../../../domain/ids.ts';
import type { Clock } from '../../../ports/clock.ts';
import { EXCHANGE_SLOT_MS, type Candle, type ExchangePrices } from '../prices/exchange-prices.ts';
import { ASSETS } from '../prices/settlement-prices.ts';
import { json, type FeedAnswer, type FeedRequest } from '../feed-host.ts';

/** Candle intervals served, in seconds. */
export const INTERVALS: ReadonlyMap<string, number> = new Map([
  ['1s', 1],
  ['1m', 60],
  ['3m', 180],
  ['5m', 300],
  ['15m', 900],
]);

const KLINES_MAXIMUM = 1_000;
const KLINES_DEFAULT = 500;

/** Answers the exchange's REST calls (feeds.md section 3.1). */
export function answerExchangeRest(
  request: FeedRequest,
  exchange: ExchangePrices,
  clock: Clock,
): FeedAnswer {
  if (request.method !== 'GET') return json(405, { code: -1100, msg: 'Illegal method.' });
  if (request.path === '/api/v3/time') return json(200, { serverTime: clock.nowMs() });
  const symbol = request.query.get('symbol');
  const asset = assetOf(symbol);
  if (symbol === null)
    return json(400, {
      code: -1102,
      msg: "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed.",
    });
  if (asset === null) return json(400, { code: -1121, msg: 'Invalid symbol.' });
  const top = exchange.quote(asset, Math.floor(clock.nowMs() / EXCHANGE_SLOT_MS));
  if (request.path === '/api/v3/klines') return klines(request, { asset, exchange, clock });
  if (top === null)
    return json(503, {
      code: -1000,
      msg: 'An unknown error occurred while processing the request.',
    });
  if (request.path === '/api/v3/ticker/price')
    return json(200, { symbol, price: centsText(top.bidCents) });
  if (request.path === '/api/v3/ticker/bookTicker')
    return json(200, {
      symbol,
      bidPrice: centsText(top.bidCents),
      bidQty: quantityText(top.bidQuantity),
      askPrice: centsText(top.askCents),
      askQty: quantityText(top.askQuantity),
    });
  return json(404, { code: -1100, msg: 'Not found.' });
}

/** The asset of an upper-case pair such as BTCUSDT. */
function assetOf(symbol: string | null): Asset | null {
  return ASSETS.find((asset) => `${asset}USDT` === symbol) ?? null;
}

/** Cents as the exchange writes prices: eight decimals. */
export function centsText(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}000000`;
}

/** Hundred-thousandths of a coin as the exchange writes quantities: eight decimals. */
export function quantityText(quantity: number): string {
  return `${Math.floor(quantity / 100_000)}.${String(quantity % 100_000).padStart(5, '0')}000`;
}

/** A turnover in cents times hundred-thousandths as text with eight decimals. */
export function turnoverText(turnover: number): string {
  const whole = BigInt(turnover) * 10n;
  return `${whole / 100_000_000n}.${(whole % 100_000_000n).toString().padStart(8, '0')}`;
}

interface KlineContext {
  readonly asset: Asset;
  readonly exchange: ExchangePrices;
  readonly clock: Clock;
}

function klines({ query }: FeedRequest, { asset, exchange, clock }: KlineContext): FeedAnswer {
  const seconds = INTERVALS.get(query.get('interval') ?? '');
  if (seconds === undefined) return json(400, { code: -1120, msg: 'Invalid interval.' });
  const [limit, startMs, endMs] = [
    whole(query.get('limit'), KLINES_DEFAULT),
    whole(query.get('startTime'), null),
    whole(query.get('endTime'), clock.nowMs()),
  ];
  if (
    limit === undefined ||
    startMs === undefined ||
    endMs === undefined ||
    endMs === null ||
    limit === null ||
    limit < 1
  )
    return json(400, {
      code: -1102,
      msg: 'Mandatory parameter was not sent, was empty/null, or malformed.',
    });
  const nowSecond = Math.floor(clock.nowMs() / 1000);
  const count = Math.min(limit, KLINES_MAXIMUM);
  const last = Math.floor(Math.min(endMs, clock.nowMs()) / 1000 / seconds) * seconds;
  const first =
    startMs === null ? last - (count - 1) * seconds : Math.ceil(startMs / 1000 / seconds) * seconds;
  const rows: unknown[] = [];
  for (let start = first; start <= last && rows.length < count; start += seconds) {
    const candle = exchange.candle(asset, start, seconds, nowSecond);
    if (candle !== null) rows.push(klineRow(candle, seconds));
  }
  return json(200, rows, { 'x-mbx-used-weight-1m': '2' });
}

function klineRow(candle: Candle, seconds: number): readonly unknown[] {
  return [
    candle.startSecond * 1000,
    centsText(candle.open),
    centsText(candle.high),
    centsText(candle.low),
    centsText(candle.close),
    quantityText(candle.quantity),
    (candle.startSecond + seconds) * 1000 - 1,
    turnoverText(candle.turnover),
    candle.trades,
    quantityText(candle.takerBuyQuantity),
    turnoverText(candle.takerBuyTurnover),
    '0',
  ];
}

/** A whole number, the default when absent, undefined when malformed. */
function whole(text: string | null, absent: number | null): number | null | undefined {
  if (text === null) return absent;
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
