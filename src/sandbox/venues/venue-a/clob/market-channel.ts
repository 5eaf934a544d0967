import { z } from 'zod';
import { asId, type MarketId, type TokenId } from '../../../../domain/ids.ts';
import { VENUE_MODEL } from '../../../../../config/limits/sandbox.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { EngineTrade, ExchangeEvent, ExchangeMarket } from '../../../engine/exchange-types.ts';
import type { FaultBoard } from '../../../faults.ts';
import {
  bestBidAskFrame,
  bookFrame,
  lastTradeFrames,
  momentOf,
  newMarketFrame,
  priceChangeFrame,
  resolvedFrame,
  snapshotFrame,
  tickFrames,
  type ChangedLevel,
  type MarketFrame,
  type Moment,
  type PriceChangeFrame,
} from './market-frames.ts';
import type { Channel, PeerHandler, SocketPeer } from '../../../wire/socket-server.ts';
import { readJson } from '../../../wire/http-server.ts';

/** Beyond this many tokens in one frame the venue sends no snapshot (venue_a.md section 9.2). */
const SNAPSHOT_TOKENS = 500;
const OUTCOMES = [0, 1] as const;
/**
 * With more tokens than this on one socket the venue was seen to send nothing (venue_a.md section
 * 9.2).
 */
const QUIET_TOKENS = 200;
/** Frames that are no events (venue_a.md section 9.1). */
const NOISE: readonly (string | Buffer)[] = [
  'PONG',
  'NO NEW ASSETS',
  'INVALID OPERATION',
  Buffer.from([0xff, 0xfe, 0xc3, 0x28]),
  '[]',
];

const frameSchema = z.object({
  assets_ids: z.array(z.string().max(80)).max(VENUE_MODEL.socketTokensMaximum),
  type: z.string().optional(),
  operation: z.enum(['subscribe', 'unsubscribe']).optional(),
  custom_feature_enabled: z.boolean().optional(),
  initial_dump: z.boolean().optional(),
});

interface MarketPeer {
  readonly peer: SocketPeer;
  readonly tokens: Set<TokenId>;
  /** It named more tokens than the venue serves: nothing is sent to it. */
  isForgotten: boolean;
  /** The first frame has named the channel. */
  isOpen: boolean;
  wantsExtras: boolean;
}

/** What happened to one market since the last flush. */
interface Pending {
  readonly levels: Map<string, ChangedLevel>;
  readonly trades: EngineTrade[];
}

/**
 * The market channel: books for whoever names tokens, no authentication (venue_a.md sections 9.1 to
 * 9.3).
 */
export interface MarketChannel {
  readonly channel: Channel;
  /** Stops listening to the exchange. */
  close(): void;
}

/** Makes the market channel of an exchange. */
export function createMarketChannel(exchange: VenueModel): MarketChannel {
  const peers = new Set<MarketPeer>();
  const pending = new Map<MarketId, Pending>();
  let isFlushing = false;

  const pendingOf = (marketId: MarketId): Pending => {
    const known = pending.get(marketId) ?? { levels: new Map(), trades: [] };
    pending.set(marketId, known);
    if (!isFlushing) {
      isFlushing = true;
      // One frame carries all a turn of the engine did, so that its best prices are true for every
      // entry.
      queueMicrotask(() => {
        isFlushing = false;
        for (const id of pending.keys()) flushMarket(id);
      });
    }
    return known;
  };
  const flushMarket = (marketId: MarketId): void => {
    const changes = pending.get(marketId);
    pending.delete(marketId);
    if (changes !== undefined) flush(exchange, peers, marketId, changes);
  };

  const stop = exchange.subscribe((event) => {
    if (event.kind === 'level')
      pendingOf(event.marketId).levels.set(`${event.side}:${event.price}`, {
        side: event.side,
        price: event.price,
      });
    else if (event.kind === 'trade' && event.trade.status === 'MATCHED')
      pendingOf(event.trade.marketId).trades.push(event.trade);
    else if (
      event.kind === 'tick_size' ||
      event.kind === 'market_listed' ||
      event.kind === 'market_resolved'
    ) {
      // What led to the news goes before it.
      if (event.kind !== 'market_listed') flushMarket(event.marketId);
      announce(exchange, peers, event);
    }
  });
  return {
    close: stop,
    channel: (peer) =>
      attend(exchange, peers, {
        peer,
        tokens: new Set(),
        isForgotten: false,
        isOpen: false,
        wantsExtras: false,
      }),
  };
}

