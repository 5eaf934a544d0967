import { SANDBOX } from '../../../../config/limits/sandbox.ts';
import { asId, type Address, type OrderId } from '../../../domain/ids.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../domain/units.ts';
import type { Clock } from '../../../ports/clock.ts';
import { everyBeat } from '../../beats.ts';
import type { EngineAnswer, Exchange, ExchangeMarket } from '../exchange-types.ts';
import { streamOf } from '../../hashed-chance.ts';
import type { Listing } from '../listing.ts';
import { ladderAt } from './quote-ladder.ts';

/** What the makers need. */
export interface MarketMakerOptions {
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly seed: number;
  readonly listings: () => readonly Listing[];
  /** Chance of the first outcome, 0 to 1; null while nobody can tell. */
  readonly fairOf: (listing: Listing) => number | null;
}

/** Names the house's makers appear under. */
const MAKER_ADDRESS = asId<Address>('0x1000000000000000000000000000000000000001');
const MAKER_OWNER = 'house-maker';

/** One quoted level: the house buys Up for a bid, and Down at the mirrored price for an ask, so it never needs shares. */
interface Quote {
  readonly orderId: OrderId;
  shares: number;
}

interface Desk {
  readonly bids: Map<number, Quote>;
  readonly asks: Map<number, Quote>;
}

/** Quotes every market that is in or near its window, twice a second, a bounded number of changes at a time. */
export function startMarketMaker(options: MarketMakerOptions): { stop(): void } {
  const { clock, exchange } = options;
  const desks = new Map<string, Desk>();
  const placed = new Map<
    OrderId,
    { readonly desk: Desk; readonly side: keyof Desk; readonly cents: number }
  >();
  const orderIdOf = orderNumbers(clock.nowMs());

  const unsubscribe = exchange.subscribe((event) => {
    if (event.kind === 'market_listed') beat.wake();
    if (event.kind === 'market_resolved') desks.delete(event.marketId);
    if (event.kind !== 'order' || event.owner !== MAKER_OWNER) return;
    const at = placed.get(event.orderId);
    if (at === undefined) return;
    const quote = at.desk[at.side].get(at.cents);
    if (event.status === 'LIVE') {
      if (quote?.orderId === event.orderId)
        quote.shares = (event.order.originalMicros - event.order.matchedShares) / 1_000_000;
      return;
    }
    placed.delete(event.orderId);
    if (quote?.orderId === event.orderId) at.desk[at.side].delete(at.cents);
  });

  function withdraw(desk: Desk, side: keyof Desk, cents: number): void {
    const quote = desk[side].get(cents);
    if (quote !== undefined) exchange.cancel(MAKER_OWNER, quote.orderId);
  }

  function quoteLevel(
    market: ExchangeMarket,
    desk: Desk,
    {
      side,
      cents,
      shares,
    }: { readonly side: keyof Desk; readonly cents: number; readonly shares: number },
  ): void {
    const orderId = orderIdOf();
    placed.set(orderId, { desk, side, cents });
    desk[side].set(cents, { orderId, shares });
    const answer = placeHouseOrder(exchange, {
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
    desk[side].delete(cents);
  }

  function requote(listing: Listing, nowMs: number): void {
    const { market } = listing;
    const levels = levelsFor(listing, nowMs);
    const fair = levels === 0 ? null : options.fairOf(listing);
    const desk = desks.get(market.marketId);
    if (fair === null && desk === undefined) return;
    const quoted = desk ?? { bids: new Map<number, Quote>(), asks: new Map<number, Quote>() };
    desks.set(market.marketId, quoted);
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

  const beat = everyBeat(clock, { stepMs: SANDBOX.requoteMs, delayMs: 0 }, (number) => {
    const nowMs = clock.nowMs();
    fund(exchange, MAKER_ADDRESS);
    let isNeeded = false;
    for (const [index, listing] of options.listings().entries()) {
      if (listing.ending !== null || nowMs >= listing.market.endsAtMs) continue;
      isNeeded = true;
      // Markets that do not run now move slowly: each is looked at every eighth time, not all at once.
      const isRunning = listing.window !== null && nowMs >= listing.window.startsAtMs;
      if (isRunning || (number + index) % 8 === 0) requote(listing, nowMs);
    }
    if (!isNeeded) beat.rest();
  });
  return {
    stop() {
      beat.cancel();
      unsubscribe();
    },
  };
}

/** What a house order says. */
export interface HouseOrder {
  readonly orderId: OrderId;
  readonly owner: string;
  readonly address: Address;
  readonly tokenId: ExchangeMarket['tokens'][number];
  /** Own price of the token. */
  readonly cents: number;
  readonly shares: number;
  readonly timeInForce: 'GTC' | 'FAK';
}

/** Places a buy for the house: amounts in whole cents and shares, so nothing is ever rounded. */
export function placeHouseOrder(
  exchange: Exchange,
  { orderId, owner, address, tokenId, cents, shares, timeInForce }: HouseOrder,
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

/** Keeps a house account endlessly rich. */
export function fund(exchange: Exchange, address: Address): void {
  if (exchange.balanceOf(address) < SANDBOX.houseFundsMicros / 2)
    exchange.deposit(address, usdcMicros(SANDBOX.houseFundsMicros));
}

/** Order ids of the house: the moment it started and a number, in the shape of a hash. */
export function orderNumbers(startedAtMs: number, desk = 0): () => OrderId {
  let number = 0;
  const prefix = `${desk.toString(16).padStart(4, '0')}${startedAtMs.toString(16).padStart(28, '0')}`;
  return () => {
    number += 1;
    return asId<OrderId>(`0x${prefix}${number.toString(16).padStart(32, '0')}`);
  };
}

/** A running market is quoted fully, one about to start or a long-running one thinly, others not at all. */
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
  side: keyof Desk,
): { readonly side: keyof Desk; readonly cents: number; readonly shares: number }[] {
  const changes: { side: keyof Desk; cents: number; shares: number }[] = [];
  for (const [cents, shares] of wanted) {
    const quote = quoted.get(cents);
    if (quote === undefined || quote.shares < shares * 0.5 || quote.shares > shares * 2)
      changes.push({ side, cents, shares });
  }
  for (const cents of quoted.keys())
    if (!wanted.has(cents)) changes.push({ side, cents, shares: 0 });
  return changes;
}
