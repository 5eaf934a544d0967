import { FEEDS } from '../../../../config/limits/market-data.ts';
import type { Asset } from '../../../domain/ids.ts';
import type { AssetPriceE8 } from '../../../domain/units.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Listener } from '../../../ports/listener.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { PriceFeed, PriceTick, TwapSeconds } from '../../../ports/price-feed.ts';
import { assetPriceFromDecimal, assetPriceFromScaled } from '../../../adapters/wire/asset-price.ts';
import { openLastingSocket } from '../../../adapters/wire/lasting-socket.ts';
import { openSocket, type SocketHandle } from '../../../adapters/wire/socket-frames.ts';
import { priceHistory, priceUpdate, type WirePoint } from './price-schema.ts';

/** Topics of one kind each (venue_a.md section 15.1). */
const TOPICS: readonly { readonly topic: string; readonly twapSeconds: TwapSeconds }[] = [
  { topic: 'crypto_prices_chainlink', twapSeconds: null },
  { topic: 'crypto_prices_twap_sixty', twapSeconds: 60 },
];
/**
 * History frames may come labelled as this topic, whose own symbols have no slash (venue_a.md
 * section 15.1).
 */
const MISLABELLED_TOPIC = 'crypto_prices';
const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['btc/usd', 'BTC'],
  ['eth/usd', 'ETH'],
  ['sol/usd', 'SOL'],
]);
/** A socket is replaced in the middle of a 5-minute window, where no boundary can be missed. */
const WINDOW_MS = 300_000;

/**
 * Gives the oracle's prices, spot and 60-second average, as the venue republishes them: the
 * settlement-aligned source where no Data Streams key is at hand (feeds.md section 2.2). Remembers
 * two minutes for repairs of a missed boundary. Each kind has a socket of its own: a history frame
 * does not say reliably which kind it is.
 */
export function createPriceSocket({
  url,
  clock,
  metrics,
  open = openSocket,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  readonly url: string;
  /** Takes the place of a real socket: a venue within the process. */
  readonly open?: typeof openSocket;
}): PriceFeed {
  const history = new Map<string, PriceTick[]>();
  const dropped = (reason: string): void =>
    metrics.count('feed_dropped_total', { feed: 'venue_oracle', reason });
  const remember = (tick: PriceTick): void => {
    const key = historyKey(tick.asset, tick.twapSeconds);
    const ticks = history.get(key) ?? [];
    if (tick.sourceAtMs > (ticks.at(-1)?.sourceAtMs ?? 0))
      history.set(key, [...ticks.slice(1 - FEEDS.venuePriceHistoryMaximum), tick]);
  };

  return {
    name: 'venue_oracle',
    watch(assets, listener) {
      const end = (): void => {
        for (const socket of sockets) socket.close();
      };
      const sockets = TOPICS.map(({ topic, twapSeconds }) => {
        const newestAtMs = new Map<Asset, number>();
        // A socket is known to stall while it stays open, so it is replaced on schedule as well.
        return openLastingSocket(
          {
            clock,
            lifeMs: () => replaceAfterMs(clock.nowMs()),
            open: (frames) => openTopic({ url, clock, topic, open }, frames),
          },
          {
            next(frame) {
              const ticks = readFrame(frame, topic, twapSeconds);
              if (ticks === null) return dropped('malformed');
              for (const tick of ticks) {
                // It would pass for the newest until the clock is there, and silence every true one
                // after it.
                if (tick.sourceAtMs - clock.nowMs() > FEEDS.futureMaximumMs) {
                  dropped('ahead');
                  continue;
                }
                if (
                  !assets.includes(tick.asset) ||
                  tick.sourceAtMs <= (newestAtMs.get(tick.asset) ?? 0)
                )
                  continue;
                newestAtMs.set(tick.asset, tick.sourceAtMs);
                remember(tick);
                listener.next(tick);
              }
            },
            error(cause) {
              end();
              listener.error(cause);
            },
          },
        );
      });
      return end;
    },
    async priceAt(asset, atMs, twapSeconds) {
      const ticks = history.get(historyKey(asset, twapSeconds)) ?? [];
      const index = ticks.findIndex(({ sourceAtMs }) => sourceAtMs >= atMs);
      const found = ticks[index];
      const before = ticks[index - 1];
      // Without the report before it nothing says that the one found is the first.
      const isFirst =
        found !== undefined &&
        (found.sourceAtMs === atMs ||
          (before !== undefined && found.sourceAtMs - before.sourceAtMs <= FEEDS.reportStepMs));
      return isFirst ? found : null;
    },
  };
}

