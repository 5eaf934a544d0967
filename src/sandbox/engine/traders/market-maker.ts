import { SANDBOX } from '../../../../config/limits/sandbox.ts';
import { asId, type Address, type OrderId } from '../../../domain/ids.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../domain/units.ts';
import type { Clock } from '../../../ports/clock.ts';
import { everyTick, pacedStep } from '../../ticks.ts';
import type { EngineAnswer, Exchange, ExchangeMarket } from '../exchange-types.ts';
import { streamOf } from '../../hashed-chance.ts';
import type { Listing } from '../listing.ts';
import { ladderAt } from './quote-ladder.ts';

/** Names the market makers appear under. */
const MAKER_ADDRESS = asId<Address>('0x1000000000000000000000000000000000000001');
const MAKER_OWNER = 'maker-quotes';

/**
 * One quoted level: the market maker buys Up for a bid, and Down at the mirrored price for an ask,
 * so it never needs shares.
 */
interface Quote {
  readonly orderId: OrderId;
  shares: number;
}

interface QuoteBook {
  readonly bids: Map<number, Quote>;
  readonly asks: Map<number, Quote>;
}

/**
 * Quotes every market that is in or near its window, twice a second, a bounded number of changes at
 * a time.
 */
export function startMarketMaker(options: {
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly seed: number;
  readonly listings: () => readonly Listing[];
  /** Chance of the first outcome, 0 to 1; null while it is unknown. */
  readonly fairOf: (listing: Listing) => number | null;
}): { stop(): void } {
  const { clock, exchange } = options;
  const quoteBooks = new Map<string, QuoteBook>();
  const placed = new Map<
    OrderId,
    { readonly quoteBook: QuoteBook; readonly side: keyof QuoteBook; readonly cents: number }
  >();
  const orderIdOf = orderNumbers(clock.nowMs());

  const unsubscribe = exchange.subscribe((event) => {
    if (event.kind === 'market_listed') tick.wake();
    if (event.kind === 'market_resolved') quoteBooks.delete(event.marketId);
    if (event.kind !== 'order' || event.owner !== MAKER_OWNER) return;
    const at = placed.get(event.orderId);
    if (at === undefined) return;
    const quote = at.quoteBook[at.side].get(at.cents);
    if (event.status === 'LIVE') {
      if (quote?.orderId === event.orderId)
        quote.shares = (event.order.originalMicros - event.order.matchedShares) / 1_000_000;
      return;
    }
    placed.delete(event.orderId);
    if (quote?.orderId === event.orderId) at.quoteBook[at.side].delete(at.cents);
  });

  function withdraw(quoteBook: QuoteBook, side: keyof QuoteBook, cents: number): void {
    const quote = quoteBook[side].get(cents);
    if (quote !== undefined) exchange.cancel(MAKER_OWNER, quote.orderId);
  }

  function quoteLevel(
    market: ExchangeMarket,
    quoteBook: QuoteBook,
    {
      side,
      cents,
      shares,
    }: { readonly side: keyof QuoteBook; readonly cents: number; readonly shares: number },
  ): void {
    const orderId = orderIdOf();
    placed.set(orderId, { quoteBook, side, cents });
    quoteBook[side].set(cents, { orderId, shares });
    const answer = placeMakerOrder(exchange, {
      orderId,
      owner: MAKER_OWNER,
      address: MAKER_ADDRESS,
      tokenId: market.tokens[side === 'bids' ? 0 : 1],
      cents: side === 'bids' ? cents : 100 - cents,
      shares,
      timeInForce: 'GTC',
    });
    if (answer.kind !== 'rejected') return;
    placed.delete(orderId);
    quoteBook[side].delete(cents);
  }

  function requote(listing: Listing, nowMs: number): void {
    const { market } = listing;
    const levels = levelsFor(listing, nowMs);
    const fair = levels === 0 ? null : options.fairOf(listing);
    const quoteBook = quoteBooks.get(market.marketId);
    if (fair === null && quoteBook === undefined) return;
    const quoted = quoteBook ?? { bids: new Map<number, Quote>(), asks: new Map<number, Quote>() };
    quoteBooks.set(market.marketId, quoted);
    const view = {
      seed: options.seed,
      stream: streamOf(market.slug),
      fairCents: (fair ?? 0.5) * 100,
      secondsLeft: (market.endsAtMs - nowMs) / 1000,
      nowMs,
      levels,
      depth: listing.depth ?? 1,
    };
    const wanted =
      fair === null
        ? { bids: new Map<number, number>(), asks: new Map<number, number>() }
        : ladderAt(view);
    const [bestBid, bestAsk] = [
      Math.max(0, ...wanted.bids.keys()),
      Math.min(100, ...wanted.asks.keys()),
    ];
    // A withdrawn quote leaves its map while it is walked, which a map allows.
    for (const cents of quoted.bids.keys())
      if (cents >= bestAsk || cents > bestBid) withdraw(quoted, 'bids', cents);
    for (const cents of quoted.asks.keys())
      if (cents <= bestBid || cents < bestAsk) withdraw(quoted, 'asks', cents);
    const changes = [
      ...changesOf(quoted.bids, wanted.bids, 'bids'),
      ...changesOf(quoted.asks, wanted.asks, 'asks'),
    ];
    changes.sort((a, b) => Math.abs(a.cents - view.fairCents) - Math.abs(b.cents - view.fairCents));
    for (const { side, cents, shares } of changes.slice(0, SANDBOX.quoteChangesMaximum)) {
      withdraw(quoted, side, cents);
      if (shares > 0) quoteLevel(market, quoted, { side, cents, shares });
    }
  }

  const tick = everyTick(
    clock,
    { stepMs: pacedStep(clock, SANDBOX.requoteMs), delayMs: 0 },
    (number) => {
      const nowMs = clock.nowMs();
      fund(exchange, MAKER_ADDRESS);
      let isNeeded = false;
      for (const [index, listing] of options.listings().entries()) {
        if (listing.ending !== null || nowMs >= listing.market.endsAtMs) continue;
        isNeeded = true;
        // Markets that do not run now move slowly: each is looked at every eighth time, not all at
        // once.
        const isRunning = listing.window !== null && nowMs >= listing.window.startsAtMs;
        if (isRunning || (number + index) % 8 === 0) requote(listing, nowMs);
      }
      if (!isNeeded) tick.rest();
    },
  );
  return {
    stop() {
      tick.cancel();
      unsubscribe();
    },
  };
}

