import { BoundedMap } from '../../domain/bounded-map.ts';
import { RECONCILE, WALLET } from '../../../config/limits/funds.ts';
import { isRetryable } from '../../domain/errors.ts';
import { asId, type UserId } from '../../domain/ids.ts';
import type { WalletDifference } from '../../domain/wallet-mismatch.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { WALLET_MISMATCHES } from '../books/tables.ts';
import { putMismatches, walletMismatches } from '../books/wallet-mismatches.ts';
import { createPauses } from '../pauses.ts';
import { allUsers } from '../sign-in/all-users.ts';
import { USERS } from '../sign-in/tables.ts';
import type { WalletRest } from './wallet-cash.ts';

/** Looks at users' own wallets, whoever is about and whoever is not. */
export interface WalletRounds {
  /** Begins with a round at once; one follows another until `stop`. */
  start(): void;
  /** One round over every user; resolves with those whose difference nothing explains. */
  round(): Promise<readonly UserId[]>;
  /** A user reads their money: their wallet is read now, unless it just was. */
  soon(userId: UserId): void;
  /** Something of a user's was seen that is not final: they are read again shortly. */
  again(userId: UserId): void;
  stop(): void;
}

/** Reads a user's wallet, and says what is left there. */
export type ReadWallet = (userId: UserId) => Promise<WalletRest>;

/** Makes the rounds. */
export function createWalletRounds({
  store,
  read,
  differences,
  commit,
  clock,
  log,
  metrics,
}: Pick<Runtime, 'store' | 'commit' | 'log' | 'metrics'> & {
  /** Reads all of a user's wallets, and says what is left there. */
  readonly read: ReadWallet;
  /** What books and chain differ by. Errors: `chain_unavailable`. */
  readonly differences: (userId: UserId) => Promise<readonly WalletDifference[]>;
  /** Wall time. */
  readonly clock: Clock;
}): WalletRounds {
  /** Rounds in a row that found a user's difference unexplained: chain and books move. */
  const sightings = new Map<UserId, number>();
  /** Since when what a user's wallet shows has not been final. */
  const unsettledSinceMs = new BoundedMap<UserId, number>(WALLET.usersRemembered);
  /** Users whose difference has been unexplained for long, also before this start. */
  const mismatched = new Set(
    store.range(WALLET_MISMATCHES).map(({ key: [userId] }) => asId<UserId>(String(userId))),
  );
  const readAtMs = new BoundedMap<string, number>(WALLET.usersRemembered);
  const pauses = createPauses(clock);
  const timers = new Map<UserId, Timer>();
  let reading = 0;

  /** Has a user read again shortly: what is not final will be. */
  function again(userId: UserId): void {
    if (pauses.isOver() || timers.has(userId) || timers.size >= WALLET.againMaximum) return;
    timers.set(
      userId,
      clock.after(WALLET.againMs, () => {
        timers.delete(userId);
        void see(userId);
      }),
    );
  }

  /** Shows at once what a wallet is found to be; one that was not read is as it was. */
  async function see(userId: UserId): Promise<void> {
    const isOff = await isMismatched(userId);
    if (isOff === true) mismatched.add(userId);
    if (isOff === false) mismatched.delete(userId);
    metrics.gauge('wallets_mismatched_users', mismatched.size);
    if (isOff !== null) await keep(userId, isOff);
  }

  /** Stores what differs: orders of it wait, and its owner sees since when. */
  async function keep(userId: UserId, isOff: boolean): Promise<void> {
    if (!isOff && walletMismatches(store, userId).length === 0) return;
    try {
      const found = isOff ? await differences(userId) : [];
      await commit((tx) => putMismatches(tx, userId, { found, atMs: clock.nowMs() }));
    } catch (cause) {
      log[isRetryable(cause) ? 'info' : 'error']({ userId, cause }, 'money.wallet_unread');
    }
  }

  /**
   * True where a user's difference has been unexplained for long, false where nothing differs; null
   * where that is not known now.
   */
  async function isMismatched(userId: UserId): Promise<boolean | null> {
    readAtMs.set(userId, clock.nowMs());
    try {
      const rest = await read(userId);
      if (rest === 'unsettled' || rest === 'unexplained') again(userId);
      if (rest !== 'unsettled') unsettledSinceMs.delete(userId);
      if (rest === 'nothing' || rest === 'moving') sightings.delete(userId);
      if (rest === 'unsettled') return isLate(userId) || null;
      if (rest === 'nothing') return false;
      if (rest === 'moving') return null;
    } catch (cause) {
      log[isRetryable(cause) ? 'info' : 'error']({ userId, cause }, 'money.wallet_unread');
      return null;
    }
    const seen = Math.min((sightings.get(userId) ?? 0) + 1, RECONCILE.sightings);
    sightings.set(userId, seen);
    return seen >= RECONCILE.sightings || null;
  }

  /** Blocks are final within a minute: a trade whose fills never come is a difference as well. */
  function isLate(userId: UserId): boolean {
    const sinceMs = unsettledSinceMs.get(userId) ?? clock.nowMs();
    unsettledSinceMs.set(userId, sinceMs);
    return clock.nowMs() - sinceMs >= WALLET.unsettledMaximumMs;
  }

  async function round(): Promise<readonly UserId[]> {
    for (const userId of allUsers(store)) {
      if (pauses.isOver()) break;
      await see(userId);
      if (mismatched.has(userId)) log.error({ userId }, 'money.mismatched');
      await pauses.pause(RECONCILE.paceMs);
    }
    for (const userId of mismatched)
      if (store.get(USERS, [userId]) === null) mismatched.delete(userId);
    metrics.gauge('wallets_mismatched_users', mismatched.size);
    return [...mismatched];
  }

  async function run(): Promise<void> {
    while (!pauses.isOver()) {
      await round();
      await pauses.pause(RECONCILE.intervalMs);
    }
  }

  return {
    start: () =>
      void run().catch((cause: unknown) => log.error({ cause }, 'money.wallet_rounds_ended')),
    round,
    again,
    soon(userId) {
      const isRecent = clock.nowMs() - (readAtMs.get(userId) ?? -Infinity) < WALLET.soonMs;
      if (pauses.isOver() || isRecent || reading >= WALLET.readingsAtOnce) return;
      reading += 1;
      void see(userId).finally(() => {
        reading -= 1;
      });
    },
    stop() {
      pauses.stop();
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}
