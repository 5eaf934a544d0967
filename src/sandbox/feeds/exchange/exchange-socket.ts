import type { WebSocket } from 'ws';
import type { Asset } from '../../../domain/ids.ts';
import type { Clock } from '../../../ports/clock.ts';
import { everyTick, pacedStep } from '../../ticks.ts';
import { EXCHANGE_SLOT_MS, type ExchangePrices } from '../prices/exchange-prices.ts';
import type { FaultBoard } from '../../faults.ts';
import { ASSETS } from '../prices/settlement-prices.ts';
import {
  answerExchangeRest,
  centsText,
  INTERVALS,
  quantityText,
  turnoverText,
} from './exchange-rest.ts';
import { json, sendFrame, startFeedHost, type FeedHost, type FeedRequest } from '../feed-host.ts';

interface Reader {
  readonly streams: Set<string>;
  /** Combined frames name their stream. */
  readonly combined: boolean;
}

const STREAMS_MAXIMUM = 1_024;
const STREAM = /^(btc|eth|sol)usdt@(trade|aggTrade|bookTicker|kline_(?:1s|1m|3m|5m|15m))$/;

/** Starts the exchange's market-data sockets and REST on one port (feeds.md section 3.1). */
export async function startExchangeFeed({
  port,
  clock,
  faults,
  exchange,
}: {
  readonly port: number;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly exchange: ExchangePrices;
}): Promise<FeedHost> {
  const readers = new Map<WebSocket, Reader>();

  function publish(asset: Asset, kind: string, payload: () => object | null): void {
    const stream = `${asset.toLowerCase()}usdt@${kind}`;
    const wanted = [...readers].filter(([, { streams }]) => streams.has(stream));
    if (wanted.length === 0 || faults.isArmed('feed-stall', { path: '/exchange', asset })) return;
    const data = payload();
    if (data === null) return;
    const bare = JSON.stringify(data);
    const named = `{"stream":"${stream}","data":${bare}}`;
    for (const [socket, { combined }] of wanted) sendFrame(socket, combined ? named : bare);
  }

  const slotsMs = pacedStep(clock, EXCHANGE_SLOT_MS);
  const ticks = [
    everyTick(clock, { stepMs: slotsMs, delayMs: 0 }, (step) => {
      const slot = (step * slotsMs) / EXCHANGE_SLOT_MS;
      for (const asset of ASSETS)
        publish(asset, 'bookTicker', () => bookTicker(exchange, asset, slot));
    }),
    everyTick(clock, { stepMs: 1_000, delayMs: 0 }, (second) => {
      for (const asset of ASSETS) {
        publish(asset, 'trade', () => tradeEvent(exchange, asset, second));
        publish(asset, 'aggTrade', () => aggTrade(exchange, asset, second));
        publish(asset, 'kline_1s', () => kline(exchange, { asset, interval: '1s' }, clock.nowMs()));
      }
    }),
    everyTick(clock, { stepMs: 2_000, delayMs: 0 }, () => {
      for (const asset of ASSETS)
        for (const interval of INTERVALS.keys())
          if (interval !== '1s')
            publish(asset, `kline_${interval}`, () =>
              kline(exchange, { asset, interval }, clock.nowMs()),
            );
    }),
  ];

  const host = await startFeedHost(port, faults, {
    answer: (request) => answerExchangeRest(request, exchange, clock),
    admit(request) {
      const reader = readerOf(request);
      return reader === null
        ? json(404, { code: -1100, msg: 'Not found.' })
        : (socket) => {
            readers.set(socket, reader);
            socket.on('close', () => readers.delete(socket));
            socket.on('message', (data) => sendFrame(socket, control(reader, String(data))));
          };
    },
  });
  return {
    ...host,
    close: () => {
      ticks.forEach((tick) => tick.cancel());
      return host.close();
    },
  };
}

/**
 * `/ws/a/b` and `/stream?streams=a/b`; both may begin without streams. Unknown names are accepted
 * and stay silent.
 */
