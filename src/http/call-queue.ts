import { ADMISSION } from '../../config/limits/admission.ts';

/**
 * Which calls go first: orders and stops of known users, their other calls, those of callers not
 * known yet, and those that will most likely be refused.
 */
export type Lane = 'trades' | 'users' | 'strangers' | 'suspects';

/** A call that waits. */
export interface QueuedCall {
  readonly lane: Lane;
  /** Whose share of the time it takes: a user, or an address. */
  readonly share: string;
  /** True of what is answered however much waits. */
  readonly isExempt: boolean;
  /** True of what is answered however long it has waited. */
  readonly isAskedOnce: boolean;
}

/** The event loop as the queue sees it; an imitation in tests. */
export interface Loop {
  nowMs(): number;
  /** Runs once the sockets have been read again. */
  soon(run: () => void): void;
  later(delayMs: number, run: () => void): void;
}

/** Calls that have arrived, each begun when its turn comes. */
export interface CallQueue {
  /** True once the call may begin; false where too many wait already, or it waited too long. */
  turn(call: QueuedCall): Promise<boolean>;
  /** Reports whether so many wait in a lane that connections which are only refused are closed. */
  isCrowded(lane: Lane): boolean;
}

/** The event loop of this process. */
export const processLoop: Loop = {
  nowMs: () => performance.now(),
  soon: (run) => void setImmediate(run),
  later: (delayMs, run) => void setTimeout(run, delayMs),
};

/**
 * Makes the queue. Sockets are read in the loop's poll phase, and immediates run right after it,
 * the microtasks of each before the next (Node.js documentation, "The Node.js Event Loop"): calls
 * begin one an immediate, for ADMISSION.passMs at a time, so that whoever arrives meanwhile is
 * looked at soon. Within a lane the share that has had the least time goes first, and one that
 * comes back begins at the least of those that wait (start-time fair queueing).
 */
export function createCallQueue(loop: Loop = processLoop): CallQueue {
  const lanes: Readonly<Record<Lane, LaneQueue>> = {
    trades: createLaneQueue('trades'),
    users: createLaneQueue('users'),
    strangers: createLaneQueue('strangers'),
    suspects: createLaneQueue('suspects'),
  };
  let passEndsAtMs: number | null = null;
  let begun: { readonly lane: Lane; readonly share: string; readonly atMs: number } | null = null;
  let picks = 0;
  let suspectsFromMs = 0;
  let isTimed = false;

  /** Charges the call that began last with the time until now. */
  function settle(): void {
    if (begun === null) return;
    const nowMs = loop.nowMs();
    const tookMs = nowMs - begun.atMs;
    lanes[begun.lane].charge(begun.share, tookMs);
    if (begun.lane === 'suspects')
      suspectsFromMs =
        nowMs + Math.min(tookMs, ADMISSION.passMs) * (ADMISSION.suspectsTimeDivisor - 1);
    begun = null;
  }

  function pick(nowMs: number): Waiting | null {
    picks += 1;
    const order: readonly Lane[] =
      picks % ADMISSION.strangersEvery === 0
        ? ['strangers', 'trades', 'users']
        : ['trades', 'users', 'strangers'];
    for (const lane of order) {
      const call = lanes[lane].next();
      if (call !== null) return call;
    }
    return nowMs < suspectsFromMs ? null : lanes.suspects.next();
  }

  function step(): void {
    const nowMs = loop.nowMs();
    if (passEndsAtMs === null) {
      passEndsAtMs = nowMs + ADMISSION.passMs;
      loop.soon(() => {
        passEndsAtMs = null;
      });
    }
    if (nowMs >= passEndsAtMs) {
      schedule();
      return;
    }
    const call = pick(nowMs);
    if (call !== null) {
      const isInTime =
        call.isExempt ||
        call.isAskedOnce ||
        call.lane === 'trades' ||
        nowMs - call.atMs <= ADMISSION.waitMaximumMs;
      begun = { lane: call.lane, share: call.share, atMs: nowMs };
      call.begin(isInTime);
    }
    if (lanes.suspects.size() > 0 && !isTimed) {
      isTimed = true;
      loop.later(Math.max(1, suspectsFromMs - nowMs), () => {
        isTimed = false;
        schedule();
      });
    }
  }

  function schedule(): void {
    loop.soon(step);
    loop.soon(settle);
  }

  return {
    turn: (call) =>
      new Promise((resolve) => {
        const isTaken = lanes[call.lane].offer({ ...call, atMs: loop.nowMs(), begin: resolve });
        if (isTaken) schedule();
        else resolve(false);
      }),
    isCrowded: (lane) => lanes[lane].size() >= ADMISSION.crowdedFrom,
  };
}

interface Waiting extends QueuedCall {
  readonly atMs: number;
  begin(isInTime: boolean): void;
}

interface Share {
  /** Time it has had, ms, counted from the least of those that waited when it came. */
  hadMs: number;
  readonly calls: Waiting[];
}

interface LaneQueue {
  offer(call: Waiting): boolean;
  next(): Waiting | null;
  charge(share: string, tookMs: number): void;
  size(): number;
}

function createLaneQueue(lane: Lane): LaneQueue {
  const { perShare, all } = ADMISSION.waitingMaximum[lane];
  const shares = new Map<string, Share>();
  let leastMs = 0;
  let size = 0;
  return {
    offer(call) {
      const share = shares.get(call.share) ?? { hadMs: leastMs, calls: [] };
      if (!call.isExempt && (size >= all || share.calls.length >= perShare)) return false;
      if (share.calls.length === 0) share.hadMs = Math.max(share.hadMs, leastMs);
      share.calls.push(call);
      shares.set(call.share, share);
      size += 1;
      return true;
    },
    next() {
      if (size === 0) {
        shares.clear();
        return null;
      }
      let least: Share | null = null;
      for (const [name, share] of shares) {
        if (share.calls.length === 0) {
          // what it owes has been paid by waiting
          if (share.hadMs <= leastMs) shares.delete(name);
        } else if (least === null || share.hadMs < least.hadMs) least = share;
      }
      const call = least?.calls.shift();
      if (least === null || call === undefined) return null;
      leastMs = least.hadMs;
      size -= 1;
      return call;
    },
    charge(name, tookMs) {
      const share = shares.get(name);
      if (share !== undefined) share.hadMs += tookMs;
    },
    size: () => size,
  };
}
