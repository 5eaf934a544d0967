import { createActor } from 'xstate';
import type { Actor } from 'xstate';
import { toActorClock } from '../../../machines/actor-clock.ts';
import { userLockMachine } from '../../../machines/user-lock.ts';
import { LOCK, ORDER } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

/** A lock held by one trade. */
export interface HeldLock {
  /** Gives it back; a second time does nothing. */
  release(): void;
}

/** One lock per user (L7). */
export interface UserLocks {
  /**
   * Gives the lock at once when it is free, else a promise in the order of asking. Errors: `lock_busy` (retryable) when
   * too many wait.
   */
  acquire(userId: UserId): HeldLock | Promise<HeldLock>;
}

/** What the locks need. */
export interface UserLockDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly leaseMs: number;
  readonly queueMaximum: number;
}

interface UserLock {
  readonly actor: Actor<typeof userLockMachine>;
  readonly waiting: Map<string, (lock: HeldLock | AppError) => void>;
  inUse: number;
}

/** Makes the locks. */
export function createUserLocks({ clock, log, leaseMs, queueMaximum }: UserLockDeps): UserLocks {
  const locks = new Map<UserId, UserLock>();
  let count = 0;

  function open(userId: UserId): UserLock {
    const actor = createActor(userLockMachine, {
      input: { leaseMs, queueMaximum },
      clock: toActorClock(clock),
    });
    const lock: UserLock = { actor, waiting: new Map(), inUse: 0 };
    actor.on('lock.granted', ({ by }) => lock.waiting.get(by)?.(held(userId, lock, by)));
    actor.on('lock.refused', ({ by }) =>
      lock.waiting.get(by)?.(
        new AppError(
          'lock_busy',
          `${queueMaximum} of your trades are waiting already; nothing of this one was sent`,
          { retryable: true, retryAfterMs: ORDER.retryAfterMs },
        ),
      ),
    );
    actor.start();
    locks.set(userId, lock);
    return lock;
  }

  function held(userId: UserId, lock: UserLock, by: string): HeldLock {
    lock.waiting.delete(by);
    let isReleased = false;
    return {
      release() {
        if (isReleased) return;
        isReleased = true;
        if (lock.actor.getSnapshot().context.holder !== by)
          log.warn({ userId, leaseMs }, 'lock.lease_ran_out');
        lock.actor.send({ type: 'lock.release', by });
        leave(userId, lock);
      },
    };
  }

  /** A free lock is kept for the user's next trade; beyond the bound the longest unused free ones go. */
  function leave(userId: UserId, lock: UserLock): void {
    lock.inUse -= 1;
    if (lock.inUse > 0) return;
    locks.delete(userId);
    locks.set(userId, lock);
    for (const [idleId, idle] of locks) {
      if (locks.size <= LOCK.keptMaximum) return;
      if (idle.inUse > 0) continue;
      idle.actor.stop();
      locks.delete(idleId);
    }
  }

  return {
    acquire(userId) {
      const lock = locks.get(userId) ?? open(userId);
      count += 1;
      const by = String(count);
      lock.inUse += 1;
      const answer = request(lock, by);
      if (!(answer instanceof AppError)) return answer;
      lock.waiting.delete(by);
      leave(userId, lock);
      throw answer;
    },
  };
}

/** Asks for the lock: granted and refused are said within the asking, a place in the queue is a promise. */
function request(lock: UserLock, by: string): HeldLock | AppError | Promise<HeldLock> {
  let outcome: HeldLock | AppError | null = null;
  let settle: (result: HeldLock | AppError) => void = (result) => void (outcome = result);
  lock.waiting.set(by, (result) => settle(result));
  lock.actor.send({ type: 'lock.request', by });
  const now = outcome as HeldLock | AppError | null; // the callback above may have run inside send
  if (now !== null) return now;
  return new Promise((resolve) => {
    settle = (result) => {
      if (!(result instanceof AppError)) resolve(result);
    };
  });
}
