import { FEEDS } from '../../../config/limits/market-data.ts';
import { createMarketFrames } from '../../../src/venues/venue-a/market-data/market-frames.ts';
import { createPriceSocket } from '../../../src/venues/venue-a/market-data/price-socket.ts';
import { createUserSocket } from '../../../src/venues/venue-a/user-socket.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { BookFold } from '../../../src/domain/book-fold.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import type { Listener } from '../../../src/ports/listener.ts';
import type { PriceTick } from '../../../src/ports/price-feed.ts';
import type { UserEvent } from '../../../src/ports/order-gateway.ts';
import { chanceOf, mangle, type Chance } from './chance.ts';
import type { Finding, Target } from './finding.ts';
import { hostileJson } from './hostile.ts';

const MARKET = `0x${'ab'.repeat(32)}`;
const UP = '71321045679252212594626385532706912750332728571942532289631379312455583992563';
const DOWN = '71321045679252212594626385532706912750332728571942532289631379312455583992564';
const RECEIVED_MS = 1_760_000_005_000;
const NOW_MS = 1_760_000_000_000;
/** Later than anything a frame of these may be stamped. */
const LATER_MS = NOW_MS + 60_000;

const book = (token: string) => ({
  market: MARKET,
  asset_id: token,
  timestamp: '1760000000123',
  hash: 'ab',
  tick_size: '0.01',
  event_type: 'book',
  bids: [
    { price: '0.4', size: '120' },
    { price: '0.49', size: '35.5' },
  ],
  asks: [
    { price: '0.60', size: '80' },
    { price: '0.51', size: '20' },
  ],
});
const SNAPSHOT = JSON.stringify([book(UP), book(DOWN)]);

/** Frames of the market channel as the venue sends them (venue_a.md section 9.3). */
const MARKET_FRAMES: readonly string[] = [
  SNAPSHOT,
  JSON.stringify(book(UP)),
  JSON.stringify({
    market: MARKET,
    price_changes: [
      {
        asset_id: UP,
        price: '0.5',
        size: '85',
        side: 'BUY',
        hash: 'ab',
        best_bid: '0.5',
        best_ask: '0.51',
      },
      {
        asset_id: DOWN,
        price: '0.5',
        size: '85',
        side: 'SELL',
        hash: 'ab',
        best_bid: '0.49',
        best_ask: '0.5',
      },
    ],
    timestamp: '1760000001000',
    event_type: 'price_change',
  }),
  JSON.stringify({
    market: MARKET,
    price_changes: [
      { asset_id: UP, price: '0.49', size: '0', side: 'BUY', best_bid: '0.4', best_ask: '0.51' },
    ],
    timestamp: '1760000002000',
    event_type: 'price_change',
  }),
  JSON.stringify({
    event_type: 'last_trade_price',
    market: MARKET,
    asset_id: UP,
    price: '0.5',
    size: '10',
    side: 'BUY',
    fee_rate_bps: '0',
    timestamp: '1760000001500',
  }),
  JSON.stringify({
    event_type: 'tick_size_change',
    market: MARKET,
    asset_id: UP,
    old_tick_size: '0.01',
    new_tick_size: '0.001',
    timestamp: '1760000001500',
  }),
  JSON.stringify({
    event_type: 'market_resolved',
    market: MARKET,
    assets_ids: [UP, DOWN],
    winning_asset_id: UP,
    timestamp: '1760000001500',
  }),
  JSON.stringify([
    {
      event_type: 'best_bid_ask',
      market: MARKET,
      asset_id: UP,
      best_bid: '0.49',
      best_ask: '0.51',
      timestamp: '1760000001500',
    },
  ]),
  'PONG',
  'NO NEW ASSETS',
  'INVALID OPERATION',
  '[]',
  '{}',
];