function attend(exchange: VenueModel, peers: Set<MarketPeer>, client: MarketPeer): PeerHandler {
  peers.add(client);
  return {
    gone: () => void peers.delete(client),
    frame(text) {
      if (text === 'PING') {
        client.peer.send('PONG');
        return;
      }
      const parsed = frameSchema.safeParse(readJson(text));
      if (!parsed.success) {
        client.peer.send('INVALID MESSAGE');
        return;
      }
      obey(exchange, client, parsed.data);
    },
  };
}

function obey(exchange: VenueModel, client: MarketPeer, frame: z.infer<typeof frameSchema>): void {
  const { operation, type, assets_ids: names } = frame;
  if (frame.custom_feature_enabled !== undefined) client.wantsExtras = frame.custom_feature_enabled;
  const opens = operation === undefined && type?.toLowerCase() === 'market' && !client.isOpen;
  if (!opens && (operation === undefined || !client.isOpen)) {
    client.peer.send('INVALID OPERATION');
    return;
  }
  client.isOpen = true;
  const tokens = names.map((name) => asId<TokenId>(name));
  if (operation === 'unsubscribe') {
    for (const token of tokens) client.tokens.delete(token);
    return;
  }
  const fresh = tokens.filter((token) => !client.tokens.has(token));
  if (client.tokens.size + fresh.length > VENUE_MODEL.socketTokensMaximum) {
    client.peer.close(1008, 'too many assets');
    return;
  }
  for (const token of fresh) client.tokens.add(token);
  if (client.tokens.size > QUIET_TOKENS && exchange.faults.take('too-many-tokens') !== null)
    client.isForgotten = true;
  if (client.isForgotten) return;
  if (fresh.length === 0 && !opens) client.peer.send('NO NEW ASSETS');
  else if (frame.initial_dump !== false) sendSnapshot(exchange, client, fresh);
}

function sendSnapshot(exchange: VenueModel, client: MarketPeer, tokens: readonly TokenId[]): void {
  if (
    tokens.length > SNAPSHOT_TOKENS ||
    exchange.faults.isArmed('silent-stall') ||
    exchange.faults.take('no-snapshot') !== null
  )
    return;
  const books = tokens.flatMap((token) => {
    const market = exchange.marketOfToken(token);
    return market === null || exchange.payout(market.marketId) !== null
      ? []
      : [snapshotFrame(exchange, market, token)];
  });
  client.peer.send(JSON.stringify(books));
}

function flush(
  exchange: VenueModel,
  peers: ReadonlySet<MarketPeer>,
  marketId: MarketId,
  { levels, trades }: Pending,
): void {
  const market = exchange.market(marketId);
  const readers = market === null ? [] : readersOf(peers, market);
  if (
    market === null ||
    readers.length === 0 ||
    exchange.faults.isArmed('silent-stall', { marketId })
  )
    return;
  const moment = momentOf(exchange, market);
  if (levels.size > 0) sendLevels(exchange, readers, moment, [...levels.values()]);
  for (const trade of trades)
    for (const frame of lastTradeFrames(exchange, trade))
      broadcast(exchange, readers, market, frame);
  if (trades.length > 0)
    for (const outcome of OUTCOMES)
      broadcast(
        exchange,
        wanting(readers, market.tokens[outcome]),
        market,
        bookFrame(moment, outcome),
      );
  const curious = readers.filter(({ wantsExtras }) => wantsExtras);
  if (curious.length === 0) return;
  for (const outcome of OUTCOMES)
    broadcast(
      exchange,
      wanting(curious, market.tokens[outcome]),
      market,
      bestBidAskFrame(moment, outcome),
    );
}

function sendLevels(
  exchange: VenueModel,
  readers: readonly MarketPeer[],
  moment: Moment,
  changes: readonly ChangedLevel[],
): void {
  const { market } = moment;
  const subject = { marketId: market.marketId };
  if (exchange.faults.take('gap', subject) !== null) return;
  const frame = priceChangeFrame(exchange, moment, changes);
  broadcast(exchange, readers, market, spoiled(exchange.faults, market, frame));
}

