import type { Asset } from '../../../domain/ids.ts';
import { SANDBOX } from '../../../../config/limits/sandbox.ts';
import { toUsd, type SettlementPrices } from './settlement-prices.ts';

/** Ticks of one recorded asset by second, 18 decimals. */
export interface RecordedTicks {
  readonly asset: Asset;
  readonly ticks: ReadonlyMap<number, bigint>;
  readonly firstSecond: number;
  readonly lastSecond: number;
}

/**
 * Reads a settlement recording: a header line, then `feed_ts_ms,value_e18,…` in order of time.
 * Throws a RangeError that names the line when one cannot be read, or is missing.
 */
export function parseRecordedTicks(asset: Asset, text: string): RecordedTicks {
  const ticks = new Map<number, bigint>();
  let firstSecond: number | null = null;
  let lastSecond = 0;
  text.split('\n').forEach((line, index) => {
    if (index === 0 || line === '') return;
    const [at, value] = line.split(',');
    if (
      at === undefined ||
      value === undefined ||
      !/^\d{13}$/.test(at) ||
      !/^\d{1,30}$/.test(value)
    )
      throw new RangeError(`line ${index + 1} of the recording is not a tick`);
    lastSecond = Math.floor(Number(at) / 1000);
    firstSecond ??= lastSecond;
    ticks.set(lastSecond, BigInt(value));
  });
  if (firstSecond === null) throw new RangeError('the recording holds no tick');
  return { asset, ticks, firstSecond, lastSecond };
}

/**
 * Replays a recording `shiftSeconds` later than it was made. Holes stay holes. Assets that were not
 * recorded come from `others`. Shift by whole quarters of an hour, so that the windows fall where
 * they fell.
 */
export function createRecordedPrices(
  recording: RecordedTicks,
  shiftSeconds: number,
  others: SettlementPrices,
): SettlementPrices {
  const at: SettlementPrices['at'] = (asset, second) =>
    asset === recording.asset
      ? (recording.ticks.get(second - shiftSeconds) ?? null)
      : others.at(asset, second);
  return {
    at,
    valueAt(asset, second) {
      if (asset !== recording.asset) return others.valueAt(asset, second);
      for (let back = 0; back <= SANDBOX.recordedHoleSeconds; back += 1) {
        const tick = at(asset, second - back);
        if (tick !== null) return toUsd(tick);
      }
      return null;
    },
  };
}

/**
 * How far to shift a recording so that it is running at `second`: not at all when it is running
 * then, else by whole quarters of an hour so that its first full quarter begins at or before
 * `second`.
 */
export function shiftFor(recording: RecordedTicks, second: number): number {
  if (second >= recording.firstSecond && second <= recording.lastSecond) return 0;
  const quarter = 900;
  return (Math.floor(second / quarter) - Math.ceil(recording.firstSecond / quarter)) * quarter;
}
