import { SANDBOX } from '../../../config/limits/sandbox.ts';
import { recordedText } from '../../adapters/recordings/recorded-text.ts';
import { AppError } from '../../domain/errors.ts';
import {
  createPriceProcess,
  startingPrices,
  type PriceProcess,
  type PriceState,
} from './prices/price-process.ts';
import {
  createRecordedPrices,
  parseRecordedTicks,
  shiftFor,
  type RecordedTicks,
} from './prices/recorded-prices.ts';
import type { SettlementPrices } from './prices/settlement-prices.ts';

/**
 * Where settlement prices come from: the seeded process, or a recorded BTC file
 * (`feed_ts_ms,value_e18,…`, gzip or plain) replayed.
 */
export type WorldPrices =
  | { readonly kind: 'process' }
  | { readonly kind: 'recorded'; readonly file: string };

/** The settlement prices of a world, and the process under them that can be saved. */
export interface OpenedPrices {
  readonly settlement: SettlementPrices;
  readonly process: PriceProcess;
}

/**
 * Opens the prices, going on from a saved state. Errors: `config_invalid` with what to do when a
 * recording cannot be read.
 */
export function openWorldPrices(
  seed: number,
  source: WorldPrices,
  { nowMs, saved }: { readonly nowMs: number; readonly saved: PriceState | null },
): OpenedPrices {
  const nowSecond = Math.floor(nowMs / 1000);
  const process = createPriceProcess(
    seed,
    saved ?? startingPrices(nowSecond - SANDBOX.priceHistorySeconds),
  );
  if (source.kind === 'process') return { settlement: process, process };
  const recording = readRecording(source.file);
  return {
    settlement: createRecordedPrices(recording, shiftFor(recording, nowSecond), process),
    process,
  };
}

function readRecording(file: string): RecordedTicks {
  try {
    return parseRecordedTicks('BTC', recordedText(file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      'config_invalid',
      `the recorded prices cannot be read (${why}); set PREDICTD_SANDBOX_PRICES to a file of lines feed_ts_ms,value_e18,…, plain or gzip, or leave it out`,
      { cause },
    );
  }
}
