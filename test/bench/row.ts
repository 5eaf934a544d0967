import type { Spread } from './comparison.ts';

/**
 * One line of the benchmark: our figure beside the named peer's in the same run. Ratios travel,
 * absolute figures do not.
 */
export interface Row {
  readonly work: string;
  readonly ours: number;
  readonly peer: {
    readonly name: string;
    readonly figure: number;
    /** Of peer ÷ ours over turns of both, where both took turns. */
    readonly ratios?: Spread;
  } | null;
  readonly unit: string;
  readonly bar: Bar | null;
}

/**
 * The most our figure may be: in its own unit where people wait for it or it must fit, else as a
 * part of the peer's in the same run, which holds on any machine.
 */
export type Bar = { readonly atMost: number } | { readonly timesPeer: number };

/** One benchmark file. */
export interface Bench {
  run(): Promise<readonly Row[]>;
}

/** Files of this folder that are benchmarks, in the order in which they run. */
export const BENCH_NAMES = [
  'sign',
  'frames',
  'contract-frames',
  'store',
  'shared-log',
  'shared-decision',
  'fanout',
  'servers',
  'decision-to-wire',
  'traced-orders',
  'limit-trigger',
  'agents',
  'crowd',
  'cold-start',
  'intents',
  'mcp',
  'view',
  'quotes',
] as const;

/** Name of a benchmark. */
export type BenchName = (typeof BENCH_NAMES)[number];

/** What the process of one benchmark tells its parent. */
export interface ChildAnswer {
  readonly rows: readonly Row[];
}