/** The frame with what armed faults make of it. */
function spoiled(faults: FaultBoard, market: ExchangeMarket, frame: PriceChangeFrame): MarketFrame {
  const subject = { marketId: market.marketId };
  let entries = frame.price_changes;
  if (faults.take('mirror-broken', subject) !== null)
    entries = entries.filter(({ asset_id: tokenId }) => tokenId === market.tokens[0]);
  if (faults.take('crossed', subject) !== null)
    entries = entries.flatMap((entry) => crossedEntries(entry));
  if (faults.take('zero-price-level', subject) !== null) {
    const level = {
      asset_id: market.tokens[0],
      side: 'BUY',
      hash: '',
      best_bid: '',
      best_ask: '',
    } as const;
    entries = [
      ...entries,
      { ...level, price: '0', size: '10' },
      { ...level, price: '0.01', size: '' },
    ];
  }
  if (faults.take('schema-drift', subject) === null) return { ...frame, price_changes: entries };
  const { price_changes: _renamed, ...rest } = frame;
  return { ...rest, changes: entries };
}

/** A bid at the best ask beside each entry of a side that has one. */
function crossedEntries(
  entry: PriceChangeFrame['price_changes'][number],
): PriceChangeFrame['price_changes'] {
  if (entry.best_ask === '' || entry.best_ask === '0') return [entry];
  const crossed = { ...entry, best_bid: entry.best_ask };
  return [crossed, { ...crossed, side: 'BUY', price: entry.best_ask, size: '1' }];
}

type MarketNews = Exclude<
  ExchangeEvent,
  { readonly kind: 'level' | 'trade' | 'order' | 'market_retired' }
>;

function announce(exchange: VenueModel, peers: ReadonlySet<MarketPeer>, event: MarketNews): void {
  const { faults } = exchange;
  const everyone = [...peers].filter(({ isOpen, wantsExtras }) => isOpen && wantsExtras);
  if (event.kind === 'market_listed') {
    broadcast(exchange, everyone, event.market, newMarketFrame(exchange, event.market));
    return;
  }
  const market = exchange.market(event.marketId);
  if (market === null || faults.isArmed('silent-stall', { marketId: event.marketId })) return;
  if (event.kind === 'tick_size') {
    const frames = tickFrames(exchange, market, event);
    const twice = faults.take('tick-announced-twice', { marketId: event.marketId }) !== null;
    for (const frame of twice ? [...frames, ...frames] : frames)
      broadcast(exchange, readersOf(peers, market), market, frame);
    return;
  }
  if (faults.take('market-resolved-silently', { marketId: event.marketId }) !== null) return;
  broadcast(exchange, everyone, market, resolvedFrame(exchange, market, event.payoutTicks));
  for (const { peer, tokens } of readersOf(peers, market)) {
    const isOver = [...tokens].every((token) => {
      const other = exchange.marketOfToken(token);
      return other !== null && exchange.payout(other.marketId) !== null;
    });
    if (isOver) peer.close(1000, 'all subscribed assets have been resolved');
  }
}

function broadcast(
  exchange: VenueModel,
  readers: readonly MarketPeer[],
  market: ExchangeMarket,
  frame: MarketFrame,
): void {
  const { faults, clock } = exchange;
  const subject = { marketId: market.marketId };
  if (readers.length === 0) return;
  if (faults.take('socket-dropped', subject) !== null) {
    for (const { peer } of readers) peer.cut();
    return;
  }
  const noise = faults.take('non-json-frame', subject) !== null;
  const backwards = faults.take('time-backwards', subject) !== null;
  const body = backwards ? { ...frame, timestamp: String(clock.nowMs() - 1_000) } : frame;
  const text = JSON.stringify(faults.take('object-or-array', subject) === null ? body : [body]);
  for (const { peer } of readers) {
    if (noise) for (const word of NOISE) peer.send(word);
    peer.send(text);
  }
}

function readersOf(peers: ReadonlySet<MarketPeer>, market: ExchangeMarket): readonly MarketPeer[] {
  return [...peers].filter(
    ({ tokens, isForgotten }) =>
      !isForgotten && (tokens.has(market.tokens[0]) || tokens.has(market.tokens[1])),
  );
}

function wanting(readers: readonly MarketPeer[], tokenId: TokenId): readonly MarketPeer[] {
  return readers.filter(({ tokens }) => tokens.has(tokenId));
}
