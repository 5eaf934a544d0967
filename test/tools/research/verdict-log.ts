import { createHash } from 'node:crypto';
import { playSeries } from '../../../src/tools/research/play-series.ts';
import type { RecordedSeries } from '../../../src/tools/research/series.ts';
import type { StandIn } from '../../../src/tools/research/stand-ins.ts';
import { openTradeBook } from '../../../src/tools/research/trade-book.ts';
import type { StrategyRow } from '../../../src/domain/strategy/strategy-row.ts';

/** One verdict with all it was judged by, as text. */
export interface LoggedVerdict {
  readonly atMs: number;
  readonly text: string;
}

/**
 * Every verdict of a strategy over a series before `untilMs`, moment by moment: entries, resting
 * bids and positions. The whole series is played either way.
 */
export function verdictsOver(
  series: RecordedSeries,
  row: StrategyRow,
  standIn: StandIn,
  untilMs = Infinity,
): readonly LoggedVerdict[] {
  const log: LoggedVerdict[] = [];
  const book = openTradeBook(row, standIn, (view, decision) => {
    if (view.atMs < untilMs)
      log.push({ atMs: view.atMs, text: JSON.stringify([view.atMs, view.market.slug, decision]) });
  });
  playSeries(series, (moment) => book.see(moment));
  return log;
}

/** SHA-256 over the texts, 64 hex digits. */
export function hashOf(log: readonly LoggedVerdict[]): string {
  const digest = createHash('sha256');
  for (const { text } of log) digest.update(text).update('\n');
  return digest.digest('hex');
}