function readerOf({ path, query }: FeedRequest): Reader | null {
  const combined = path === '/stream';
  if (!combined && path !== '/ws' && !path.startsWith('/ws/')) return null;
  const names = (combined ? (query.get('streams') ?? '') : path.slice(4))
    .split('/')
    .filter((name) => name !== '');
  return names.length > STREAMS_MAXIMUM ? null : { combined, streams: new Set(names) };
}

/** Live control of a socket; the answer is its frame. */
function control(reader: Reader, text: string): string {
  const refused = (msg: string) => JSON.stringify({ code: 2, msg: `Invalid request: ${msg}` });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return JSON.stringify({ code: 3, msg: 'Invalid JSON: expected value at line 1 column 1' });
  }
  if (typeof parsed !== 'object' || parsed === null || !('method' in parsed))
    return refused('request must be a JSON object');
  const id = 'id' in parsed ? parsed.id : null;
  if (parsed.method === 'LIST_SUBSCRIPTIONS')
    return JSON.stringify({ result: [...reader.streams], id });
  const params: readonly unknown[] =
    'params' in parsed && Array.isArray(parsed.params) ? parsed.params : [];
  const names = params.filter((name) => typeof name === 'string');
  if (names.length === 0 || names.length !== params.length)
    return refused('params must be a list of streams');
  if (parsed.method === 'SUBSCRIBE') {
    if (
      reader.streams.size + names.length > STREAMS_MAXIMUM ||
      !names.every((name) => STREAM.test(name))
    )
      return refused('unknown stream or too many');
    names.forEach((name) => reader.streams.add(name));
  } else if (parsed.method === 'UNSUBSCRIBE') names.forEach((name) => reader.streams.delete(name));
  else return refused('unknown method');
  return JSON.stringify({ result: null, id });
}

function bookTicker(exchange: ExchangePrices, asset: Asset, slot: number): object | null {
  const top = exchange.quote(asset, slot);
  return top === null
    ? null
    : {
        u: slot,
        s: `${asset}USDT`,
        b: centsText(top.bidCents),
        B: quantityText(top.bidQuantity),
        a: centsText(top.askCents),
        A: quantityText(top.askQuantity),
      };
}

function tradeEvent(exchange: ExchangePrices, asset: Asset, second: number): object | null {
  const trade = exchange.trade(asset, second);
  if (trade === null) return null;
  return {
    e: 'trade',
    E: second * 1000,
    s: `${asset}USDT`,
    t: second,
    p: centsText(trade.cents),
    q: quantityText(trade.quantity),
    T: second * 1000,
    m: trade.buyerIsMaker,
    M: true,
  };
}

function aggTrade(exchange: ExchangePrices, asset: Asset, second: number): object | null {
  const trade = exchange.trade(asset, second);
  if (trade === null) return null;
  return {
    e: 'aggTrade',
    E: second * 1000,
    s: `${asset}USDT`,
    a: second,
    p: centsText(trade.cents),
    q: quantityText(trade.quantity),
    f: second,
    l: second,
    T: second * 1000,
    m: trade.buyerIsMaker,
    M: true,
  };
}

function kline(
  exchange: ExchangePrices,
  { asset, interval }: { readonly asset: Asset; readonly interval: string },
  nowMs: number,
): object | null {
  const seconds = INTERVALS.get(interval) ?? 60;
  const nowSecond = Math.floor(nowMs / 1000);
  const startSecond = Math.floor(nowSecond / seconds) * seconds;
  const candle = exchange.candle(asset, startSecond, seconds, nowSecond);
  if (candle === null) return null;
  return {
    e: 'kline',
    E: nowMs,
    s: `${asset}USDT`,
    k: {
      t: startSecond * 1000,
      T: (startSecond + seconds) * 1000 - 1,
      s: `${asset}USDT`,
      i: interval,
      f: startSecond,
      L: nowSecond,
      o: centsText(candle.open),
      c: centsText(candle.close),
      h: centsText(candle.high),
      l: centsText(candle.low),
      v: quantityText(candle.quantity),
      n: candle.trades,
      x: nowSecond === startSecond + seconds - 1,
      q: turnoverText(candle.turnover),
      V: quantityText(candle.takerBuyQuantity),
      Q: turnoverText(candle.takerBuyTurnover),
      B: '0',
    },
  };
}
