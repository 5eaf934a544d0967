import { FEEDS, STALENESS } from '../../../config/limits/market-data.ts';
import { AppError } from '../../domain/errors.ts';
import type { Asset } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Listener } from '../../ports/listener.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { PriceFeed, PriceTick } from '../../ports/price-feed.ts';
import { assetPriceFromDecimal } from '../wire/asset-price.ts';
import { createJsonGet, type JsonGet } from '../wire/json-get.ts';
import { openLastingSocket } from '../wire/lasting-socket.ts';
import { openSocket } from '../wire/socket-frames.ts';
import { createSymbolPrices, type SymbolPrices } from './mid-price.ts';
import { aggregateTrade, bookTicker, candles, combinedFrame } from './schema.ts';

/** The running client. */
export interface ExchangeFeed extends PriceFeed {
  close(): Promise<void>;
}

const SYMBOLS: Readonly<Record<Asset, string>> = { BTC: 'BTCUSDT', ETH: 'ETHUSDT', SOL: 'SOLUSDT' };

/**
 * Gives Binance spot prices: the middle of the best bid and ask, checked against trades, live by
 * one combined socket; missed moments by one-second candles (feeds.md section 3.1). Quotes carry no
 * time: theirs is the arrival less the lag of the newest trade, so that a stream that falls behind
 * grows stale.
 */
export function createExchangeFeed({
  restUrl,
  socketUrl,
  clock,
  metrics,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  readonly restUrl: string;
  readonly socketUrl: string;
}): ExchangeFeed {
  const rest = createJsonGet({
    baseUrl: restUrl,
    clock,
    timeoutMs: FEEDS.callTimeoutMs,
    maximumBytes: FEEDS.answerMaximumBytes,
    connectionsMaximum: FEEDS.connectionsMaximum,
    callsPerSecond: FEEDS.callsPerSecond,
  });
  return {
    name: 'exchange',
    close: () => rest.close(),
    watch: (assets, listener) => watchQuotes({ socketUrl, clock, metrics, assets, listener }),
    priceAt: (asset, atMs, twapSeconds) =>
      twapSeconds === null ? fetchOpening(rest, asset, atMs) : Promise.resolve(null),
  };
}

/** Runs one socket, replaced before the exchange drops it. */
function watchQuotes({
  socketUrl,
  clock,
  metrics,
  assets,
  listener,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  readonly socketUrl: string;
  readonly assets: readonly Asset[];
  readonly listener: Listener<PriceTick>;
}): () => void {
  const dropped = (reason: string): void =>
    metrics.count('feed_dropped_total', { feed: 'exchange', reason });
  const take = createFrameReader({ clock, assets, dropped });
  const streams = assets.flatMap((asset) => [
    `${SYMBOLS[asset].toLowerCase()}@bookTicker`,
    `${SYMBOLS[asset].toLowerCase()}@aggTrade`,
  ]);
  const url = `${socketUrl}/stream?streams=${streams.join('/')}`;
  const socket = openLastingSocket(
    {
      clock,
      lifeMs: () => FEEDS.exchangeLifeMs,
      open: (frames) =>
        openSocket(
          {
            url,
            clock,
            maximumBytes: FEEDS.frameMaximumBytes,
            handshakeTimeoutMs: FEEDS.handshakeTimeoutMs,
            idleMs: FEEDS.exchangeSilenceMs,
          },
          frames,
        ),
    },
    {
      next(frame) {
        const taken = take(frame);
        if (taken === 'shutdown') socket.replace();
        else if (taken !== null) listener.next(taken);
      },
      error: (cause) => listener.error(cause),
    },
  );
  return () => socket.close();
}

/** Folds frames into ticks: a tick, the notice of a coming shutdown, or null for neither. */
function createFrameReader({
  clock,
  assets,
  dropped,
}: {
  readonly clock: Clock;
  readonly assets: readonly Asset[];
  readonly dropped: (reason: string) => void;
}): (frame: Buffer) => PriceTick | 'shutdown' | null {
  const bySymbol = new Map(
    assets.map((asset) => [
      SYMBOLS[asset],
      { asset, prices: createSymbolPrices(STALENESS.exchangeMs) },
    ]),
  );
  const drop = (reason: string): null => {
    dropped(reason);
    return null;
  };
  return (frame) => {
    const parsed = combinedFrame.safeParse(parseJson(frame));
    if (!parsed.success) return drop('malformed');
    const { stream, data } = parsed.data;
    if (stream === '!serverShutdown') return 'shutdown';
    const nowMs = clock.nowMs();
    if (stream.endsWith('@bookTicker')) {
      const quote = bookTicker.safeParse(data);
      const known = quote.success ? bySymbol.get(quote.data.s) : undefined;
      if (!quote.success || known === undefined) return drop('malformed');
      return toTick(
        known,
        known.prices.quote(quote.data.u, quote.data.b, quote.data.a, nowMs),
        nowMs,
        drop,
      );
    }
    const trade = aggregateTrade.safeParse(data);
    const known = trade.success ? bySymbol.get(trade.data.s) : undefined;
    if (!trade.success || known === undefined) return drop('malformed');
    return known.prices.trade(trade.data.a, trade.data.p, trade.data.E, nowMs)
      ? null
      : drop('repeated');
  };
}

function toTick(
  known: { readonly asset: Asset; readonly prices: SymbolPrices },
  quoted: ReturnType<SymbolPrices['quote']>,
  nowMs: number,
  drop: (reason: string) => null,
): PriceTick | null {
  if (quoted.kind === 'dropped') return drop(quoted.reason);
  return {
    asset: known.asset,
    price: quoted.price,
    sourceAtMs: nowMs - known.prices.lagMs(nowMs),
    twapSeconds: null,
  };
}

function parseJson(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString('utf8'));
  } catch {
    return null;
  }
}

async function fetchOpening(rest: JsonGet, asset: Asset, atMs: number): Promise<PriceTick | null> {
  const answer = await rest.get({
    path: `/api/v3/klines?symbol=${SYMBOLS[asset]}&interval=1s&startTime=${atMs}&limit=1`,
  });
  if (answer.status !== 200)
    throw new AppError(
      'venue_protocol',
      `the exchange answered ${answer.status} to a question for ${asset} candles`,
    );
  const parsed = candles.safeParse(answer.body);
  if (!parsed.success)
    throw new AppError('venue_protocol', `the exchange answered no candles for ${asset}`);
  const [candle] = parsed.data;
  if (candle === undefined || candle[0] < atMs || candle[0] - atMs > FEEDS.startPriceAgeMs)
    return null;
  const price = assetPriceFromDecimal(candle[1]);
  if (price === null)
    throw new AppError('venue_protocol', `the exchange opened ${asset} at no price: ${candle[1]}`);
  return { asset, price, sourceAtMs: candle[0], twapSeconds: null };
}