/** Frames of a user's own channel (venue_a.md section 9.4). */
const USER_FRAMES: readonly string[] = [
  JSON.stringify({
    event_type: 'order',
    type: 'UPDATE',
    id: `0x${'01'.repeat(32)}`,
    status: 'LIVE',
    size_matched: '2.5',
    original_size: '10',
    price: '0.5',
    side: 'BUY',
    asset_id: UP,
    market: MARKET,
    timestamp: '1760000001500',
  }),
  JSON.stringify({
    event_type: 'order',
    type: 'CANCELLATION',
    id: `0x${'01'.repeat(32)}`,
    status: 'CANCELED',
    size_matched: '0',
  }),
  JSON.stringify({
    event_type: 'trade',
    type: 'TRADE',
    id: '28c4d2eb-bbea-40e7-a9f0-b2fdb56b2c2e',
    asset_id: UP,
    market: MARKET,
    side: 'BUY',
    size: '10',
    price: '0.57',
    status: 'MATCHED',
    fee_rate_bps: '0',
    outcome: 'YES',
    owner: 'key-me',
    trade_owner: 'key-me',
    maker_address: '0xAA00000000000000000000000000000000000001',
    taker_order_id: `0x${'06'.repeat(32)}`,
    trader_side: 'TAKER',
    match_time: '1760000001',
    last_update: '1760000001',
    timestamp: '1760000001500',
    transaction_hash: '',
    bucket_index: 0,
    maker_orders: [
      {
        order_id: `0x${'ff'.repeat(32)}`,
        owner: 'key-other',
        maker_address: '0xBB00000000000000000000000000000000000002',
        matched_amount: '10',
        price: '0.57',
        fee_rate_bps: '0',
        asset_id: UP,
        outcome: 'YES',
        side: 'SELL',
      },
    ],
  }),
  'PONG',
  '[]',
  '{}',
];

/**
 * Frames of the venue's market channel at our edge: whatever they hold, no book is trusted that
 * they do not bear out.
 */
export function marketFrames(): Target {
  return {
    name: 'market-frames',
    async live(seed, number) {
      const chance = chanceOf(seed, 'market-frames', number);
      const books = [UP, DOWN].map((token) => new BookFold(asId(token)));
      const frames = createMarketFrames(books, {
        changed: () => undefined,
        dropped: () => undefined,
      });
      frames.take(Buffer.from(SNAPSHOT), RECEIVED_MS);
      for (let left = 1 + chance.below(6); left > 0; left -= 1) {
        const frame = spoiled(chance, MARKET_FRAMES);
        const before = books.map(levelsOf);
        frames.take(frame, RECEIVED_MS);
        const fault = judge(frame, books, before);
        if (fault !== null)
          return `${fault} after ${JSON.stringify(frame.toString('latin1').slice(0, 2_000))}`;
      }
      frames.take(Buffer.from(SNAPSHOT), RECEIVED_MS);
      return null;
    },
    end: async () => null,
  };
}

function judge(frame: Buffer, books: readonly BookFold[], before: readonly string[]): Finding {
  for (const each of books) {
    const { bids, asks } = each.view();
    for (const [levels, direction] of [
      [bids, -1],
      [asks, 1],
    ] as const) {
      for (const [index, { price, size }] of levels.entries()) {
        if (
          !Number.isInteger(price) ||
          price < 1 ||
          price > 9_999 ||
          !Number.isSafeInteger(size) ||
          size <= 0
        )
          return `a level of ${price} with ${size}`;
        const next = levels[index + 1];
        if (next !== undefined && (next.price - price) * direction <= 0)
          return 'levels out of order';
      }
    }
    const [bid, ask] = [bids[0]?.price, asks[0]?.price];
    if (each.fault === null && bid !== undefined && ask !== undefined && bid >= ask)
      return 'a crossed book is trusted';
  }
  if (isJson(frame)) return null;
  if (books.some((each, index) => levelsOf(each) !== before[index]))
    return 'a frame that is no JSON changed a book';
  const wasEvent = frame[0] === 0x7b || frame[0] === 0x5b;
  return wasEvent && books.some(({ fault }) => fault === null)
    ? 'a broken event left a book trusted'
    : null;
}

function levelsOf(each: BookFold): string {
  const { bids, asks } = each.view();
  return JSON.stringify([bids, asks]);
}

