/** Bounds of the JavaScript heap, each with its reason. */

/** The heap of the daemon's process. */
export const HEAP = {
  /**
   * How far the heap may grow over what was live before it is collected, percent. Left to itself it
   * grows fourfold, and the collection then stops the event loop for long: with 80,000 agents
   * ordering at once up to 100 ms, where this keeps it under 40. It costs a hundredth of the time.
   */
  growthPercent: 60,
} as const;
