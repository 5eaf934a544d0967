import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Times of one work over many rounds, in microseconds. */
export interface Timing {
  readonly p50: number;
  readonly p99: number;
}

const BATCHES = 20;

/**
 * Times every single call of `work`, after as many unmeasured ones as `warmUp` says. The figures
 * are those of the quietest of twenty batches, so that what else the machine does does not stand
 * for the work; collections of garbage stay in.
 */
export async function timeEach(
  work: (round: number) => unknown,
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Promise<Timing> {
  for (let round = 0; round < warmUp; round += 1) await work(round);
  const batches: Timing[] = [];
  const size = Math.floor(rounds / BATCHES);
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const times = new Float64Array(size);
    for (let round = 0; round < size; round += 1) {
      const startedAt = process.hrtime.bigint();
      const result = work(warmUp + batch * size + round);
      if (result instanceof Promise) await result;
      times[round] = Number(process.hrtime.bigint() - startedAt) / 1_000;
    }
    times.sort();
    const at = (share: number): number => times[Math.floor(size * share)] ?? Number.NaN;
    batches.push({ p50: at(0.5), p99: at(0.99) });
  }
  return {
    p50: Math.min(...batches.map(({ p50 }) => p50)),
    p99: Math.min(...batches.map(({ p99 }) => p99)),
  };
}

/**
 * Mean microseconds an item takes in the quietest of several batches: for works too short to be
 * timed one by one.
 */
export function timeBatches(batch: () => number, batches: number): number {
  batch();
  const means = Array.from({ length: batches }, () => {
    const startedAt = process.hrtime.bigint();
    const items = batch();
    return Number(process.hrtime.bigint() - startedAt) / 1_000 / items;
  });
  return Math.min(...means);
}

/** Bytes of heap in use once nothing is left to collect. */
export async function heapAfterCollection(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // the flag above puts gc there
  for (let pass = 0; pass < 3; pass += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
