import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { ok, type Reply, type SlowRoute } from '../../../wire/http-server.ts';
import { VENUE_C_CHAIN } from '../chain-addresses.ts';
import { lockedMicros } from '../model/exchange-state.ts';
import { shownPrice, type BookExchange } from '../model/exchange.ts';
import type { BookMarket } from '../model/market.ts';
import type { TradePart, VenueTrade } from '../model/order.ts';
import type { Access } from './access.ts';
import { guarded } from './guarded.ts';
import { userOrderShape } from './order-shapes.ts';
import { formatted, refused } from './replies.ts';

/** One account's side of a trade, its fee taken off. */
interface OwnTrade {
  readonly trade: VenueTrade;
  readonly part: TradePart;
  readonly isTaker: boolean;
  readonly shares: number;
  readonly usdc: number;
}

/** A position by average cost; micros. */
interface Cost {
  readonly shares: number;
  readonly cost: number;
  readonly realised: number;
}

/** Positions, trades and history (venue_c.md section 10). */
export function portfolioRoutes(exchange: BookExchange, access: Access): readonly SlowRoute[] {
  const own = (path: string) => ({ method: 'GET' as const, path, scope: null });
  return [
    guarded(access, own('/portfolio/positions'), (_call, { profile }) =>
      positions(exchange, profile.account),
    ),
    // pools alone have trades there; the order book's are in the history
    guarded(access, own('/portfolio/trades'), () => ok([])),
    guarded(access, own('/portfolio/history'), ({ query }, { profile }) =>
      history(exchange, profile.account, query),
    ),
    {
      method: 'GET',
      path: '/portfolio/:account/positions',
      run({ params }) {
        const profile = access.profileOf(params['account'] ?? '');
        return profile === null
          ? refused(404, 'Profile not found')
          : positions(exchange, profile.account);
      },
    },
  ];
}

async function positions(exchange: BookExchange, account: string): Promise<Reply> {
  const trades = ownTrades(exchange, account);
  const slugs = new Set([
    ...trades.map(({ trade }) => trade.slug),
    ...exchange.openOf(account).map(({ slug }) => slug),
  ]);
  const clob: unknown[] = [];
  for (const slug of slugs) {
    const market = exchange.market(slug);
    if (market === null) continue;
    const { shares } = await exchange.holdings(account, market);
    const hasOrders = exchange.openOf(account).some((order) => order.slug === slug);
    if (shares[0] === 0 && shares[1] === 0 && !hasOrders) continue;
    const mine = trades.filter(({ trade }) => trade.slug === slug);
    clob.push(positionShape(exchange, { account, market, shares, mine }));
  }
  return ok({
    amm: [],
    clob,
    group: [],
    points: '0.00000000',
    accumulativePoints: '0.00000000',
    rewards: {
      todaysRewards: '0',
      totalUnpaidRewards: '0',
      totalUserRewardsLastEpoch: '0',
      rewardsChartData: [],
      rewardsByEpoch: [],
    },
  });
}

function positionShape(
  exchange: BookExchange,
  position: {
    readonly account: string;
    readonly market: BookMarket;
    readonly shares: readonly [number, number];
    readonly mine: readonly OwnTrade[];
  },
) {
  const { account, market, shares, mine } = position;
  const yes = shownPrice(exchange, market);
  const ending = exchange.ending(market);
  const last = exchange.book(market).lastPrice;
  const lastYes = last === null ? Math.round(yes * 1_000) / 1_000 : last / 10_000;
  const orders = exchange.openOf(account).filter(({ slug }) => slug === market.slug);
  const locked = orders
    .filter(({ side }) => side === 'buy')
    .reduce((sum, order) => sum + lockedMicros(order), 0);
  const sideOf = (outcome: 0 | 1) => {
    const held = shares[outcome];
    const known = costOf(mine.filter(({ part }) => part.outcome === outcome));
    const cost = known.shares === 0 ? 0 : Math.round((known.cost * held) / known.shares);
    const value = Math.round(held * (outcome === 0 ? yes : 1 - yes));
    return {
      cost: String(cost),
      fillPrice: String(held === 0 ? 0 : Math.round((cost / held) * 1_000_000)),
      marketValue: String(value),
      realisedPnl: String(known.realised),
      unrealizedPnl: String(value - cost),
    };
  };
  return {
    market: {
      id: market.id,
      slug: market.slug,
      title: market.title,
      status: ending === null ? 'FUNDED' : 'RESOLVED',
      closed: ending !== null,
      conditionId: market.conditionId,
      address: null,
      deadline: iso(market.endsAtMs),
      expirationDate: iso(market.endsAtMs),
      winningOutcomeIndex: ending?.winner ?? null,
      negRiskRequestId: null,
      yesPositionId: market.tokens[0],
      noPositionId: market.tokens[1],
      collateralToken: { id: 7, decimals: 6, symbol: 'USDC', address: VENUE_C_CHAIN.usdc },
      venue: { exchange: VENUE_C_CHAIN.exchange, adapter: null, operator: null },
      group: {},
    },
    makerAddress: account,
    latestTrade: {
      outcomeTokenPrice: lastYes,
      latestYesPrice: lastYes,
      latestNoPrice: Math.round((1 - lastYes) * 10_000) / 10_000,
    },
    orders: {
      liveOrders: orders.map((order) => userOrderShape(order, market)),
      totalCollateralLocked: String(locked),
    },
    positions: { yes: sideOf(0), no: sideOf(1) },
    tokensBalance: { yes: String(shares[0]), no: String(shares[1]) },
    rewards: { isEarning: false, epochs: [] },
  };
}

