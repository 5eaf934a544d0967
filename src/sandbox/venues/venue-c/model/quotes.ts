import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import type { OutcomeIndex } from '../../../../domain/market.ts';
import { ladderAt } from '../../../engine/traders/quote-ladder.ts';
import { hashedUniform, streamOf } from '../../../hashed-chance.ts';
import { everyTick } from '../../../ticks.ts';
import type { BookExchange } from './exchange.ts';
import type { VenueMarket } from './market.ts';
import { MAKER_ID, type OrderTerms, type VenueOrder } from './order.ts';

/** The market maker's quotes, of books that clients read. */
export interface Quotes {
  /** Quotes a market now and for a while. */
  read(market: VenueMarket): void;
  stop(): void;
}

interface Quoted {
  readonly market: VenueMarket;
  untilMs: number;
  /** By `bids` or `asks` and cents of YES. */
  readonly orders: Map<string, VenueOrder>;
}

/** Of books that are left to their users. */
export const NO_QUOTES: Quotes = { read: () => undefined, stop: () => undefined };

/** Chance of a trade among makers in a second of a quoted book, and its usual size in shares. */
const TRADE_CHANCE = 0.15;
const TRADE_SHARES = 20;
const TICKS_PER_CENT = 100;

/** Starts the market maker; it does nothing until a book is read. */
export function startQuotes(exchange: BookExchange, account: string, seed: number): Quotes {
  const { clock } = exchange;
  const quoted = new Map<string, Quoted>();
  const terms = (
    market: VenueMarket,
    order: { readonly outcome: OutcomeIndex; readonly cents: number; readonly shares: number },
  ): OrderTerms => ({
    clientOrderId: null,
    ownerId: MAKER_ID,
    account,
    slug: market.slug,
    outcome: order.outcome,
    side: 'buy',
    type: 'GTC',
    price: order.cents * TICKS_PER_CENT,
    originalMicros: order.shares * 1_000_000,
    postOnly: true,
    selfTrade: 'cancel_taker',
    signed: null,
  });

  function requote(one: Quoted): void {
    const { market, orders } = one;
    const nowMs = clock.nowMs();
    const fair = nowMs >= market.endsAtMs ? null : exchange.values.fairAt(market, nowMs);
    const wanted = fair === null ? new Map<string, number>() : ladderOf(market, fair, nowMs);
    for (const [key, order] of orders) {
      const shares = wanted.get(key) ?? 0;
      const left = order.remaining / 1_000_000;
      if (order.status === 'LIVE' && left >= shares * 0.5 && left <= shares * 2) continue;
      exchange.cancel(order);
      orders.delete(key);
    }
    let changes = 0;
    for (const [key, shares] of wanted) {
      if (orders.has(key)) continue;
      if ((changes += 1) > POOL_VENUE.quoteChangesMaximum) break;
      const [side, text] = key.split(' ');
      const cents = Number(text);
      const order = exchange.quote(
        market,
        side === 'bids'
          ? terms(market, { outcome: 0, cents, shares })
          : terms(market, { outcome: 1, cents: 100 - cents, shares }),
      );
      if (order !== null) orders.set(key, order);
    }
  }

  function ladderOf(market: VenueMarket, fair: number, nowMs: number): Map<string, number> {
    const { bids, asks } = ladderAt({
      seed,
      stream: streamOf(market.slug),
      fairCents: fair * 100,
      secondsLeft: (market.endsAtMs - nowMs) / 1000,
      nowMs,
      levels: POOL_VENUE.quoteLevels,
      depth: 1,
    });
    const wanted = new Map<string, number>();
    for (const [side, levels] of [
      ['bids', bids],
      ['asks', asks],
    ] as const)
      for (const [cents, shares] of levels) wanted.set(`${side} ${cents}`, shares);
    return wanted;
  }

  /** The market maker's other hand trades now and then, so that the tape moves. */
  function trade({ market }: Quoted, second: number): void {
    const stream = streamOf(market.slug) + 5;
    if (hashedUniform(seed, stream, second) > TRADE_CHANCE) return;
    const isBuy = hashedUniform(seed, stream + 1, second) < 0.5;
    const { book } = exchange.book(market);
    const best = book.best(isBuy ? 'ask' : 'bid');
    if (best === null) return;
    const shares = 1 + Math.floor(TRADE_SHARES * hashedUniform(seed, stream + 2, second));
    const price = isBuy ? best : 10_000 - best;
    exchange.quote(market, {
      ...terms(market, { outcome: isBuy ? 0 : 1, cents: 1, shares }),
      price,
      type: 'FAK',
      postOnly: false,
    });
  }

  const tick = everyTick(clock, { stepMs: POOL_VENUE.requoteMs, delayMs: 0 }, (second) => {
    for (const [slug, one] of quoted) {
      if (clock.nowMs() > one.untilMs || clock.nowMs() >= one.market.endsAtMs) {
        for (const order of one.orders.values()) exchange.cancel(order);
        quoted.delete(slug);
        continue;
      }
      requote(one);
      trade(one, second);
    }
    if (quoted.size === 0) tick.rest();
  });
  return {
    read(market) {
      const known = quoted.get(market.slug);
      const untilMs = clock.nowMs() + POOL_VENUE.quotedAfterReadMs;
      if (known !== undefined) {
        known.untilMs = untilMs;
        return;
      }
      if (clock.nowMs() >= market.endsAtMs) return;
      const one: Quoted = { market, untilMs, orders: new Map() };
      quoted.set(market.slug, one);
      requote(one);
      tick.wake();
    },
    stop() {
      tick.cancel();
    },
  };
}
