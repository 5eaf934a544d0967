import { createActor, type Actor } from 'xstate';
import { DEPOSIT_WATCH } from '../../../config/limits/bridge.ts';
import { toActorClock } from '../../../machines/actor-clock.ts';
import {
  withDepositEffects,
  type DepositReading,
  type depositMachine,
  type DepositPlace,
} from '../../../machines/deposit.ts';
import { isDepositOver } from '../../domain/deposit.ts';
import { asId, type UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Key, StoreReader, StoreWriter } from '../../ports/store.ts';
import { followDepositFigures } from './deposit-figures.ts';
import type { PollDeposits } from './deposit-poll.ts';
import { depositsOf } from './deposit-records.ts';
import { DEPOSIT_WATCHES } from './tables.ts';
import { createPacedQueue } from './paced-queue.ts';

/** Follows deposit addresses: one actor for each that a caller waits for. */
export interface DepositWatch {
  /**
   * These addresses of a user were asked for, or money came: they are looked at soon, unless
   * they were `seen` just now, and followed for a while, also after a restart. Errors:
   * `store_unavailable`.
   */
  ask(userId: UserId, addresses: readonly string[], how: 'unseen' | 'seen'): Promise<void>;
  /**
   * The start: an actor for every address that is followed (L9). Gives how many addresses there
   * are.
   */
  recover(): number;
  /** Sets the age of the oldest deposit that has not ended. */
  tellAge(): void;
  /** Actors now: at most DEPOSIT_WATCH.actorsMaximum. */
  readonly size: number;
  stop(): void;
}

/** Makes the watch. Nothing runs before `recover` or `ask`. */
export function createDepositWatch(
  deps: Pick<Runtime, 'store' | 'commit' | 'bus' | 'log' | 'metrics'> & {
    /** Wall time, which is also the chain's. */
    readonly clock: Clock;
    readonly poll: PollDeposits;
    /** Deposit addresses a user was given; none for one who never asked. */
    readonly addressesOf: (userId: UserId) => readonly string[];
  },
): DepositWatch {
  const { store, commit, clock, log, metrics } = deps;
  const actors = new Map<string, Actor<typeof depositMachine>>();
  const queue = createPacedQueue({ clock, everyMs: DEPOSIT_WATCH.turnMs });
  const figures = followDepositFigures(deps);
  const actorClock = toActorClock(clock);
  let isOver = false;
  /** Addresses on record wait for an actor; `searchAfter` is where the search for them goes on. */
  let isCrowded = false;
  let searchAfter: Key | null = null;
  const machine = withDepositEffects({
    turn: (_place, signal) => queue.take(signal),
    async poll(place) {
      await deps.poll(place);
      return readingAt(store, place, clock.nowMs());
    },
  });

  /**
   * Beyond the bound an address waits in its record: it gets the place of one that falls asleep.
   */
  function follow(place: DepositPlace, how: 'unseen' | 'seen'): void {
    const key = keyOf(place);
    const running = actors.get(key);
    if (running !== undefined)
      return running.send({ type: how === 'seen' ? 'deposit.seen' : 'deposit.asked' });
    if (isOver) return;
    isCrowded ||= actors.size >= DEPOSIT_WATCH.actorsMaximum;
    if (actors.size >= DEPOSIT_WATCH.actorsMaximum) return;
    const actor = createActor(machine, {
      input: { ...place, isSeen: how === 'seen' },
      clock: actorClock,
    });
    actors.set(key, actor);
    metrics.gauge('deposit_addresses_watched', actors.size);
    actor.subscribe({
      complete: () => release(place),
      error: (cause) => log.error({ ...place, cause }, 'deposit.actor_failed'),
    });
    actor.start();
  }

  function release(place: DepositPlace): void {
    // Stopped by the end of the process: it sleeps no more than the address does.
    if (isOver) return;
    actors.delete(keyOf(place));
    metrics.gauge('deposit_addresses_watched', actors.size);
    sleep(place).then(
      // Asked for while its actor ended: the record says so, and it is followed on.
      (isAsleep) => void (isAsleep ? fillPlace() : follow(place, 'seen')),
      (cause: unknown) => log.warn({ ...place, cause }, 'deposit.sleep_not_stored'),
    );
  }

  async function sleep(place: DepositPlace): Promise<boolean> {
    return commit((tx) => {
      if (readingAt(tx, place, clock.nowMs()).isAwaited) return false;
      tx.remove(DEPOSIT_WATCHES, [place.userId, place.address]);
      return true;
    });
  }

  function fillPlace(): void {
    if (isOver || !isCrowded || actors.size >= DEPOSIT_WATCH.actorsMaximum) return;
    const next = nextWaiting(store, searchAfter, (place) => !actors.has(keyOf(place)));
    searchAfter = next === null ? null : [next.userId, next.address];
    isCrowded = next !== null;
    if (next !== null) follow(next, 'unseen');
  }

  async function ask(
    userId: UserId,
    addresses: readonly string[],
    how: 'unseen' | 'seen',
  ): Promise<void> {
    const nowMs = clock.nowMs();
    const isStale = (address: string) =>
      nowMs -
        (store.get(DEPOSIT_WATCHES, [userId, address])?.value.askedAtMs ??
          Number.NEGATIVE_INFINITY) >=
      DEPOSIT_WATCH.askedStepMs;
    const stale = addresses.filter(isStale);
    if (stale.length > 0)
      await commit((tx) => stale.forEach((address) => putAsked(tx, { userId, address }, nowMs)));
    for (const address of addresses) follow({ userId, address }, how);
  }

  const unsubscribe = deps.bus.subscribe(({ event }) => {
    if (event.type !== 'ledger.posted' || event.entry.kind !== 'deposit') return;
    const addresses = deps.addressesOf(event.userId);
    if (addresses.length > 0)
      ask(event.userId, addresses, 'unseen').catch((cause: unknown) =>
        log.warn({ userId: event.userId, cause }, 'deposit.not_woken'),
      );
  });

  return {
    ask,
    recover() {
      const followed = store.range(DEPOSIT_WATCHES);
      for (const { key } of followed) follow(placeOf(key), 'unseen');
      figures.recover();
      return followed.length;
    },
    tellAge: () => figures.tellAge(),
    get size() {
      return actors.size;
    },
    stop() {
      isOver = true;
      unsubscribe();
      figures.stop();
      queue.stop();
      for (const actor of actors.values()) actor.stop();
      actors.clear();
    },
  };
}