function history(exchange: BookExchange, account: string, query: URLSearchParams): Reply {
  const limit = Number(query.get('limit') ?? POOL_VENUE.historyPageDefault);
  const from = Number(query.get('cursor') ?? 0);
  if (!Number.isInteger(limit) || limit < 1 || limit > POOL_VENUE.historyPageMaximum)
    return refused(400, 'limit must not be greater than 100');
  if (!Number.isInteger(from) || from < 0) return refused(400, 'cursor is invalid');
  const all = ownTrades(exchange, account).reverse();
  const data = all
    .slice(from, from + limit)
    .flatMap((own) => historyShape(exchange.market(own.trade.slug), own));
  return ok({ data, nextCursor: from + limit < all.length ? String(from + limit) : null });
}

function historyShape(market: BookMarket | null, { trade, part, isTaker, ...own }: OwnTrade) {
  if (market === null) return [];
  const word = part.side === 'buy' ? 'Buy' : 'Sell';
  const amounts = [0, 0];
  amounts[part.outcome] = own.shares;
  return [
    {
      blockTimestamp: Math.floor(trade.createdAtMs / 1000),
      collateralAmount: formatted(own.usdc),
      collateralSymbol: 'USDC',
      market: {
        id: market.id,
        slug: market.slug,
        title: market.title,
        closed: false,
        condition_id: market.conditionId,
        conditionId: market.conditionId,
        collateral: { symbol: 'USDC', decimals: 6 },
        group: null,
        expirationDate: iso(market.endsAtMs),
      },
      outcomeIndex: part.outcome,
      outcomeTokenAmount: formatted(own.shares),
      outcomeTokenAmounts: amounts.map(formatted),
      outcomeTokenPrice: String(part.price / 10_000),
      strategy: `${isTaker ? 'Market' : 'Limit'} ${word}`,
      transactionHash: trade.txHash,
    },
  ];
}

/** Trades that moved something, or will, oldest first. */
function ownTrades(exchange: BookExchange, account: string): OwnTrade[] {
  return exchange
    .tradesOf(account)
    .filter(({ status }) => status !== 'FAILED')
    .flatMap((trade) =>
      [trade.taker, ...trade.makers]
        .filter((part) => part.account === account)
        .map((part) => {
          const isTaker = part === trade.taker;
          const shares = part.shares - (isTaker ? trade.feeShares : 0);
          const usdc = part.usdc - (isTaker ? trade.feeUsdc : 0);
          return { trade, part, isTaker, shares, usdc };
        }),
    );
}

function costOf(trades: readonly OwnTrade[]): Cost {
  return trades.reduce<Cost>(
    ({ shares, cost, realised }, { part, ...own }) => {
      if (part.side === 'buy')
        return { shares: shares + own.shares, cost: cost + own.usdc, realised };
      const left = Math.max(0, shares - own.shares);
      const costLeft = shares === 0 ? 0 : Math.round((cost * left) / shares);
      return { shares: left, cost: costLeft, realised: realised + own.usdc - (cost - costLeft) };
    },
    { shares: 0, cost: 0, realised: 0 },
  );
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
