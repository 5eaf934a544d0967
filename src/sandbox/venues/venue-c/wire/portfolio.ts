import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { ok, type Reply, type SlowRoute } from '../../../wire/http-server.ts';
import { contractsOf } from '../chain-addresses.ts';
import { lockedMicros } from '../model/exchange-state.ts';
import { shownPrice, type BookExchange } from '../model/exchange.ts';
import type { VenueMarket } from '../model/market.ts';
import type { TradePart, VenueTrade } from '../model/order.ts';
import type { Access } from './access.ts';
import { guarded } from './guarded.ts';
import { averageCost } from './average-cost.ts';
import { historyRow, type HistoryRow } from './history-row.ts';
import { userOrderShape } from './order-shapes.ts';
import { poolPositions, poolTrades } from './pool-portfolio.ts';
import { positionMarket } from './position-market.ts';
import { refused } from './replies.ts';
import type { PoolSide } from './shown-markets.ts';

/** One account's side of a trade, its fee taken off. */
interface OwnTrade {
  readonly trade: VenueTrade;
  readonly part: TradePart;
  readonly isTaker: boolean;
  readonly shares: number;
  readonly usdc: number;
}

/** Positions, trades and history (venue_c.md section 10). */
export function portfolioRoutes(
  exchange: BookExchange,
  access: Access,
  amm: PoolSide | null,
): readonly SlowRoute[] {
  const positions = (account: string) => positionsOf(exchange, amm, account);
  const own = (path: string) => ({ method: 'GET' as const, path, scope: null });
  return [
    guarded(access, own('/portfolio/positions'), (_call, { profile }) =>
      positions(profile.account),
    ),
    // pools alone have trades there; the order book's are in the history
    guarded(access, own('/portfolio/trades'), async (_call, { profile }) =>
      ok(await poolTrades(exchange, amm, profile.account)),
    ),
    guarded(access, own('/portfolio/history'), async ({ query }, { profile }) => {
      const rows = [
        ...bookTrades(exchange, profile.account),
        ...(await poolTrades(exchange, amm, profile.account)),
      ];
      return history(rows, query);
    }),
    {
      method: 'GET',
      path: '/portfolio/:account/positions',
      run({ params }) {
        const profile = access.profileOf(params['account'] ?? '');
        return profile === null ? refused(404, 'Profile not found') : positions(profile.account);
      },
    },
  ];
}

async function positionsOf(
  exchange: BookExchange,
  amm: PoolSide | null,
  account: string,
): Promise<Reply> {
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
    amm: await poolPositions(exchange, amm, account),
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
    readonly market: VenueMarket;
    readonly shares: readonly [number, number];
    readonly mine: readonly OwnTrade[];
  },
) {
  const { account, market, shares, mine } = position;
  const yes = shownPrice(exchange, market);
  const last = exchange.book(market).lastPrice;
  const lastYes = last === null ? Math.round(yes * 1_000) / 1_000 : last / 10_000;
  const orders = exchange.openOf(account).filter(({ slug }) => slug === market.slug);
  const locked = orders
    .filter(({ side }) => side === 'buy')
    .reduce((sum, order) => sum + lockedMicros(order), 0);
  const sideOf = (outcome: 0 | 1) => {
    const held = shares[outcome];
    const known = averageCost(
      mine
        .filter(({ part }) => part.outcome === outcome)
        .map((trade) => ({ ...trade, side: trade.part.side })),
    );
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
    market: positionMarket(exchange, market, {
      address: null,
      venue: { ...contractsOf(market), operator: null },
    }),
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

function history(rows: readonly HistoryRow[], query: URLSearchParams): Reply {
  const limit = Number(query.get('limit') ?? POOL_VENUE.historyPageDefault);
  const from = Number(query.get('cursor') ?? 0);
  if (!Number.isInteger(limit) || limit < 1 || limit > POOL_VENUE.historyPageMaximum)
    return refused(400, 'limit must not be greater than 100');
  if (!Number.isInteger(from) || from < 0) return refused(400, 'cursor is invalid');
  const newestFirst = [...rows].sort((a, b) => b.blockTimestamp - a.blockTimestamp);
  const data = newestFirst.slice(from, from + limit);
  return ok({ data, nextCursor: from + limit < rows.length ? String(from + limit) : null });
}

/** Trades of the books that are on the chain, newest first. */
function bookTrades(exchange: BookExchange, account: string): readonly HistoryRow[] {
  return ownTrades(exchange, account)
    .filter(({ trade: { status } }) => status === 'MINED' || status === 'CONFIRMED')
    .reverse()
    .flatMap(({ trade, part, isTaker, shares, usdc }) => {
      const market = exchange.market(trade.slug);
      if (market === null) return [];
      const { outcome, price, side } = part;
      return [
        historyRow(market, {
          atMs: trade.createdAtMs,
          outcome,
          shares,
          usdc,
          price: price / 10_000,
          strategy: `${isTaker ? 'Market' : 'Limit'} ${side === 'buy' ? 'Buy' : 'Sell'}`,
          txHash: trade.txHash,
        }),
      ];
    });
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
