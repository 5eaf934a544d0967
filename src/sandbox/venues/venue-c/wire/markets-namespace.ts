import { z } from 'zod';
import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import type { Timer } from '../../../../ports/clock.ts';
import type { BookExchange } from '../model/exchange.ts';
import type { ExchangeEvent } from '../model/exchange-state.ts';
import type { VenueMarket } from '../model/market.ts';
import type { VenueTrade } from '../model/order.ts';
import type { PoolEvent } from '../amm/pools.ts';
import type { Access } from './access.ts';
import { positionsEvent, priceEvent } from './pool-events.ts';
import type { PoolSide, ShownMarkets } from './shown-markets.ts';
import {
  bookEvent,
  createdEvent,
  orderEvent,
  resolvedEvent,
  settlementEvent,
  transactionEvent,
} from './socket-events.ts';
import type { IoClient, IoNamespace } from './socket-io.ts';

/** The namespace, and what ends its timers. */
export interface MarketsNamespace {
  readonly connect: IoNamespace;
  stop(): void;
}

/** What one client hears. */
interface Subscriber {
  readonly client: IoClient;
  /** Profile it has proved to be; null for an anonymous one. */
  readonly profileId: number | null;
  /** Its account; null for an anonymous one. */
  readonly account: string | null;
  books: ReadonlySet<string>;
  /** Slugs of markets whose pool's prices, and whose positions, it hears of. */
  pools: ReadonlySet<string>;
  positions: ReadonlySet<string>;
  /** Markets whose own-order events it wants; null for none, empty for all. */
  orders: ReadonlySet<string> | null;
  hearsTransactions: boolean;
  hearsLifecycle: boolean;
}

const subscriptionSchema = z
  .object({
    channel: z.string().optional(),
    marketSlugs: z.array(z.string()).max(POOL_VENUE.subscribedMarketsMaximum).optional(),
    marketAddresses: z.array(z.string()).max(POOL_VENUE.subscribedMarketsMaximum).optional(),
  })
  .nullish();