function putAsked(tx: StoreWriter, { userId, address }: DepositPlace, nowMs: number): void {
  tx.put(DEPOSIT_WATCHES, [userId, address], { askedAtMs: nowMs });
}

/**
 * Awaited while it was asked for not long ago, or a deposit is under way whose last news is not too
 * old.
 */
function readingAt(reader: StoreReader, place: DepositPlace, nowMs: number): DepositReading {
  const askedAtMs =
    reader.get(DEPOSIT_WATCHES, [place.userId, place.address])?.value.askedAtMs ??
    Number.NEGATIVE_INFINITY;
  const deposits = depositsOf(reader, place);
  const heardAtMs = deposits.reduce(
    (newest, { updatedAtMs }) => Math.max(newest, updatedAtMs),
    askedAtMs,
  );
  return {
    quietMs: nowMs - heardAtMs,
    isAwaited:
      nowMs - askedAtMs < DEPOSIT_WATCH.awakeMs ||
      deposits.some(
        ({ state, updatedAtMs }) =>
          !isDepositOver(state) && nowMs - updatedAtMs < DEPOSIT_WATCH.patienceMs,
      ),
  };
}

/**
 * The next address on record that has no actor, after the one named; the search begins again at the
 * end.
 */
function nextWaiting(
  reader: StoreReader,
  after: Key | null,
  isWaiting: (place: DepositPlace) => boolean,
): DepositPlace | null {
  const behind = reader.range(DEPOSIT_WATCHES, after === null ? {} : { after });
  const before = after === null ? [] : reader.range(DEPOSIT_WATCHES);
  return [...behind, ...before].map(({ key }) => placeOf(key)).find(isWaiting) ?? null;
}

function placeOf([userId = '', address = '']: Key): DepositPlace {
  return { userId: asId<UserId>(String(userId)), address: String(address) };
}

function keyOf({ userId, address }: DepositPlace): string {
  return `${userId} ${address}`;
}
