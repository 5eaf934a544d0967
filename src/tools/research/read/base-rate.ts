import { z } from 'zod';
import type { DataFolder } from '../data-folder.ts';
import { assetPrice, unixSeconds, winner } from '../row-schemas.ts';

const rowSchema = z.object({
  start: unixSeconds,
  outcome: winner,
  btc_open: assetPrice,
  btc_close: assetPrice,
});

/** How one 5-minute round ended, and what the exchange showed. */
export interface EndedRound {
  readonly startsAtMs: number;
  readonly wentUp: boolean;
  /** The exchange's close was at or above its open. */
  readonly exchangeWentUp: boolean;
}

/** Reads the outcomes of many BTC 5-minute rounds; empty where the set is absent. */
export function readEndedRounds(folder: DataFolder): readonly EndedRound[] {
  const rows = folder
    .files('venue_a-updown-outcomes', /^btc-5m-outcomes-.*\.csv(\.gz)?$/)
    .flatMap((path) => folder.csv(path, rowSchema));
  return rows.map(({ start, outcome, btc_open, btc_close }) => ({
    startsAtMs: start * 1_000,
    wentUp: outcome === 0,
    exchangeWentUp: btc_close >= btc_open,
  }));
}