function isJson(frame: Buffer): boolean {
  try {
    JSON.parse(frame.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/**
 * Frames of a user's channel at our edge: what cannot be read makes us read again, and nothing else
 * gets through.
 */
export function userFrames(): Target {
  return {
    name: 'user-frames',
    async live(seed, number) {
      const chance = chanceOf(seed, 'user-frames', number);
      const reported: UserEvent[] = [];
      const channel = await openChannel(reported);
      for (let left = 1 + chance.below(5); left > 0; left -= 1) {
        const frame = spoiled(chance, USER_FRAMES);
        const heard = reported.length;
        channel.send(frame);
        const fault = reported
          .slice(heard)
          .map(faultOf)
          .find((each) => each !== null);
        if (fault !== undefined)
          return `${String(fault)} after ${JSON.stringify(frame.toString('latin1').slice(0, 2_000))}`;
        const isBroken = !isJson(frame) && (frame[0] === 0x7b || frame[0] === 0x5b);
        if (isBroken && reported.length === heard)
          return `a broken event went unnoticed: ${JSON.stringify(frame.toString('latin1').slice(0, 2_000))}`;
      }
      channel.stop();
      return null;
    },
    end: async () => null,
  };
}

async function openChannel(
  reported: UserEvent[],
): Promise<{ send(frame: Buffer): void; stop(): void }> {
  let send: (frame: Buffer) => void = () => undefined;
  const account = {
    address: asId<Address>('0xAA00000000000000000000000000000000000001'),
    credentials: { key: 'key-me', secret: 's', passphrase: 'p' },
  };
  const stop = createUserSocket({
    url: 'ws://venue',
    clock: createVirtualClock(0),
    metrics: {
      count: () => {},
      gauge: () => {},
      observe: () => {},
      startTimer: () => () => {},
      beforeRead: () => {},
    },
    accounts: {
      accountOf: async () => account,
      openAccount: unused,
      heldAccount: unused,
      open: unused,
      deposits: unused,
      collateral: unused,
      refreshBalance: unused,
    },
    funderOf: () => account.address,
    open: (_options, listener) => {
      send = (frame) => listener.next(frame);
      return { send: () => true, close: () => undefined };
    },
  })(asId<UserId>('usr_ada'), {
    next: (event) => reported.push(event),
    error: (cause) => {
      throw cause;
    },
  });
  await new Promise((resolve) => setImmediate(resolve));
  return { send, stop };
}

function unused(): never {
  throw new Error('not part of this channel');
}

/** Figures an event may not hold, whatever was sent. */
function faultOf(event: UserEvent): Finding {
  const bad = (value: unknown): boolean =>
    typeof value === 'number' && (!Number.isSafeInteger(value) || value < 0);
  const record: object =
    event.kind === 'fill' ? event.fill : event.kind === 'order' ? event.order : {};
  const found = Object.entries(record).find(([, value]) => bad(value));
  return found === undefined ? null : `an event of ${found[0]} ${String(found[1])}`;
}

/** Frames of the venue's price channel (venue_a.md section 15.1). */
const PRICE_FRAMES: readonly string[] = [
  JSON.stringify({
    topic: 'crypto_prices_chainlink',
    type: 'update',
    timestamp: NOW_MS + 150,
    connection_id: 'abc',
    payload: { symbol: 'btc/usd', timestamp: NOW_MS, value: 60000.5 },
  }),
  JSON.stringify({
    topic: 'crypto_prices_twap_sixty',
    type: 'update',
    timestamp: NOW_MS + 150,
    payload: {
      symbol: 'eth/usd',
      timestamp: NOW_MS,
      value: 3001.25,
      full_accuracy_value: '3001250000000000000001',
      window_seconds: 60,
    },
  }),
  JSON.stringify({
    topic: 'crypto_prices_chainlink',
    type: 'subscribe',
    timestamp: NOW_MS,
    payload: {
      symbol: 'btc/usd',
      data: [4, 3, 2].map((seconds) => ({
        timestamp: NOW_MS - seconds * 1_000,
        value: 60_000 + seconds,
      })),
    },
  }),
  JSON.stringify({
    topic: 'crypto_prices',
    type: 'subscribe',
    timestamp: NOW_MS,
    payload: { symbol: 'sol/usd', data: [{ timestamp: NOW_MS - 500, value: 150.125 }] },
  }),
  'PONG',
  '[]',
  '{}',
];

/**
 * Frames of the price channel at our edge: a price is one that was sent, of its moment, and none of
 * them silences the feed.
 */
export function priceFrames(): Target {
  return {
    name: 'price-frames',
    async live(seed, number) {
      const chance = chanceOf(seed, 'price-frames', number);
      const reported: PriceTick[] = [];
      const channel = openPrices(reported);
      const sent: Buffer[] = [];
      for (let left = 1 + chance.below(6); left > 0; left -= 1) {
        const frame = spoiled(chance, PRICE_FRAMES);
        sent.push(frame);
        const heard = reported.length;
        channel.send(frame);
        const fault =
          reported
            .slice(heard)
            .map(faultOfTick)
            .find((each) => each !== null) ??
          (reported.length > heard && !isJson(frame)
            ? 'a price was taken from what is no JSON'
            : null);
        if (fault !== null)
          return `${fault} after ${JSON.stringify(frame.toString('latin1').slice(0, 2_000))}`;
      }
      const heard = reported.length;
      channel.sendLater(
        JSON.stringify({
          topic: 'crypto_prices_chainlink',
          type: 'update',
          payload: { symbol: 'btc/usd', timestamp: LATER_MS, value: 61_000 },
        }),
      );
      const isSilenced = !reported
        .slice(heard)
        .some(
          ({ asset, price, sourceAtMs }) =>
            asset === 'BTC' && price === 6_100_000_000_000 && sourceAtMs === LATER_MS,
        );
      channel.stop();
      return isSilenced || !isInOrder(reported)
        ? `${isSilenced ? 'a true price went unheard' : 'prices were reported out of order'} after ${JSON.stringify(sent.map((frame) => frame.toString('latin1').slice(0, 500)))}`
        : null;
    },
    end: async () => null,
  };
}

function openPrices(reported: PriceTick[]): {
  send(frame: Buffer): void;
  sendLater(text: string): void;
  stop(): void;
} {
  const listeners: Listener<Buffer>[] = [];
  let nowMs = NOW_MS;
  const stop = createPriceSocket({
    url: 'ws://venue',
    clock: { nowMs: () => nowMs, after: () => ({ cancel: () => undefined }) },
    metrics: {
      count: () => {},
      gauge: () => {},
      observe: () => {},
      startTimer: () => () => {},
      beforeRead: () => {},
    },
    open: (_options, listener) => {
      listeners.push(listener);
      return { send: () => true, close: () => undefined };
    },
  }).watch(['BTC', 'ETH', 'SOL'], {
    next: (tick) => reported.push(tick),
    error: (cause) => {
      throw cause;
    },
  });
  const send = (frame: Buffer): void => listeners.forEach((listener) => listener.next(frame));
  return {
    send,
    stop,
    sendLater(text) {
      nowMs = LATER_MS;
      send(Buffer.from(text));
    },
  };
}

/** What of a price cannot be so, whatever was sent. */
function faultOfTick({ asset, price, sourceAtMs }: PriceTick): Finding {
  if (!Number.isSafeInteger(price) || price <= 0) return `a price of ${price}`;
  return !['BTC', 'ETH', 'SOL'].includes(asset) ||
    !Number.isSafeInteger(sourceAtMs) ||
    sourceAtMs <= 0 ||
    sourceAtMs > NOW_MS + FEEDS.futureMaximumMs
    ? `a price of ${asset} stamped ${sourceAtMs}`
    : null;
}

function isInOrder(reported: readonly PriceTick[]): boolean {
  const newest = new Map<string, number>();
  return reported.every(({ asset, twapSeconds, sourceAtMs }) => {
    const key = `${asset} ${twapSeconds}`;
    const before = newest.get(key) ?? 0;
    newest.set(key, sourceAtMs);
    return sourceAtMs > before;
  });
}

/** A frame as it was, broken in its bytes, with another value in it, or two of them joined. */
function spoiled(chance: Chance, frames: readonly string[]): Buffer {
  const frame = chance.pick(frames);
  switch (chance.below(5)) {
    case 0:
      return Buffer.from(frame);
    case 1:
    case 2: {
      const values = [...frame.matchAll(/"(?:[^"\\]|\\.)*"(?!:)|-?\d+(?:\.\d+)?|\[\]|\{\}/g)];
      const value = values[chance.below(Math.max(1, values.length))];
      if (value === undefined) return mangle(chance, Buffer.from(frame));
      return Buffer.from(
        `${frame.slice(0, value.index)}${hostileJson(chance)}${frame.slice(value.index + value[0].length)}`,
      );
    }
    case 3:
      return Buffer.from(
        chance.pick([
          `${frame}${chance.pick(frames)}`,
          `[${frame},${chance.pick(frames)}]`,
          ` ${frame}`,
          `\ufeff${frame}`,
          frame.replaceAll(':', ': '),
          `[${Array.from({ length: 500 }, () => frame).join()}]`,
        ]),
      );
    default:
      return mangle(chance, Buffer.from(frame));
  }
}
