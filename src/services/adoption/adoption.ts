import { ADOPTION } from '../../../config/limits/adoption.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { ADOPTIONS, FUNDS_DISPUTES, RESTORES, type RestoreRecord } from '../books/tables.ts';
import type { StopScope } from '../orders/stop-check.ts';
import { createPauses } from '../pauses.ts';
import { adoptedUsers, assertAdopted, lackingUsers } from './lacking-users.ts';
import type { OrderAdoption, Undecided } from './order-adoption.ts';

/** What books and chain differ by in one asset of a user, and nothing on record explains. */
export interface Unattributed {
  readonly asset: string;
  /** Micros; what is on its way makes it a range of the books, of which this is the nearer end. */
  readonly booked: number;
  readonly onChain: number;
}

/** A user whose books could not be brought to what the chain says. */
interface LeftOver {
  readonly userId: UserId;
  readonly differences: readonly Unattributed[];
  /** Why not even that is known, such as a venue that does not answer; null where it is. */
  readonly reason: string | null;
}

/** Whose books a run is at, and what of them. */
interface AdoptionProgress {
  readonly userId: UserId;
  /** Of the users whom this run found lacking, counted from 1. */
  readonly number: number;
  readonly of: number;
  /** ADOPTION.readingsMaximum at most. */
  readonly reading: number;
  /** `waiting`: for what is not final, or differs, until the next reading. */
  readonly doing: 'orders' | 'movements' | 'comparison' | 'waiting';
}

/** How far adopting what a restored store lacks has come. */
export interface AdoptionReport {
  /** `none`: the store was never restored. */
  readonly state: 'none' | 'waiting' | 'running' | 'adopted' | 'incomplete';
  /** Up to when the restored store goes, market time, epoch ms; null without a restore. */
  readonly upToMs: number | null;
  /** Users brought to what the chain says since the restore, and those who still lack something. */
  readonly users: { readonly adopted: number; readonly lacking: number };
  /** Orders adopted since this start. */
  readonly orders: number;
  /** Users of whom something is left, ADOPTION.namedMaximum at most; empty while it runs. */
  readonly left: readonly LeftOver[];
  /** Null unless it runs. */
  readonly current: AdoptionProgress | null;
}

/** Books what happened after the moment a restore put the store back to. */
export interface Adoption {
  /**
   * Begins, or goes on where the last run ended; nothing while it runs. Errors: `not_found` where
   * the store was never restored.
   */
  begin(): AdoptionReport;
  report(): AdoptionReport;
  /** Refuses to lift a stop of the operator too early (`assertAdopted`). Errors: `conflict`. */
  assertAdopted(scope: StopScope): void;
  /** Ends the run; what is done is stored, and the next run goes on. */
  stop(): Promise<void>;
}

