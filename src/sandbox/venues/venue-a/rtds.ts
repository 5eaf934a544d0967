import type { WebSocket } from 'ws';
import type { Asset } from '../../../domain/ids.ts';
import type { Clock } from '../../../ports/clock.ts';
import { everyTick } from '../../ticks.ts';
import { MIRROR_DELAY_MS } from '../../calibration/calibration.ts';
import { EXCHANGE_SLOT_MS, type ExchangePrices } from '../../feeds/prices/exchange-prices.ts';
import type { FaultBoard } from '../../faults.ts';
import {
  ASSETS,
  toUsd,
  twapAt,
  type SettlementPrices,
} from '../../feeds/prices/settlement-prices.ts';
import { json, sendFrame, startFeedHost, type FeedHost } from '../../feeds/feed-host.ts';

interface Topic {
  readonly delayMs: number;
  symbolOf(asset: Asset): string;
  payload(
    asset: Asset,
    second: number,
  ): { readonly timestamp: number; readonly value: number } | null;
}

/**
 * One subscription: the filter text is compared as it came, nothing is parsed (venue_a.md section
 * 15.1).
 */
interface Subscription {
  readonly type: string;
  readonly filters: string;
}

const EXCHANGE_DELAY_MS = 500;
const SNAPSHOT_SECONDS = 120;

/**
 * Starts the venue's real-time data socket: exchange, settlement and averaged prices once a second
 * (venue_a.md section 15.1).
 */
export async function startRtds({
  port,
  clock,
  faults,
  prices,
  exchange,
}: {
  readonly port: number;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly prices: SettlementPrices;
  readonly exchange: ExchangePrices;
}): Promise<FeedHost> {
  const topics = topicsOf(prices, exchange);
  const readers = new Map<WebSocket, Map<string, Subscription>>();

  const ticks = [...topics].map(([name, topic]) =>
    everyTick(clock, { stepMs: 1_000, delayMs: topic.delayMs }, (second) => {
      for (const asset of ASSETS) {
        const payload = topic.payload(asset, second);
        if (payload === null || faults.isArmed('feed-stall', { path: '/rtds', asset })) continue;
        const symbol = topic.symbolOf(asset);
        const frame = JSON.stringify({
          topic: name,
          type: 'update',
          timestamp: clock.nowMs(),
          payload: { symbol, ...payload },
        });
        for (const [socket, subscriptions] of readers)
          if (wants(subscriptions.get(name), symbol)) sendFrame(socket, frame);
      }
    }),
  );

  function admit(socket: WebSocket): void {
    const subscriptions = new Map<string, Subscription>();
    readers.set(socket, subscriptions);
    socket.on('close', () => readers.delete(socket));
    socket.on('message', (data) => {
      const command = parseCommand(String(data));
      for (const { topic, type, filters } of command.subscriptions) {
        const known = topics.get(topic);
        if (known === undefined) continue;
        if (command.action === 'unsubscribe') subscriptions.delete(topic);
        else {
          subscriptions.set(topic, { type, filters });
          sendFrame(socket, '');
          sendSnapshots(socket, clock.nowMs(), { topic: known, subscription: { type, filters } });
        }
      }
    });
  }

  const host = await startFeedHost(port, faults, {
    answer: () => json(426, { error: 'upgrade required' }),
    admit: () => admit,
  });
  return {
    ...host,
    close: () => {
      ticks.forEach((tick) => tick.cancel());
      return host.close();
    },
  };
}

function topicsOf(prices: SettlementPrices, exchange: ExchangePrices): ReadonlyMap<string, Topic> {
  const coin = (asset: Asset) => `${asset.toLowerCase()}usdt`;
  const pair = (asset: Asset) => `${asset.toLowerCase()}/usd`;
  const stamped = (second: number, value: number) => ({ timestamp: second * 1000, value });
  return new Map<string, Topic>([
    [
      'crypto_prices',
      {
        delayMs: EXCHANGE_DELAY_MS,
        symbolOf: coin,
        payload: (asset, second) => {
          const quote = exchange.quote(asset, (second * 1000) / EXCHANGE_SLOT_MS);
          return quote === null ? null : stamped(second, (quote.bidCents + quote.askCents) / 200);
        },
      },
    ],
    [
      'crypto_prices_chainlink',
      {
        delayMs: MIRROR_DELAY_MS,
        symbolOf: pair,
        payload: (asset, second) => {
          const price = prices.at(asset, second);
          return price === null ? null : stamped(second, toUsd(price));
        },
      },
    ],
    [
      'crypto_prices_twap_sixty',
      {
        delayMs: MIRROR_DELAY_MS,
        symbolOf: pair,
        payload: (asset, second) => {
          const price = twapAt(prices, asset, second);
          return price === null
            ? null
            : {
                ...stamped(second, toUsd(price)),
                full_accuracy_value: price.toString(),
                window_seconds: 60,
              };
        },
      },
    ],
  ]);
}

function wants(subscription: Subscription | undefined, symbol: string): boolean {
  if (subscription === undefined || (subscription.type !== 'update' && subscription.type !== '*'))
    return false;
  return subscription.filters === '' || subscription.filters === `{"symbol":"${symbol}"}`;
}

/**
 * The last two minutes of each wanted symbol. The venue labels every such frame `crypto_prices`.
 */
function sendSnapshots(
  socket: WebSocket,
  nowMs: number,
  { topic, subscription }: { readonly topic: Topic; readonly subscription: Subscription },
): void {
  const newest = Math.floor((nowMs - topic.delayMs) / 1000);
  for (const asset of ASSETS) {
    const symbol = topic.symbolOf(asset);
    if (!wants(subscription, symbol)) continue;
    const data = Array.from({ length: SNAPSHOT_SECONDS }, (_, index) =>
      topic.payload(asset, newest - SNAPSHOT_SECONDS + 1 + index),
    ).filter((payload) => payload !== null);
    const points = data.map(({ timestamp, value }) => ({ timestamp, value }));
    sendFrame(
      socket,
      JSON.stringify({
        topic: 'crypto_prices',
        type: 'subscribe',
        timestamp: nowMs,
        payload: { symbol, data: points },
      }),
    );
  }
}

interface Command {
  readonly action: string;
  readonly subscriptions: readonly {
    readonly topic: string;
    readonly type: string;
    readonly filters: string;
  }[];
}

const NOTHING: Command = { action: '', subscriptions: [] };

/** Keep-alive words and anything else that is not a command ask for nothing. */
function parseCommand(text: string): Command {
  if (!text.startsWith('{')) return NOTHING;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return NOTHING;
  }
  if (
    typeof parsed !== 'object' ||
    parsed === null ||
    !('action' in parsed) ||
    !('subscriptions' in parsed) ||
    !Array.isArray(parsed.subscriptions)
  )
    return NOTHING;
  const { action } = parsed;
  if (action !== 'subscribe' && action !== 'unsubscribe') return NOTHING;
  const rows: readonly unknown[] = parsed.subscriptions;
  return {
    action,
    subscriptions: rows.flatMap((row) =>
      typeof row === 'object' && row !== null
        ? [
            {
              topic: textOf(row, 'topic'),
              type: textOf(row, 'type'),
              filters: textOf(row, 'filters'),
            },
          ]
        : [],
    ),
  };
}

function textOf(row: object, field: string): string {
  const value: unknown = Object.entries(row).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value : '';
}
