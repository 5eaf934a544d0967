import { AGENT } from '../../../config/limits.ts';
import type { DecisionRecord } from '../../domain/agent.ts';
import type { Forecast } from '../../domain/evidence/forecast-scores.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { StoreReader } from '../../ports/store.ts';
import { newestFirst } from '../newest-first.ts';
import { DECISIONS, paperTable, RESOLUTIONS } from '../books/tables.ts';
import type { ReceiptsOwner } from './receipts-list.ts';

/** What an agent's signal stated when it entered, and what came. */
export interface Calibration {
  /** Markets whose entry was decided, with a stated strength or without. */
  readonly entered: number;
  /** Entries whose receipt states a signal strength, one a market. */
  readonly entries: number;
  /** Of those, the ones whose market has ended: the strength, and whether its outcome won. */
  readonly forecasts: readonly Forecast[];
}

/** The criterion's name as receipts have it, the outcome's name behind it. */
const STRENGTH = /^signal strength /;
const PERCENT = /^(\d{1,3}(?:\.\d+)?) %$/;

/**
 * Reads what an agent stated in its newest entries, with real money and on paper, against how their
 * markets ended; the first entry of each market counts.
 */
export function calibrationOf(store: StoreReader, { userId, agentId }: ReceiptsOwner): Calibration {
  const entered = new Set<MarketId>();
  const first = new Map<MarketId, { readonly record: DecisionRecord; readonly stated: number }>();
  let read = 0;
  for (const { value } of newestFirst(store, DECISIONS, {
    prefix: [userId, agentId],
    start: null,
  })) {
    read += 1;
    if (read > AGENT.calibrationReceiptsMaximum) break;
    if (value.decision.verdict !== 'enter') continue;
    entered.add(value.marketId);
    const stated = statedIn(value);
    if (stated !== null) first.set(value.marketId, { record: value, stated });
  }
  const forecasts = [...first.values()].flatMap(({ record, stated }): Forecast[] => {
    const { outcome } = record.decision;
    const payouts = (
      store.get(RESOLUTIONS, [record.marketId]) ??
      store.get(paperTable(RESOLUTIONS), [record.marketId])
    )?.value.payoutTicks;
    if (payouts === undefined || outcome === null || payouts[0] === payouts[1]) return [];
    return [{ probability: stated, happened: payouts[outcome] > payouts[outcome === 0 ? 1 : 0] }];
  });
  return { entered: entered.size, entries: first.size, forecasts };
}

/** The stated strength, from 0 to 1; null where the receipt has none. */
function statedIn({ decision }: DecisionRecord): number | null {
  const criterion = decision.criteria.find(({ name }) => STRENGTH.test(name));
  const percent = Number(PERCENT.exec(criterion?.value ?? '')?.[1] ?? Number.NaN);
  return percent <= 100 ? percent / 100 : null;
}