/** Creates the namespace `/markets` (venue_c.md section 12). */
export function createMarketsNamespace(parts: {
  readonly exchange: BookExchange;
  readonly shown: ShownMarkets;
  readonly access: Access;
  /** Null in a world without chains. */
  readonly amm: PoolSide | null;
}): MarketsNamespace {
  const { exchange, shown, access, amm } = parts;
  const { clock, faults } = exchange;
  const subscribers = new Set<Subscriber>();
  /** Markets whose book has changed since it was last sent. */
  const changed = new Map<string, VenueMarket>();
  let flushing: Timer | null = null;

  function emit({ client }: Subscriber, event: string, payload: unknown): void {
    if (faults.take('socket-dropped') !== null) return client.cut();
    if (faults.take('missing-frames') !== null) return;
    client.emit(event, payload);
    if (faults.take('doubled-frames') !== null) client.emit(event, payload);
  }

  function sendBook(subscriber: Subscriber, market: VenueMarket): void {
    emit(subscriber, 'orderbookUpdate', bookEvent(exchange, market));
  }

  function flush(): void {
    flushing = null;
    for (const market of changed.values()) {
      changed.delete(market.slug);
      for (const subscriber of subscribers) {
        if (!subscriber.books.has(market.slug)) continue;
        shown.read(market);
        sendBook(subscriber, market);
      }
    }
  }

  function hearPool({ pool, ...event }: PoolEvent): void {
    const account = event.kind === 'fill' ? event.fill.account : null;
    for (const subscriber of subscribers)
      if (event.kind === 'price') {
        if (subscriber.pools.has(pool.slug))
          emit(subscriber, 'newPriceData', priceEvent(exchange, pool));
      } else if (subscriber.account === account && subscriber.positions.has(pool.slug))
        sendPositions(subscriber, pool.market);
  }

  /** Nothing comes of a market whose pool cannot be read: the next change tells. */
  function sendPrice(subscriber: Subscriber, market: VenueMarket): void {
    const pools = amm?.pools;
    void pools
      ?.open([market])
      .then(() => {
        const pool = pools.of(market);
        if (pool !== null) emit(subscriber, 'newPriceData', priceEvent(exchange, pool));
      })
      .catch(() => undefined);
  }

  function sendPositions(subscriber: Subscriber, market: VenueMarket): void {
    const { account } = subscriber;
    const pool = amm?.pools.of(market) ?? null;
    if (account === null || pool === null) return;
    void exchange
      .holdings(account, market)
      .then(({ shares }) => emit(subscriber, 'positions', positionsEvent(account, pool, shares)))
      .catch(() => undefined);
  }

  function hear(event: ExchangeEvent): void {
    if (subscribers.size === 0) return;
    if (event.kind === 'book') {
      changed.set(event.market.slug, event.market);
      flushing ??= clock.after(POOL_VENUE.bookFrameMs, flush);
    } else if (event.kind === 'order') hearOrder(event);
    else if (event.kind === 'trade') hearTrade(event.trade);
    else
      for (const subscriber of subscribers)
        if (subscriber.hearsLifecycle)
          if (event.kind === 'listed')
            emit(subscriber, 'marketCreated', createdEvent(event.market));
          else emit(subscriber, 'marketResolved', resolvedEvent(event));
  }

  function hearOrder(event: Extract<ExchangeEvent, { kind: 'order' }>): void {
    const { slug, ownerId } = event.order;
    const market = exchange.market(slug);
    if (market === null) return;
    for (const subscriber of subscribers)
      if (subscriber.profileId === ownerId && wantsOrders(subscriber, slug))
        emit(subscriber, 'orderEvent', orderEvent(event, market));
  }

  function hearTrade(trade: VenueTrade): void {
    const market = exchange.market(trade.slug);
    if (market === null) return;
    for (const subscriber of subscribers)
      for (const part of [trade.taker, ...trade.makers]) {
        if (part.ownerId !== subscriber.profileId) continue;
        const settled = settlementEvent(trade, part, market);
        const transaction = transactionEvent(trade, part, market);
        if (settled !== null && wantsOrders(subscriber, trade.slug))
          emit(subscriber, 'orderEvent', settled);
        if (transaction !== null && subscriber.hearsTransactions)
          emit(subscriber, 'tx', transaction);
      }
  }

  function subscribe(
    subscriber: Subscriber,
    name: string,
    { slugs, pools }: { readonly slugs: readonly string[]; readonly pools: readonly VenueMarket[] },
  ): void {
    switch (name) {
      case 'subscribe_market_prices':
        subscriber.books = new Set(slugs);
        subscriber.pools = new Set(pools.map(({ slug }) => slug));
        for (const slug of slugs) {
          const market = exchange.market(slug);
          if (market?.tradeType !== 'clob') continue;
          shown.read(market);
          sendBook(subscriber, market);
        }
        for (const market of pools) {
          shown.read(market);
          sendPrice(subscriber, market);
        }
        return;
      case 'subscribe_market_lifecycle':
        subscriber.hearsLifecycle = true;
        return;
      case 'unsubscribe_market_lifecycle':
        subscriber.hearsLifecycle = false;
        return;
      case 'subscribe_order_events':
      case 'subscribe_transactions':
      case 'subscribe_positions':
        if (subscriber.profileId === null)
          emit(subscriber, 'exception', { status: 'error', message: 'Authentication required' });
        else if (name === 'subscribe_order_events') subscriber.orders = new Set(slugs);
        else if (name === 'subscribe_transactions') subscriber.hearsTransactions = true;
        else {
          subscriber.positions = new Set(pools.map(({ slug }) => slug));
          for (const market of pools) sendPositions(subscriber, market);
        }
        return;
      default:
        emit(subscriber, 'exception', { status: 'error', message: `Unknown event: ${name}` });
    }
  }

  /** Ends a subscription; false for a channel that is not known. */
  function unsubscribe(
    subscriber: Subscriber,
    channel: string,
    { slugs, pools }: { readonly slugs: readonly string[]; readonly pools: readonly VenueMarket[] },
  ): boolean {
    if (channel === 'subscribe_market_prices') {
      const ended = new Set([...slugs, ...pools.map(({ slug }) => slug)]);
      const rest = (heard: ReadonlySet<string>): ReadonlySet<string> =>
        new Set(ended.size === 0 ? [] : [...heard].filter((slug) => !ended.has(slug)));
      subscriber.books = rest(subscriber.books);
      subscriber.pools = rest(subscriber.pools);
    } else if (channel === 'subscribe_positions') subscriber.positions = new Set();
    else if (channel === 'subscribe_order_events') subscriber.orders = null;
    else if (channel === 'subscribe_transactions') subscriber.hearsTransactions = false;
    else if (channel.endsWith('subscribe_market_lifecycle')) subscriber.hearsLifecycle = false;
    else return false;
    return true;
  }

  const stopHearing = exchange.subscribe(hear);
  const stopHearingPools = amm?.pools.subscribe(hearPool);
  amm?.pools.watchWhile(
    () =>
      amm.maker.isBusy() ||
      [...subscribers].some(({ pools, positions }) => pools.size > 0 || positions.size > 0),
  );
  return {
    connect(client, request) {
      const caller = access.caller({ method: 'GET', body: '', ...request });
      if (caller.kind === 'refused') return caller.message;
      const subscriber: Subscriber = {
        client,
        profileId: caller.kind === 'known' ? caller.profile.id : null,
        account: caller.kind === 'known' ? caller.profile.account : null,
        books: new Set(),
        pools: new Set(),
        positions: new Set(),
        orders: null,
        hearsTransactions: false,
        hearsLifecycle: false,
      };
      subscribers.add(subscriber);
      return {
        event(name, payload, answer) {
          const read = subscriptionSchema.safeParse(payload);
          if (!read.success) {
            if (answer !== null) answer({ error: 'Invalid subscription' });
            else
              emit(subscriber, 'exception', { status: 'error', message: 'Invalid subscription' });
            return;
          }
          const markets = {
            slugs: read.data?.marketSlugs ?? [],
            pools: (read.data?.marketAddresses ?? []).flatMap(
              (address) => amm?.pools.marketAt(address) ?? [],
            ),
          };
          if (name !== 'unsubscribe') return subscribe(subscriber, name, markets);
          const channel = read.data?.channel ?? '';
          const isKnown = unsubscribe(subscriber, channel, markets);
          answer?.(isKnown ? { success: true } : { error: `Unknown channel: ${channel}` });
        },
        gone: () => void subscribers.delete(subscriber),
      };
    },
    stop() {
      stopHearing();
      stopHearingPools?.();
      flushing?.cancel();
    },
  };
}

function wantsOrders({ orders }: Subscriber, slug: string): boolean {
  return orders !== null && (orders.size === 0 || orders.has(slug));
}
