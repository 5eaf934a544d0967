/**
 * An estimate with the bounds between which the truth lies at the stated level. Bounds equal the
 * estimate where nothing varies.
 */
export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Standard normal deviation that leaves 2.5 percent on each side: the bounds of a 95 percent
 * interval.
 */
export const DEVIATIONS_95 = 1.959_963_984_540_054;
