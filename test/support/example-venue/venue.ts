import { z } from 'zod';
import type { VenueFill } from '../../../src/domain/fill.ts';
import {
  asId,
  type AttemptId,
  type MechanismId,
  type OrderId,
  type TradeId,
  type UserId,
} from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { MICROS_PER_UNIT, priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { OrderSigner } from '../../../src/ports/order-signer.ts';
import type { VenueAccounts, VenueTrading } from '../../../src/ports/venue.ts';
import type {
  OrderGateway,
  SubmitOutcome,
  UserEvent,
  VenueOrder,
} from '../../../src/ports/order-gateway.ts';
import { venueRow } from '../../../src/venues/contract.ts';
import { exampleBooks } from './books.ts';
import { exampleCatalogue } from './catalogue.ts';
import {
  ExampleExchange,
  type ExampleAnswer,
  type ExampleHabits,
  type ExampleOrder,
  type KeptOrder,
  type KeptTrade,
} from './exchange.ts';
import { createLine, type Line } from './line.ts';
import { EXAMPLE_RULES, EXAMPLE_TRAITS, GOOD_FOR_MS } from './rules.ts';

/**
 * Of markets that are traded beside the order book: nothing rests there, and trades come with
 * their order alone.
 */
export const CURVE = asId<MechanismId>('curve');
const LEAVING = {
  traits: { ...EXAMPLE_TRAITS, restsAt: 'service' },
  rules: EXAMPLE_RULES,
} as const;
const KEEPING = { traits: EXAMPLE_TRAITS, rules: { ...EXAMPLE_RULES, rest: null } };

const settings = z.object({
  exchange: z.instanceof(ExampleExchange),
  /** What it lists. */
  markets: z.array(z.custom<Market>()),
});

/**
 * A venue that differs from venue_a where venues differ: cash in another wallet, ids stated after
 * sending, fees stated, absence proven, winners paid by itself.
 */
export const exampleVenue = venueRow({
  id: 'example',
  cashAccount: 'usdc:base',
  settings,
  async open({ random, clock }, { exchange, markets }) {
    const line = createLine(exchange, clock);
    const catalogue = exampleCatalogue(line, markets);
    const books = exampleBooks(line, markets);
    const signer: OrderSigner = {
      prepare: ({ atMs }) => ({ nonce: random.integer(2 ** 40), goodUntilMs: atMs + GOOD_FOR_MS }),
      sign(intent, prepared) {
        const { nonce, goodUntilMs } = z
          .object({ nonce: z.number(), goodUntilMs: z.number() })
          .parse(prepared);
        const { side, spendMicros, receiveMicros } = intent;
        const order: ExampleOrder = {
          reference: `${intent.intentId}:${nonce}`,
          account: intent.userId,
          marketId: intent.marketId,
          outcome: intent.outcome,
          side,
          life: intent.life,
          price: intent.price,
          shares: (side === 'buy' ? receiveMicros : spendMicros) / MICROS_PER_UNIT,
          goodUntilMs,
          endsAtMs: intent.expiresAtMs,
        };
        return {
          attemptId: asId<AttemptId>(order.reference),
          orderId: null,
          body: JSON.stringify(order),
          extra: prepared,
        };
      },
    };
    const by = (curve: boolean, habits: ExampleHabits): VenueTrading => {
      const own = markets.filter(({ mechanism }) => (mechanism === CURVE) === curve);
      return {
        ...(habits.keepsOrders ? KEEPING : LEAVING),
        signer,
        gateway: gatewayOver(line, own, habits.listsTrades),
      };
    };
    return {
      catalogue,
      discovery: catalogue,
      browsing: { directory: catalogue, books, candles: null },
      rounds: null,
      books,
      prices: null,
      accounts: accountsOver(line),
      mechanisms: {
        order_book: by(false, exchange),
        ...(markets.some(({ mechanism }) => mechanism === CURVE)
          ? { [CURVE]: by(true, { keepsOrders: false, listsTrades: false }) }
          : {}),
      },
      scan: null,
      access: null,
      identity: null,
      redemption: null,
      faucet: null,
      async close() {
        line.cut();
      },
    };
  },
});

function accountsOver({ call, exchange }: Line): VenueAccounts {
  return {
    open: () => call(() => undefined),
    deposits: (userId, sinceMs) =>
      call(() =>
        exchange.deposits
          .filter(({ account, atMs }) => account === userId && atMs >= sinceMs)
          .map(({ id, micros, atMs }) => ({ depositId: id, usdc: usdcMicros(micros), atMs })),
      ),
    collateral: (userId) => call(() => usdcMicros(exchange.cash(userId))),
  };
}

function gatewayOver(
  { call, later, hear, exchange }: Line,
  markets: readonly Market[],
  listsTrades: boolean,
): OrderGateway {
  const isOwn = ({ marketId }: Pick<KeptOrder, 'marketId'>): boolean =>
    markets.some((market) => market.marketId === marketId);
  const fillOf = (trade: KeptTrade): VenueFill => {
    const { order, shares, price, word } = trade;
    const market = markets.find(({ marketId }) => marketId === order.marketId);
    return {
      tradeId: asId<TradeId>(trade.tradeId),
      orderId: asId<OrderId>(order.number),
      marketId: order.marketId,
      tokenId: market?.outcomes[order.outcome].tokenId ?? asId('none'),
      side: order.side,
      role: trade.role,
      legs: [{ shares: shareMicros(shares * MICROS_PER_UNIT), price: priceTicks(price) }],
      fee: trade.fee,
      word,
      matchedAtMs: trade.atMs,
      transactionHash: null,
    };
  };
  const reported = listsTrades
    ? null
    : (one: KeptOrder) =>
        exchange.trades.filter(({ order }) => order.number === one.number).map(fillOf);
  const ordersOf = (userId: UserId) =>
    [...exchange.orders.values()].filter((order) => order.account === userId && isOwn(order));
  return {
    async submit({ attempt }, permission) {
      if (permission?.isGranted() === false)
        return { kind: 'deferred', retryAfterMs: 100, reason: 'no permission to submit' };
      const order: ExampleOrder = JSON.parse(attempt.body);
      if (!isOwn(order)) return { kind: 'rejected', reason: 'not traded in this way' };
      const accident = exchange.accidents.shift();
      if (accident === undefined) return submitted(await call(() => exchange.place(order)));
      if (accident === 'lost') return { kind: 'unknown', cause: 'the connection was lost' };
      later(() => void exchange.place(order));
      return new Promise(() => undefined);
    },
    cancel: ({ attempt }) =>
      call(() =>
        exchange.cancel(attempt.attemptId)
          ? { kind: 'cancelled' }
          : { kind: 'unclear', reason: 'no such order rests' },
      ),
    lookup: ({ attempt }) =>
      call(() => {
        const order = exchange.orders.get(attempt.attemptId);
        if (order !== undefined && isOwn(order))
          return {
            kind: 'found',
            order: venueOrder(order),
            ...(reported ? { fills: reported(order) } : {}),
          };
        const { goodUntilMs }: ExampleOrder = JSON.parse(attempt.body);
        const isOver = exchange.clock.nowMs() > goodUntilMs;
        return { kind: 'absent', proof: isOver ? 'its bytes are good no more' : null };
      }),
    fills: listsTrades
      ? (userId, sinceMs) =>
          call(() => ({
            read: exchange.trades
              .filter(
                ({ order, atMs }) => order.account === userId && isOwn(order) && atMs >= sinceMs,
              )
              .map(fillOf),
            unread: 0,
          }))
      : null,
    openOrders: (userId) =>
      call(() => ({
        read: ordersOf(userId)
          .filter(({ status }) => status === 'open')
          .map(venueOrder),
        unread: 0,
      })),
    watch(userId, { next }) {
      const tell = (event: UserEvent) => next(event);
      return hear(
        (news) => {
          const order =
            news.kind === 'order' ? news.order : news.kind === 'trade' ? news.trade.order : null;
          if (order?.account !== userId || !isOwn(order)) return null;
          if (news.kind === 'order')
            return { kind: 'order', order: venueOrder(news.order) } as const;
          if (listsTrades && news.kind === 'trade')
            return { kind: 'fill', fill: fillOf(news.trade) } as const;
          return null;
        },
        tell,
        () => tell({ kind: 'connected' }),
      );
    },
  };
}

function submitted(answer: ExampleAnswer): SubmitOutcome {
  if (answer.kind === 'known') return { kind: 'duplicate' };
  if (answer.kind === 'refused') return { kind: 'rejected', reason: answer.reason };
  const { number, status, matched } = answer.order;
  if (status === 'cancelled') return { kind: 'unfilled', reason: 'nothing to be had' };
  return {
    kind: 'accepted',
    orderId: asId<OrderId>(number),
    status: matched > 0 ? 'matched' : 'live',
  };
}

/** What it says of an order: how much was matched, and what became of the rest. */
function venueOrder({ number, status, matched }: KeptOrder): VenueOrder {
  const words = {
    open: 'live',
    done: 'matched',
    cancelled: 'cancelled',
    ended: 'expired',
  } as const;
  return {
    orderId: asId<OrderId>(number),
    status: words[status],
    matchedShares: shareMicros(matched * MICROS_PER_UNIT),
    reason: null,
  };
}
