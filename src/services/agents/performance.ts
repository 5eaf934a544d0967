import { fillRateMicros, winRateMicros, withPartlySold } from '../../domain/agent-results.ts';
import { AGENT_IDS, asId, type AgentId, type TokenId, type UserId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { costMicros, usdcMicros, type PriceTicks } from '../../domain/units.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { AgentPerformance, AgentsPerformance } from './agent-views.ts';
import { resultsOf, type ResultsScope } from '../books/agent-results.ts';
import { riskOf } from '../books/record-changes.ts';
import { OPEN_ORDERS, ORDERS, POSITIONS } from '../books/tables.ts';

export interface PerformanceDeps {
  readonly store: StoreReader;
  /** Best bid for a position where its book is trusted and fresh, else null. */
  readonly bidOf: (position: PositionRecord) => PriceTicks | null;
}

/** What open positions are worth beside what they cost. */
interface OpenTotals {
  readonly positions: number;
  readonly unpriced: number;
  readonly pnl: number;
  readonly cost: number;
}

/**
 * Reads how an agent of a user has done: what is over from the results kept, what is open from the
 * records. Costs what is open.
 */
export function readPerformance(
  deps: PerformanceDeps,
  userId: UserId,
  agentId: AgentId,
): AgentPerformance {
  return performanceOf(deps, userId, agentId);
}

/** The same for each agent and for all of them together. */
export function readAgentsPerformance(deps: PerformanceDeps, userId: UserId): AgentsPerformance {
  return {
    agents: AGENT_IDS.map((agentId) => ({
      agentId,
      performance: performanceOf(deps, userId, agentId),
    })),
    total: performanceOf(deps, userId, 'all'),
  };
}

function performanceOf(
  deps: PerformanceDeps,
  userId: UserId,
  scope: ResultsScope,
): AgentPerformance {
  const positions = openPositions(deps.store, userId).filter(
    ({ agentId }) => agentId !== null && (scope === 'all' || scope === agentId),
  );
  const results = withPartlySold(resultsOf(deps.store, userId, scope), positions);
  const open = openTotals(deps.bidOf, positions);
  const entries = openEntries(deps.store, userId, scope);
  return {
    trades: results.entries + entries.length,
    filledTrades:
      results.filledEntries + entries.filter(({ filledShares }) => filledShares > 0).length,
    fillRateMicros: fillRateMicros(results),
    wins: results.wins,
    losses: results.losses,
    winRateMicros: winRateMicros(results),
    realizedPnl: usdcMicros(results.realisedUsdc),
    drawdownUsdc: usdcMicros(results.drawdownUsdc),
    unrealizedPnl: usdcMicros(open.pnl),
    unpricedPositions: open.unpriced,
    openPositions: open.positions,
    exposureUsdc: usdcMicros(open.cost),
    feesUsdc: usdcMicros(results.feesUsdc),
  };
}

/**
 * Sums open positions up at the best bid; those without a trusted one are left out of the profit
 * and counted.
 */
function openTotals(
  bidOf: PerformanceDeps['bidOf'],
  positions: readonly PositionRecord[],
): OpenTotals {
  const totals = { positions: 0, unpriced: 0, pnl: 0, cost: 0 };
  for (const position of positions) {
    if (position.shares <= 0) continue;
    const bid = bidOf(position);
    totals.positions += 1;
    totals.cost += position.costUsdc;
    if (bid === null) totals.unpriced += 1;
    else totals.pnl += costMicros(position.shares, bid, 'floor') - position.costUsdc;
  }
  return totals;
}

/** Positions the user holds, by what is at risk: the past is not read. */
function openPositions(store: StoreReader, userId: UserId): readonly PositionRecord[] {
  return Object.keys(riskOf(store, userId).tokens).flatMap(
    (tokenId) => store.get(POSITIONS, [userId, asId<TokenId>(tokenId)])?.value ?? [],
  );
}

/** Entry orders that have not ended. */
function openEntries(
  store: StoreReader,
  userId: UserId,
  scope: ResultsScope,
): readonly OrderRecord[] {
  return store.range(OPEN_ORDERS, { prefix: [userId] }).flatMap(({ key }) => {
    const order = store.get(ORDERS, key)?.value;
    const origin = order?.intent.origin;
    return order !== undefined &&
      origin?.kind === 'agent' &&
      origin.purpose === 'entry' &&
      (scope === 'all' || scope === origin.agentId)
      ? [order]
      : [];
  });
}
