/** What one turn of the event loop may be worked in. */
export interface TurnBounds {
  /**
   * Steps at most, 1 at least: each takes a place in the turn, whether there is something to do in
   * it or not.
   */
  readonly stepsMaximum: number;
  /** No further step begins once the turn has been worked in for so long, real ms. */
  readonly workMs: number;
}

/**
 * Works in the event loop's next turn: runs `step` until it says false or the turn has had its
 * share, then `end`, once. Each step is an immediate of its own, so that all it sets off in settled
 * promises is through, and counted, before the next one begins. A step that throws ends up as an
 * uncaught exception, and the turn ends.
 */
export function workTurn(
  step: () => boolean,
  end: () => void,
  { stepsMaximum, workMs }: TurnBounds,
): void {
  let untilMs = Number.POSITIVE_INFINITY;
  const finish = (): void => {
    steps.forEach(clearImmediate);
    end();
  };
  const once = (isLast: boolean): void => {
    const nowMs = performance.now();
    untilMs = Math.min(untilMs, nowMs + workMs);
    let goesOn = false;
    try {
      goesOn = nowMs < untilMs && step() && !isLast;
    } finally {
      if (!goesOn) finish();
    }
  };
  const steps = Array.from({ length: stepsMaximum }, (_, index) =>
    setImmediate(once, index === stepsMaximum - 1),
  );
}

/**
 * Runs the steps in their order, the first at once and of the others as many in a turn of the event
 * loop as it may be worked in. Null when all are through already.
 */
export function workThrough(
  steps: readonly (() => void)[],
  bounds: TurnBounds,
): Promise<void> | null {
  steps[0]?.();
  if (steps.length < 2) return null;
  let run = 1;
  const runNext = (): boolean => {
    run += 1;
    steps[run - 1]?.();
    return run < steps.length;
  };
  return new Promise((resolve) => {
    const goOn = (): void =>
      run < steps.length
        ? workTurn(runNext, goOn, {
            ...bounds,
            stepsMaximum: Math.min(bounds.stepsMaximum, steps.length - run),
          })
        : resolve();
    goOn();
  });
}
