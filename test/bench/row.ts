/** One line of the benchmark: our figure beside the named peer's in the same run. Ratios travel, absolute figures do not. */
export interface Row {
  readonly work: string;
  readonly ours: number;
  readonly peer: { readonly name: string; readonly figure: number } | null;
  readonly unit: string;
  /** What design.md asks for, in the same unit; null when it names no figure. */
  readonly bar: number | null;
}

/** One benchmark file. */
export interface Bench {
  readonly name: string;
  run(): Promise<readonly Row[]>;
}
