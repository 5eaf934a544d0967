import { z } from 'zod';
import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { everyTick, type Ticks } from '../../../ticks.ts';
import type { Channel, PeerHandler, SocketPeer } from '../../../wire/socket-server.ts';
import type { FaultBoard } from '../../../faults.ts';
import type { Book } from '../model/books.ts';
import type { MarketModel } from '../model/market-model.ts';
import type { TapeTrade } from '../model/tape.ts';
import { bidsShape, tops } from './metadata-shapes.ts';
import { dollars } from './shared-shapes.ts';

const CHANNELS = ['prices', 'trades', 'orderbook'] as const;
type ChannelName = (typeof CHANNELS)[number];

const commandSchema = z.object({
  type: z.enum(['subscribe', 'unsubscribe']),
  channel: z.enum(CHANNELS),
  all: z.literal(true).optional(),
  tickers: z.array(z.string()).optional(),
});

/** What one client follows on one channel: all markets, or a list of them. */
type Following = 'all' | ReadonlySet<string>;

/**
 * The venue's socket (venue_b.md section 12): prices, trades and books, each message whole. Nothing
 * is acknowledged, a book comes when it changes and not when it is subscribed to.
 */
export function createMetadataChannel(model: MarketModel, faults: FaultBoard): Channel {
  return (peer) => new Client(model, faults, peer);
}

class Client implements PeerHandler {
  readonly #model: MarketModel;
  readonly #faults: FaultBoard;
  readonly #peer: SocketPeer;
  readonly #following = new Map<ChannelName, Following>();
  /** Stops watching, by ticker. */
  readonly #watches = new Map<string, () => void>();
  #stopTrades: (() => void) | null = null;
  /** Markets come and go while all are followed. */
  readonly #relisting: Ticks;

  constructor(model: MarketModel, faults: FaultBoard, peer: SocketPeer) {
    this.#model = model;
    this.#faults = faults;
    this.#peer = peer;
    this.#relisting = everyTick(model.clock, { stepMs: CONTRACT_VENUE.relistMs, delayMs: 0 }, () =>
      this.#rewatch(),
    );
    this.#relisting.rest();
  }

  frame(text: string): void {
    const command = commandSchema.safeParse(parse(text));
    if (!command.success) return;
    const { type, channel, all, tickers = [] } = command.data;
    const before = this.#following.get(channel) ?? new Set<string>();
    if (type === 'subscribe')
      this.#following.set(
        channel,
        all === true ? 'all' : new Set([...(before === 'all' ? [] : before), ...tickers]),
      );
    else if (all === true) this.#following.delete(channel);
    else if (before !== 'all')
      this.#following.set(channel, new Set([...before].filter((each) => !tickers.includes(each))));
    this.#rewatch();
    if ([...this.#following.values()].includes('all')) this.#relisting.wake();
    else this.#relisting.rest();
  }

  gone(): void {
    this.#relisting.cancel();
    for (const stop of this.#watches.values()) stop();
    this.#watches.clear();
    this.#stopTrades?.();
    this.#stopTrades = null;
  }

  /** Watches what is followed now, and no more. */
  #rewatch(): void {
    const wanted = new Set([...this.#tickersOf('prices'), ...this.#tickersOf('orderbook')]);
    for (const [ticker, stop] of this.#watches)
      if (!wanted.has(ticker)) {
        stop();
        this.#watches.delete(ticker);
      }
    for (const ticker of wanted)
      if (!this.#watches.has(ticker))
        this.#watches.set(
          ticker,
          this.#model.books.watch(ticker, (book) => this.#tell(ticker, book)),
        );
    const followsTrades = this.#following.has('trades');
    if (!followsTrades) this.#stopTrades?.();
    this.#stopTrades = followsTrades
      ? (this.#stopTrades ?? this.#model.onTrade((trade) => this.#tellTrade(trade)))
      : null;
  }

  #tickersOf(channel: ChannelName): readonly string[] {
    const following = this.#following.get(channel);
    if (following === undefined) return [];
    if (following !== 'all') return [...following];
    return this.#model
      .events()
      .flatMap(({ markets }) => markets)
      .filter((listing) => this.#model.state(listing).status === 'active')
      .map(({ ticker }) => ticker);
  }

  #follows(channel: ChannelName, ticker: string): boolean {
    const following = this.#following.get(channel);
    return following === 'all' || following?.has(ticker) === true;
  }

  #tell(ticker: string, book: Book | null): void {
    if (this.#follows('prices', ticker)) {
      const { yesBid, yesAsk, noBid, noAsk } = tops(book);
      this.#send({
        channel: 'prices',
        type: 'ticker',
        market_ticker: ticker,
        yes_bid: yesBid,
        yes_ask: yesAsk,
        no_bid: noBid,
        no_ask: noAsk,
      });
    }
    if (this.#follows('orderbook', ticker))
      this.#send({
        channel: 'orderbook',
        type: 'orderbook',
        market_ticker: ticker,
        yes_bids:
          this.#faults.take('unreadable-frame') === null
            ? bidsShape(book?.yes ?? new Map())
            : { dear: 1 },
        no_bids: bidsShape(book?.no ?? new Map()),
      });
  }

  #tellTrade({ tradeId, ticker, yesTicks, count, takerSide, atMs }: TapeTrade): void {
    if (!this.#follows('trades', ticker)) return;
    this.#send({
      channel: 'trades',
      type: 'trade',
      market_ticker: ticker,
      trade_id: tradeId,
      price: Math.round(yesTicks / 100),
      count,
      yes_price: yesTicks,
      no_price: 10_000 - yesTicks,
      yes_price_dollars: dollars(yesTicks),
      no_price_dollars: dollars(10_000 - yesTicks),
      taker_side: takerSide,
      created_time: atMs,
    });
  }

  #send(message: unknown): void {
    if (this.#faults.isArmed('silent-stall')) return;
    if (this.#faults.take('socket-dropped') !== null) {
      this.#peer.cut();
      return;
    }
    const text = JSON.stringify(message);
    this.#peer.send(text);
    if (this.#faults.take('doubled-frames') !== null) this.#peer.send(text);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
