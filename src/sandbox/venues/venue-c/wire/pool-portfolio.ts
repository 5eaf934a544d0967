import { fillPrice, type PoolFill } from '../amm/pool-fill.ts';
import type { BookExchange } from '../model/exchange.ts';
import type { VenueMarket } from '../model/market.ts';
import { averageCost } from './average-cost.ts';
import { historyRow, type HistoryRow } from './history-row.ts';
import { yesPriceOf } from './pool-shapes.ts';
import { positionMarket } from './position-market.ts';
import { formatted } from './replies.ts';
import type { PoolSide } from './shown-markets.ts';

/**
 * What an account has of outcomes that it has traded with pools (venue_c.md section 10); amounts
 * are decimal text. Errors: `chain_unavailable`, `chain_reverted`.
 */
export async function poolPositions(exchange: BookExchange, amm: PoolSide | null, account: string) {
  if (amm === null) return [];
  const { pools } = amm;
  await pools.refresh();
  const fills = pools.tape.ofAccount(account);
  const markets = marketsOf(exchange, fills);
  await pools.open(markets);
  const entries = await Promise.all(
    markets.map(async (market) => {
      const { shares } = await exchange.holdings(account, market);
      return ([0, 1] as const).flatMap((outcome) => {
        const mine = fills.filter((fill) => fill.slug === market.slug && fill.outcome === outcome);
        const pool = pools.of(market);
        const held = shares[outcome];
        if (pool === null || mine.length === 0 || held === 0) return [];
        const { price, ...known } = worthOf(mine, held, yesPriceOf(exchange, pool));
        return [
          {
            market: positionMarket(exchange, market, { address: pool.address, venue: null }),
            account,
            outcomeIndex: outcome,
            ...known,
            latestTrade: { outcomeTokenPrice: String(price) },
          },
        ];
      });
    }),
  );
  return entries.flat();
}

/** Trades of an account with pools, newest first. Errors: `chain_unavailable`. */
export async function poolTrades(
  exchange: BookExchange,
  amm: PoolSide | null,
  account: string,
): Promise<readonly HistoryRow[]> {
  if (amm === null) return [];
  await amm.pools.refresh();
  return [...amm.pools.tape.ofAccount(account)].reverse().flatMap((fill) => {
    const market = exchange.market(fill.slug);
    if (market === null) return [];
    const strategy = fill.side === 'buy' ? 'Buy' : 'Sell';
    return [historyRow(market, { ...fill, price: fillPrice(fill), strategy })];
  });
}

function marketsOf(exchange: BookExchange, fills: readonly PoolFill[]): readonly VenueMarket[] {
  return [...new Set(fills.map(({ slug }) => slug))].flatMap((slug) => exchange.market(slug) ?? []);
}

/** A holding of one outcome by its trades, oldest first; `yesPrice` from 0 to 1. */
function worthOf(mine: readonly PoolFill[], held: number, yesPrice: number) {
  const { shares, cost, realised } = averageCost(mine);
  const costHeld = shares === 0 ? 0 : Math.round((cost * held) / shares);
  const last = mine.at(-1);
  const value = Math.round(held * (last?.outcome === 0 ? yesPrice : 1 - yesPrice));
  const sumOf = (side: PoolFill['side']): number =>
    mine.filter((fill) => fill.side === side).reduce((sum, { usdc }) => sum + usdc, 0);
  return {
    collateralAmount: formatted(costHeld),
    outcomeTokenAmount: formatted(held),
    averageFillPrice: String(shares === 0 ? 0 : fillPrice({ usdc: cost, shares })),
    totalBuysCost: formatted(sumOf('buy')),
    totalSellsCost: formatted(sumOf('sell')),
    realizedPnl: formatted(realised),
    unrealizedPnl: formatted(value - costHeld),
    price: last === undefined ? 0 : fillPrice(last),
  };
}