/** Makes the service. */
export function createAdoption(
  deps: Pick<Runtime, 'store' | 'commit' | 'log'> & {
    readonly orders: OrderAdoption;
    /**
     * Books what chains show of a user's money and shares beside their orders, each movement under
     * its transaction. Errors: `chain_unavailable`, `store_unavailable`.
     */
    readonly bookMovements: (userId: UserId) => Promise<void>;
    /** What books and chains differ by now. Errors: `chain_unavailable`. */
    readonly differences: (userId: UserId) => Promise<readonly Unattributed[]>;
    /** Wall time. */
    readonly clock: Clock;
    readonly marketClock: Clock;
  },
): Adoption {
  const { store, clock, log } = deps;
  let running: Promise<void> | null = null;
  let left: readonly LeftOver[] = [];
  let orders = 0;
  let current: AdoptionProgress | null = null;
  const pauses = createPauses(clock);

  const restore = (): RestoreRecord | null => store.get(RESTORES, ['newest'])?.value ?? null;

  function report(): AdoptionReport {
    const { upToMs = null, adoptedAtMs = null } = restore() ?? {};
    const ended = adoptedAtMs !== null ? 'adopted' : left.length > 0 ? 'incomplete' : 'waiting';
    return {
      state: upToMs === null ? 'none' : running !== null ? 'running' : ended,
      upToMs,
      users: { adopted: adoptedUsers(store), lacking: [...lackingUsers(store)].length },
      orders,
      left: running !== null ? [] : left.slice(0, ADOPTION.namedMaximum),
      current,
    };
  }

  async function run(upToMs: number): Promise<void> {
    const found: LeftOver[] = [];
    const of = [...lackingUsers(store)].length;
    let number = 0;
    for (const userId of lackingUsers(store)) {
      if (pauses.isOver()) return;
      number += 1;
      const rest = await adoptUser({ userId, number, of }, upToMs);
      if (rest !== null && !pauses.isOver()) found.push(rest);
    }
    if (pauses.isOver()) return;
    left = found;
    if (found.length === 0)
      await deps.commit((tx) => {
        const newest = tx.get(RESTORES, ['newest'])?.value;
        if (newest?.upToMs === upToMs)
          tx.put(RESTORES, ['newest'], { ...newest, adoptedAtMs: deps.marketClock.nowMs() });
      });
    for (const one of found.slice(0, ADOPTION.namedMaximum))
      log.error({ ...one }, 'adoption.unattributed');
    log.warn({ orders, left: found.length }, 'adoption.ended');
  }

  /** Null once the books say what the chain says. */
  async function adoptUser(
    user: Pick<AdoptionProgress, 'userId' | 'number' | 'of'>,
    upToMs: number,
  ): Promise<LeftOver | null> {
    const { userId } = user;
    let rest: LeftOver = { userId, differences: [], reason: 'not read yet' };
    for (let reading = 1; reading <= ADOPTION.readingsMaximum && !pauses.isOver(); reading += 1) {
      if (reading > 1) {
        current = { ...user, reading, doing: 'waiting' };
        await pauses.pause(ADOPTION.readingPauseMs);
      }
      if (pauses.isOver()) break;
      try {
        current = { ...user, reading, doing: 'orders' };
        const found = await deps.orders.adopt(userId, upToMs - ADOPTION.overlapMs);
        orders += found.adopted;
        const reason = undecidedReason(found.undecided);
        if (reason === null) {
          current = { ...user, reading, doing: 'movements' };
          await deps.bookMovements(userId);
        }
        current = { ...user, reading, doing: 'comparison' };
        const differences = await deps.differences(userId);
        rest = { userId, differences, reason };
        if (differences.length > 0 || reason !== null) continue;
        await settle(userId, upToMs);
        return null;
      } catch (cause) {
        if (!(cause instanceof AppError)) throw cause;
        rest = { ...rest, reason: cause.message };
        log.warn({ userId, cause }, 'adoption.delayed');
      }
    }
    return rest;
  }

  /** What a venue denied by what the books lacked is no dispute any more. */
  function settle(userId: UserId, upToMs: number): Promise<void> {
    return deps.commit((tx) => {
      const atMs = deps.marketClock.nowMs();
      tx.put(ADOPTIONS, [userId], { upToMs, atMs });
      for (const { key, value: dispute } of tx.range(FUNDS_DISPUTES, { prefix: [userId] })) {
        tx.remove(FUNDS_DISPUTES, key);
        tx.append({ type: 'funds.agreed', userId, atMs, dispute });
      }
    });
  }

  return {
    report,
    assertAdopted: (scope) => assertAdopted(store, scope),
    begin() {
      const known = restore();
      if (known === null)
        throw new AppError('not_found', 'this store was not restored from a backup');
      if (running === null && known.adoptedAtMs === null && !pauses.isOver()) {
        left = [];
        running = run(known.upToMs)
          .catch((cause: unknown) => log.error({ cause }, 'adoption.failed'))
          .finally(() => {
            running = null;
            current = null;
          });
      }
      return report();
    },
    async stop() {
      pauses.stop();
      await running;
    },
  };
}

/** Null where all is decided. */
function undecidedReason({ orders, trades, venues }: Undecided): string | null {
  const parts = [
    counted(orders, 'order'),
    counted(trades, 'trade'),
    counted(venues, 'venue that is not open', 'venues that are not open'),
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : `not decided yet: ${parts.join(', ')}`;
}

function counted(count: number, one: string, several = `${one}s`): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : several}`;
}
