import { createActor, type Actor } from 'xstate';
import { toActorClock } from '../../../machines/actor-clock.ts';
import { cashLockMachine } from '../../../machines/cash-lock.ts';
import { LOCK, ORDER } from '../../../config/limits.ts';
import { inLockOrder, type CashAccount } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { createPool } from './lock-pool.ts';

/** One lock, or several, held by one trade. */
interface HeldLock {
  /** False once it was given back, or its lease ran out and another trade may have it. */
  isHeld(): boolean;
  /** Gives it back; a second time does nothing. */
  release(): void;
}

/** One lock per user and cash account (L7). */
export interface CashLocks {
  /**
   * Returns the lock at once when it is free, else a promise in the order of asking. Several
   * accounts are locked one after the other in the table's order, whatever order they are given in,
   * so that there is no deadlock. Errors: `lock_busy` (retryable) when too many wait for one of
   * them, or the first one's lease ran out before the last was had; none is held then.
   */
  acquire(
    userId: UserId,
    ...accounts: readonly [CashAccount, ...CashAccount[]]
  ): HeldLock | Promise<HeldLock>;
}

interface CashLock {
  readonly actor: Actor<typeof cashLockMachine>;
  readonly waiting: Map<string, (lock: HeldLock | AppError) => void>;
}

/** Makes the locks. */
export function createCashLocks({
  clock,
  log,
  leaseMs,
  queueMaximum,
}: Pick<Runtime, 'clock' | 'log'> & {
  readonly leaseMs: number;
  readonly queueMaximum: number;
}): CashLocks {
  /** By user and account: a free lock is kept for the user's next trade. */
  const locks = createPool<CashLock>({ keptMaximum: LOCK.keptMaximum, make: open });
  let count = 0;

  function open(name: string): CashLock {
    const actor = createActor(cashLockMachine, {
      input: { leaseMs, queueMaximum },
      clock: toActorClock(clock),
    });
    const lock: CashLock = { actor, waiting: new Map() };
    actor.on('lock.granted', ({ by }) => lock.waiting.get(by)?.(held(name, lock, by)));
    actor.on('lock.refused', ({ by }) =>
      lock.waiting.get(by)?.(busy(`${queueMaximum} of your trades are waiting already`)),
    );
    actor.start();
    return lock;
  }

  function held(name: string, lock: CashLock, by: string): HeldLock {
    lock.waiting.delete(by);
    let isReleased = false;
    const isHeld = () => lock.actor.getSnapshot().context.holder === by;
    return {
      isHeld,
      release() {
        if (isReleased) return;
        isReleased = true;
        if (!isHeld()) log.warn({ lock: name, leaseMs }, 'lock.lease_ran_out');
        lock.actor.send({ type: 'lock.release', by });
        locks.leave(name);
      },
    };
  }

  function acquireOne(name: string): HeldLock | Promise<HeldLock> {
    const lock = locks.use(name);
    count += 1;
    const by = String(count);
    const answer = request(lock, by);
    if (!(answer instanceof AppError)) return answer;
    lock.waiting.delete(by);
    locks.leave(name);
    throw answer;
  }

  async function acquireEach(names: readonly string[]): Promise<HeldLock> {
    const all: HeldLock[] = [];
    const isHeld = () => all.every((lock) => lock.isHeld());
    const release = () => all.forEach((lock) => lock.release());
    try {
      for (const name of names) all.push(await acquireOne(name));
      if (!isHeld()) throw busy('the lease of one account ran out while another was waited for');
    } catch (cause) {
      release();
      throw cause;
    }
    return { isHeld, release };
  }

  return {
    acquire(userId, ...accounts) {
      const names = inLockOrder(accounts).map((account) => `${userId} ${account}`);
      const [only, ...others] = names;
      return only !== undefined && others.length === 0 ? acquireOne(only) : acquireEach(names);
    },
  };
}

function busy(why: string): AppError {
  return new AppError('lock_busy', `${why}; nothing of this one was sent`, {
    retryable: true,
    retryAfterMs: ORDER.retryAfterMs,
  });
}

/**
 * Asks for the lock: granted and refused are said within the asking, a place in the queue is a
 * promise.
 */
function request(lock: CashLock, by: string): HeldLock | AppError | Promise<HeldLock> {
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
