import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** Lets calls pass at a bounded rate, in order of arrival. */
export interface RateLimit {
  /**
   * Null when the call may go at once, else a promise that resolves when its turn has come.
   * Errors: `rate_limited` when too many wait already.
   */
  take(): Promise<void> | null;
  /** Largest share of the burst that was used up at a time since this was last asked; 1: all. */
  used(): number;
}

/** One lane of a rate that several share. */
interface LaneOptions<Lane extends string> {
  readonly lane: Lane;
  /**
   * Part of the rate that is this lane's whatever the others do, above 0; those of all lanes add up
   * to 1.
   */
  readonly share: number;
  /** Callers of the lane that may wait for their turn; one more is refused. */
  readonly waitingMaximum: number;
}

/** Bounds of a rate that lanes share. */
export interface LaneLimitOptions<Lane extends string> {
  readonly name: string;
  readonly clock: Clock;
  readonly perSecond: number;
  readonly burst: number;
  /** Those named first get first what another lane leaves. */
  readonly lanes: readonly LaneOptions<Lane>[];
}

/** Lets calls of several lanes pass at one bounded rate. */
export interface LaneLimit<Lane extends string> {
  /**
   * As `take` of a rate limit; callers of one lane never wait for those of another while the lane's
   * own share lasts.
   */
  take(lane: Lane): Promise<void> | null;
  used(): number;
}

interface LaneState {
  readonly perSecond: number;
  readonly tokensMaximum: number;
  readonly waitingMaximum: number;
  readonly waiting: (() => void)[];
  tokens: number;
}

/**
 * Makes a token bucket on the clock. Calls above the rate wait their turn; the queue is bounded.
 */
export function createRateLimit({
  waitingMaximum,
  ...options
}: Omit<LaneLimitOptions<string>, 'lanes'> & {
  /** Callers that may wait for their turn; one more is refused. */
  readonly waitingMaximum: number;
}): RateLimit {
  const limit = createLaneLimit({ ...options, lanes: [{ lane: 'all', share: 1, waitingMaximum }] });
  return { take: () => limit.take('all'), used: limit.used };
}

/**
 * Makes a token bucket for each lane, filled with its share of the rate, and one for all, filled
 * with what full lanes leave: an idle lane's share is everybody's, and no lane gets less than its
 * own. One lane alone may pass `burst` at once, all together half as much again, and `perSecond`
 * after it.
 */
export function createLaneLimit<Lane extends string>({
  name,
  clock,
  perSecond,
  burst,
  lanes,
}: LaneLimitOptions<Lane>): LaneLimit<Lane> {
  const isAlone = lanes.length === 1;
  const states = new Map(
    lanes.map(({ lane, share, waitingMaximum }): [Lane, LaneState] => {
      const tokensMaximum = isAlone ? burst : (burst * share) / 2;
      return [
        lane,
        {
          perSecond: perSecond * share,
          tokensMaximum,
          waitingMaximum,
          waiting: [],
          tokens: tokensMaximum,
        },
      ];
    }),
  );
  const sparesMaximum = isAlone ? 0 : burst;
  let spares = sparesMaximum;
  const tokensMaximum = [...states.values()].reduce(
    (sum, state) => sum + state.tokensMaximum,
    sparesMaximum,
  );
  let leastLeft = tokensMaximum;
  let filledAtMs = clock.nowMs();
  let isTimerSet = false;

  const refill = (): void => {
    const nowMs = clock.nowMs();
    const seconds = (nowMs - filledAtMs) / 1_000;
    filledAtMs = nowMs;
    for (const state of states.values()) {
      const tokens = state.tokens + seconds * state.perSecond;
      state.tokens = Math.min(state.tokensMaximum, tokens);
      spares = Math.min(sparesMaximum, spares + tokens - state.tokens);
    }
  };
  /** A rounding of the sums above must not cost a millisecond. */
  const isWhole = (tokens: number): boolean => tokens >= 1 - 1e-9;
  const spend = (state: LaneState): boolean => {
    if (isWhole(state.tokens)) state.tokens -= 1;
    else if (isWhole(spares)) spares -= 1;
    else return false;
    leastLeft = Math.min(leastLeft, left());
    return true;
  };
  const left = (): number => {
    let sum = spares;
    for (const { tokens } of states.values()) sum += tokens;
    return sum;
  };
  const admit = (): void => {
    isTimerSet = false;
    refill();
    for (const state of states.values()) {
      while (state.waiting.length > 0 && spend(state)) state.waiting.shift()?.();
    }
    wake();
  };
  const wake = (): void => {
    if (isTimerSet) return;
    const waits = [...states.values()].flatMap((state) =>
      state.waiting.length === 0 ? [] : [((1 - state.tokens) * 1_000) / state.perSecond],
    );
    if (waits.length === 0) return;
    isTimerSet = true;
    // what other lanes leave comes no faster than all of the rate
    clock.after(
      Math.max(1, Math.ceil(Math.min(...waits, isAlone ? Infinity : 1_000 / perSecond) - 1e-6)),
      admit,
    );
  };
  return {
    take(lane) {
      const state = states.get(lane);
      if (state === undefined) throw new Error(`invariant broken: ${name} has no lane ${lane}`);
      refill();
      const { waiting, waitingMaximum } = state;
      if (waiting.length === 0 && spend(state)) return null;
      if (waiting.length >= waitingMaximum) {
        throw new AppError('rate_limited', `${waiting.length} calls wait for their turn: ${name}`, {
          retryable: true,
          retryAfterMs: Math.ceil((waiting.length * 1_000) / state.perSecond),
        });
      }
      const turn = new Promise<void>((resolve) => waiting.push(resolve));
      wake();
      return turn;
    },
    used() {
      const used = 1 - leastLeft / tokensMaximum;
      refill();
      leastLeft = left();
      return used;
    },
  };
}
