/** What describes the second-by-second moves of an asset. */
export interface MoveFigures {
  /**
   * Correlation of one second's return with the next: the feed is a median of many sources and
   * trails a move.
   */
  readonly returnLag1: number;
  /**
   * Mean and spread of the natural logarithm of the robust scale of a 300-second block's
   * innovations, and its lag-1 correlation.
   */
  readonly logScaleMean: number;
  readonly logScaleSpread: number;
  readonly logScaleLag1: number;
  /**
   * Size of an innovation ÷ block scale at the levels of `INNOVATION_LEVELS`: the jumps are its
   * last entries.
   */
  readonly innovationQuantiles: readonly number[];
}

/** Levels at which the size of an innovation is written down. */
export const INNOVATION_LEVELS: readonly number[] = [
  0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9995, 0.9999, 1,
];

/** Seconds over which the scale of the moves is taken as one. */
export const SCALE_BLOCK_SECONDS = 300;