/**
 * Opens a socket that subscribes to one topic. The acknowledgement of the subscription, an empty
 * frame, is left out.
 */
function openTopic(
  {
    url,
    clock,
    topic,
    open,
  }: {
    readonly url: string;
    readonly clock: Clock;
    readonly topic: string;
    readonly open: typeof openSocket;
  },
  listener: Listener<Buffer>,
): SocketHandle {
  return open(
    {
      url,
      clock,
      maximumBytes: FEEDS.frameMaximumBytes,
      handshakeTimeoutMs: FEEDS.handshakeTimeoutMs,
      idleMs: FEEDS.priceSilenceMs,
      ping: { text: 'PING', everyMs: FEEDS.venuePricePingMs, answer: 'PONG', answerWithinMs: null },
      // Filters are compared literally and replace one another, so all symbols are asked for and
      // sorted out by the reader.
      opened: (opened) =>
        opened.send(JSON.stringify({ action: 'subscribe', subscriptions: [{ topic, type: '*' }] })),
    },
    {
      next(frame) {
        if (frame.length > 0) listener.next(frame);
      },
      error: (cause) => listener.error(cause),
    },
  );
}

function historyKey(asset: Asset, twapSeconds: TwapSeconds): string {
  return `${asset} ${twapSeconds ?? 'spot'}`;
}

function replaceAfterMs(nowMs: number): number {
  const dueMs = nowMs + FEEDS.venuePriceLifeMs;
  return dueMs - (dueMs % WINDOW_MS) + WINDOW_MS / 2 - nowMs;
}

/**
 * Ticks of a frame in order; empty for other symbols and topics, null for what is no message of
 * this socket.
 */
function readFrame(
  frame: Buffer,
  topic: string,
  twapSeconds: TwapSeconds,
): readonly PriceTick[] | null {
  let body: unknown;
  try {
    body = JSON.parse(frame.toString('utf8'));
  } catch {
    return null;
  }
  const update = priceUpdate.safeParse(body);
  if (update.success)
    return update.data.topic === topic
      ? toTicks(update.data.payload.symbol, [update.data.payload], twapSeconds)
      : [];
  const dump = priceHistory.safeParse(body);
  if (!dump.success) return null;
  return dump.data.topic === topic || dump.data.topic === MISLABELLED_TOPIC
    ? toTicks(dump.data.payload.symbol, dump.data.payload.data, twapSeconds)
    : [];
}

function toTicks(
  symbol: string,
  points: readonly WirePoint[],
  twapSeconds: TwapSeconds,
): readonly PriceTick[] | null {
  const asset = ASSETS.get(symbol);
  if (asset === undefined) return [];
  const ticks: PriceTick[] = [];
  for (const point of points) {
    const price = priceOf(point);
    if (price === null) return null;
    ticks.push({ asset, price, sourceAtMs: point.timestamp, twapSeconds });
  }
  return ticks;
}

function priceOf({ value, full_accuracy_value: exact }: WirePoint): AssetPriceE8 | null {
  // the shortest text of a double is the text that was sent, up to 15 digits
  if (exact === undefined) return assetPriceFromDecimal(String(value));
  return /^\d{1,40}$/.test(exact)
    ? assetPriceFromScaled(BigInt(exact), 18)
    : assetPriceFromDecimal(exact);
}
