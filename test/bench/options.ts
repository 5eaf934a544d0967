import { BENCH_NAMES, type BenchName } from './row.ts';

/** Fewer rounds give no spread to compare a difference with. */
const ROUNDS_MINIMUM = 3;
/** Half an hour of the quick benchmarks; the slowest take a day. */
const ROUNDS_MAXIMUM = 100;
const ROUNDS_DEFAULT = 5;

/** What a run of the benchmarks was asked for. */
export interface BenchOptions {
  /** In the order in which they run. */
  readonly names: readonly BenchName[];
  /** A commit to run in turns with the sources as they are; null for a plain run. */
  readonly against: string | null;
  readonly rounds: number;
}

/**
 * Reads `[names …] [--against <commit> [--rounds <n>]]`; no name means all of them. Errors: a
 * `RangeError` with a sentence for whoever typed it.
 */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const names = new Set<string>();
  let against: string | null = null;
  let rounds: number | null = null;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--against') against = valueOf(args, (index += 1), '--against wants a commit');
    else if (arg === '--rounds')
      rounds = roundsOf(valueOf(args, (index += 1), '--rounds wants a number'));
    else names.add(arg);
  }
  const unknown = [...names].filter((name) => !BENCH_NAMES.some((known) => known === name));
  if (unknown.length > 0)
    throw new RangeError(
      `no benchmark is called ${unknown.join(', ')}; there are ${BENCH_NAMES.join(', ')}`,
    );
  if (rounds !== null && against === null)
    throw new RangeError('--rounds goes with --against <commit>');
  return {
    names: names.size === 0 ? BENCH_NAMES : BENCH_NAMES.filter((name) => names.has(name)),
    against,
    rounds: rounds ?? ROUNDS_DEFAULT,
  };
}

function valueOf(args: readonly string[], index: number, sentence: string): string {
  const value = args[index];
  if (value === undefined || value.startsWith('--')) throw new RangeError(sentence);
  return value;
}

function roundsOf(text: string): number {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < ROUNDS_MINIMUM || rounds > ROUNDS_MAXIMUM)
    throw new RangeError(`--rounds is a number from ${ROUNDS_MINIMUM} to ${ROUNDS_MAXIMUM}`);
  return rounds;
}
