import type { AgentId, MarketId, UserId } from '../../domain/ids.ts';
import type { RoundView } from '../../domain/signal.ts';
import { costMicros, usdcMicros } from '../../domain/units.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { AgentPerformance } from './agent-views.ts';
import type { Portfolio } from '../portfolio/portfolio.ts';
import { AGENT_MARKETS } from '../tables.ts';

/** What performance is read from. */
export interface PerformanceDeps {
  readonly store: StoreReader;
  readonly portfolio: Pick<Portfolio, 'holdings'>;
  /** A round as it is now, stale inputs absent; null when nobody watches it. */
  readonly roundView: (marketId: MarketId) => RoundView | null;
}

/** Reads how an agent of a user has done, from its positions; nothing is kept beside them that could disagree. */
export function readPerformance({ store, portfolio, roundView }: PerformanceDeps, userId: UserId, agentId: AgentId): AgentPerformance {
  const totals = { wins: 0, losses: 0, realised: 0, open: 0, unpriced: 0, openPositions: 0, exposure: 0, fees: 0 };
  for (const { position } of portfolio.holdings(userId)) {
    if (position.agentId !== agentId) continue;
    totals.realised += position.realisedPnl;
    totals.fees += position.feesUsdc;
    if (position.closedAtMs !== null) {
      if (position.realisedPnl > 0) totals.wins += 1;
      else totals.losses += 1;
    } else if (position.shares > 0) {
      const bid = roundView(position.marketId)?.books[position.outcome]?.value.bid ?? null;
      totals.openPositions += 1;
      totals.exposure += position.costUsdc;
      if (bid === null) totals.unpriced += 1;
      else totals.open += costMicros(position.shares, bid.price, 'floor') - position.costUsdc;
    }
  }
  const ended = totals.wins + totals.losses;
  return {
    trades: store.range(AGENT_MARKETS, { prefix: [userId, agentId] }).length,
    wins: totals.wins,
    losses: totals.losses,
    winRateMicros: ended === 0 ? null : Math.floor((totals.wins * 1_000_000) / ended),
    realisedPnl: usdcMicros(totals.realised),
    openPnl: usdcMicros(totals.open),
    unpricedPositions: totals.unpriced,
    openPositions: totals.openPositions,
    exposureUsdc: usdcMicros(totals.exposure),
    feesUsdc: usdcMicros(totals.fees),
  };
}