/** What a market maker's order says. */
export interface MakerOrder {
  readonly orderId: OrderId;
  readonly owner: string;
  readonly address: Address;
  readonly tokenId: ExchangeMarket['tokens'][number];
  /** Own price of the token. */
  readonly cents: number;
  readonly shares: number;
  readonly timeInForce: 'GTC' | 'FAK';
}

/**
 * Places a buy for a market maker: amounts in whole cents and shares, so nothing is ever rounded.
 */
export function placeMakerOrder(
  exchange: Exchange,
  { orderId, owner, address, tokenId, cents, shares, timeInForce }: MakerOrder,
): EngineAnswer {
  return exchange.place({
    orderId,
    owner,
    maker: address,
    tokenId,
    timeInForce,
    side: 'buy',
    price: priceTicks(cents * 100),
    makerMicros: cents * shares * 10_000,
    takerMicros: shareMicros(shares * 1_000_000),
    expiresAtMs: null,
    postOnly: false,
  });
}

/** Keeps the account of a market maker endlessly rich. */
export function fund(exchange: Exchange, address: Address): void {
  if (exchange.balanceOf(address) < SANDBOX.makerFundsMicros / 2)
    exchange.deposit(address, usdcMicros(SANDBOX.makerFundsMicros));
}

/** Order ids of a market maker: the moment it started and a number, in the shape of a hash. */
export function orderNumbers(startedAtMs: number, maker = 0): () => OrderId {
  let number = 0;
  const prefix = `${maker.toString(16).padStart(4, '0')}${startedAtMs.toString(16).padStart(28, '0')}`;
  return () => {
    number += 1;
    return asId<OrderId>(`0x${prefix}${number.toString(16).padStart(32, '0')}`);
  };
}

/**
 * A running market is quoted fully, one about to start or a long-running one thinly, others not at
 * all.
 */
function levelsFor({ window, market }: Listing, nowMs: number): number {
  if (nowMs >= market.endsAtMs) return 0;
  if (window === null) return SANDBOX.quoteLevelsThin;
  if (nowMs >= window.startsAtMs) return SANDBOX.quoteLevels;
  return nowMs >= window.startsAtMs - SANDBOX.quotedBeforeStartMs ? SANDBOX.quoteLevelsThin : 0;
}

/** Levels whose quote is missing, gone from the plan, or off by more than half. */
function changesOf(
  quoted: ReadonlyMap<number, Quote>,
  wanted: ReadonlyMap<number, number>,
  side: keyof QuoteBook,
): { readonly side: keyof QuoteBook; readonly cents: number; readonly shares: number }[] {
  const changes: { side: keyof QuoteBook; cents: number; shares: number }[] = [];
  for (const [cents, shares] of wanted) {
    const quote = quoted.get(cents);
    if (quote === undefined || quote.shares < shares * 0.5 || quote.shares > shares * 2)
      changes.push({ side, cents, shares });
  }
  for (const cents of quoted.keys())
    if (!wanted.has(cents)) changes.push({ side, cents, shares: 0 });
  return changes;
}
