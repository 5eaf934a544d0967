import { EQUITY } from '../../../config/limits/portfolio.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { EQUITY_SAMPLES, type EquitySample } from './tables.ts';

/** Which part of the history, its begin not included: times on the market clock. */
export interface EquityQuery {
  readonly fromMs: number;
  readonly toMs: number;
  /** At most so many points. */
  readonly points: number;
}

/** Equity by time. */
export interface EquityHistory {
  /** What the points lie apart, at least. */
  readonly stepMs: number;
  /** The newest sample before the first point; null where none is kept. */
  readonly before: EquitySample | null;
  /** Oldest first: of each step its newest sample. */
  readonly points: readonly EquitySample[];
}

/** Keeps a sample in every step whose bucket has none, and takes out what is too old there. */
export function putSample(tx: StoreWriter, userId: UserId, sample: EquitySample): void {
  for (const { stepMs, keptMs } of EQUITY.steps) {
    const bucketMs = bucketOf(sample.atMs, stepMs);
    const key = [userId, stepMs, bucketMs];
    if (tx.get(EQUITY_SAMPLES, key) === null) tx.put(EQUITY_SAMPLES, key, sample);
    const oldest = tx.range(EQUITY_SAMPLES, {
      prefix: [userId, stepMs],
      limit: EQUITY.forgottenAtOnce,
    });
    for (const record of oldest)
      if (Number(record.key[2]) < bucketMs - keptMs) tx.remove(EQUITY_SAMPLES, record.key);
  }
}

/** Returns the newest sample of a user; null where none is kept. */
export function newestSample(reader: StoreReader, userId: UserId): EquitySample | null {
  const [{ stepMs }] = EQUITY.steps;
  const range = { prefix: [userId, stepMs], reverse: true, limit: 1 };
  return reader.range(EQUITY_SAMPLES, range)[0]?.value ?? null;
}

/** Reads samples of the finest step that reaches back to the beginning, and thins them. */
export function readEquity(
  reader: StoreReader,
  userId: UserId,
  { fromMs, toMs, points, nowMs }: EquityQuery & { readonly nowMs: number },
): EquityHistory {
  const kept =
    EQUITY.steps.find(({ keptMs }) => fromMs >= nowMs - keptMs) ??
    EQUITY.steps[EQUITY.steps.length - 1];
  const base = kept?.stepMs ?? EQUITY.sampleMs;
  const steps = Math.max(1, Math.ceil((toMs - fromMs) / base / points));
  const stepMs = base * steps;
  const prefix = [userId, base];
  const behind = [...prefix, fromMs + 1];
  const earlier = reader.range(EQUITY_SAMPLES, { prefix, after: behind, reverse: true, limit: 2 });
  const found = reader
    .range(EQUITY_SAMPLES, {
      prefix,
      after: [...prefix, bucketOf(fromMs, base) - 1],
      limit: Math.ceil((toMs - fromMs) / base) + 2,
    })
    .map(({ value }) => value);
  // a coarse step has the first sample of its bucket: the newest of all is given beside
  const newest = newestSample(reader, userId);
  const all = newest === null ? found : [...found, newest];
  const byBucket = new Map<number, EquitySample>();
  for (const sample of all)
    if (sample.atMs > fromMs && sample.atMs <= toMs)
      byBucket.set(bucketOf(sample.atMs - fromMs - 1, stepMs), sample);
  const before = earlier.find(({ value }) => value.atMs <= fromMs)?.value ?? null;
  return { stepMs, before, points: [...byBucket.values()] };
}

function bucketOf(atMs: number, stepMs: number): number {
  return Math.floor(atMs / stepMs) * stepMs;
}
