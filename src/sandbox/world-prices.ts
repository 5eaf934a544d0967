import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { SANDBOX } from '../../config/sandbox-limits.ts';
import { createPriceProcess, startingPrices, type PriceProcess, type PriceState } from './models/price-process.ts';
import { createRecordedPrices, parseRecordedTicks, shiftFor } from './models/recorded-prices.ts';
import type { SettlementPrices } from './models/settlement-prices.ts';

/** Where settlement prices come from: the seeded process, or a recorded BTC file (`feed_ts_ms,value_e18,…`, gzip or plain) replayed. */
export type WorldPrices = { readonly kind: 'process' } | { readonly kind: 'recorded'; readonly file: string };

/** The settlement prices of a world, and the process under them that can be saved. */
export interface OpenedPrices {
  readonly settlement: SettlementPrices;
  readonly process: PriceProcess;
}

/** Opens the prices, going on from a saved state. Throws when a recording cannot be read. */
export function openWorldPrices(seed: number, source: WorldPrices, { nowMs, saved }: { readonly nowMs: number; readonly saved: PriceState | null }): OpenedPrices {
  const nowSecond = Math.floor(nowMs / 1000);
  const process = createPriceProcess(seed, saved ?? startingPrices(nowSecond - SANDBOX.priceHistorySeconds));
  if (source.kind === 'process') return { settlement: process, process };
  const bytes = readFileSync(source.file);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const recording = parseRecordedTicks('BTC', (isGzip ? gunzipSync(bytes) : bytes).toString('utf8'));
  return { settlement: createRecordedPrices(recording, shiftFor(recording, nowSecond), process), process };
}
