import { backOffMs } from '../../domain/back-off.ts';
import { SYNC } from '../../../config/limits.ts';
import { HEALTH } from '../../../config/limits/risk.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Timer } from '../../ports/clock.ts';
import type { UserEvent } from '../../ports/order-gateway.ts';
import type { StreamProblem } from '../orders/place-order.ts';
import { orderNamed } from '../books/named-order.ts';
import {
  isInMotion,
  readVenue,
  takeFill,
  takeOrder,
  type VenueReadingDeps,
} from './venue-reading.ts';
import { watchMechanisms } from './watch-mechanisms.ts';

/** One user's line to a venue. */
export interface UserWatch {
  /**
   * The user is about: the watch stays on for a while, and looks soon whether anything of theirs is
   * in motion.
   */
  keep(): void;
  /** The venue has stated its own id of an order: what was heard of it before is read again now. */
  named(): void;
  /** What keeps us from knowing what becomes of the user's orders; null when nothing does. */
  problem(): StreamProblem | null;
  /**
   * True while nothing of the user's may still change: only deposits would be missed without the
   * watch.
   */
  isIdle(): boolean;
  stop(): void;
}

/** Listener of a watch. */
export interface WatchListener {
  onEnd(): void;
  /** A problem has begun, changed or ended: that of a watch that ends included. */
  onProblem(): void;
}

/**
 * Opens a user's channel and reads what it may lose; ends by itself when nothing of theirs is in
 * motion for long.
 */
export function createUserWatch(
  deps: VenueReadingDeps,
  userId: UserId,
  reported: WatchListener,
): UserWatch {
  const watch = new Watch(deps, userId, reported);
  watch.connect();
  watch.schedule();
  return watch;
}

class Watch implements UserWatch {
  readonly #deps: VenueReadingDeps;
  readonly #userId: UserId;
  readonly #reported: WatchListener;
  #unsubscribe: () => void = () => undefined;
  #poll: Timer | null = null;
  #pollAtMs = Number.POSITIVE_INFINITY;
  #reconnect: Timer | null = null;
  #isPolling = false;
  /** A poll was asked for while one ran. */
  #isWantedAgain = false;
  /**
   * The channel has opened, or said what could not be stored, since resting orders were last
   * compared.
   */
  #isFresh = true;
  /**
   * An update came for an unknown order, since the user's were last read: it may be one
   * whose id is still on its way to us.
   */
  #isUnknownHeard = false;
  #isOver = false;
  #failures = 0;
  #disconnects = 0;
  #keptAtMs: number;
  #depositsAtMs = Number.NEGATIVE_INFINITY;
  /** Readings of deposits that have failed in a row. */
  #depositFailures = 0;
  /** Readings of deposits since the user was last about. */
  #idleReadings = 0;

  /** When the channel went down, or was first asked for; null while it is up. */
  #downSinceMs: number | null;
  /** When the channel opened; beyond every time while it is not open. */
  #openedAtMs = Number.POSITIVE_INFINITY;
  /** When trades were last read. */
  #readAtMs: number;
  #reportedProblem: StreamProblem['code'] | null = null;

  constructor(deps: VenueReadingDeps, userId: UserId, reported: WatchListener) {
    this.#deps = deps;
    this.#userId = userId;
    this.#reported = reported;
    this.#keptAtMs = deps.clock.nowMs();
    this.#downSinceMs = this.#keptAtMs;
    this.#readAtMs = this.#keptAtMs;
  }

  keep(): void {
    this.#keptAtMs = this.#deps.clock.nowMs();
    this.#idleReadings = 0;
    this.#readSoon();
  }

  named(): void {
    if (!this.#isUnknownHeard) return;
    this.#isFresh = true;
    void this.#read();
  }

  isIdle(): boolean {
    return !this.#isPolling && !isInMotion(this.#deps, this.#userId);
  }

  problem(): StreamProblem | null {
    const sinceMs =
      this.#downSinceMs === null ? this.#readAtMs : Math.max(this.#downSinceMs, this.#readAtMs);
    const lastsMs = this.#deps.clock.nowMs() - sinceMs;
    if (this.#downSinceMs !== null)
      return lastsMs >= HEALTH.blindAfterMs ? { code: 'user_stream_blind', sinceMs } : null;
    return this.#failures > 0 && lastsMs >= HEALTH.unreadAfterMs
      ? { code: 'trades_unread', sinceMs }
      : null;
  }

  stop(): void {
    this.#isOver = true;
    this.#unsubscribe();
    this.#poll?.cancel();
    this.#reconnect?.cancel();
    this.#reported.onEnd();
    if (this.#reportedProblem !== null) this.#reported.onProblem();
  }

  connect(): void {
    const { venues, venue } = this.#deps;
    const gateways = venues.mechanisms(venue.id).map(({ gateway }) => gateway);
    this.#unsubscribe = watchMechanisms(gateways, this.#userId, {
      next: (event) => this.#hear(event),
      error: (cause) => this.#lose(cause),
    });
  }

  /** Sets the next poll; the watch ends here once nothing has been in motion for long. */
  schedule(): void {
    if (this.#isOver) return;
    const { clock } = this.#deps;
    this.#reportProblem();
    const isMoving = isInMotion(this.#deps, this.#userId);
    if (isMoving) {
      this.#keptAtMs = clock.nowMs();
      this.#idleReadings = 0;
    }
    if (clock.nowMs() - this.#keptAtMs >= SYNC.idleAfterMs) return this.stop();
    if (this.#isWantedAgain) return this.#pollAfter(0);
    const soonMs = pauseAfter(this.#failures);
    const isQuiet = !isMoving && this.#failures === 0 && this.#downSinceMs === null;
    this.#pollAfter(isQuiet ? Math.max(soonMs, this.#quietUntilMs() - clock.nowMs()) : soonMs);
  }

  /**
   * Until when a watch without anything in motion has nothing to do: thousands of users are about
   * whose orders have ended.
   */
  #quietUntilMs(): number {
    return Math.min(this.#depositsDueMs(), this.#keptAtMs + SYNC.idleAfterMs);
  }

  #readSoon(): void {
    if (
      !this.#isOver &&
      !this.#isPolling &&
      this.#pollAtMs > this.#deps.clock.nowMs() + SYNC.intervalMs
    )
      this.#pollAfter(SYNC.intervalMs);
  }

  #pollAfter(waitMs: number): void {
    this.#poll?.cancel();
    this.#pollAtMs = this.#deps.clock.nowMs() + waitMs;
    this.#poll = this.#deps.clock.after(waitMs, () => void this.#read());
  }

  /**
   * When deposits are to be read next: seldom and more seldom of a user who is not about and has
   * nothing in motion.
   */
  #depositsDueMs(): number {
    if (this.#depositFailures > 0) return this.#depositsAtMs + pauseAfter(this.#depositFailures);
    return (
      this.#depositsAtMs +
      backOffMs(this.#idleReadings - 1, {
        firstMs: SYNC.depositsIntervalMs,
        maximumMs: SYNC.depositsIntervalMaximumMs,
      })
    );
  }

  #reportProblem(): void {
    const code = this.problem()?.code ?? null;
    if (code === this.#reportedProblem) return;
    this.#reportedProblem = code;
    this.#deps.log.warn({ userId: this.#userId, code }, 'user_stream.degraded');
    this.#reported.onProblem();
  }

  #lose(cause: unknown): void {
    if (this.#isOver) return;
    this.#downSinceMs ??= this.#deps.clock.nowMs();
    this.#deps.log.warn({ userId: this.#userId, cause }, 'user_channel.lost');
    this.#unsubscribe();
    // One that is taken and dropped again and again, for its credentials or their number, is no
    // better than one that is refused.
    if (this.#deps.clock.nowMs() - this.#openedAtMs >= SYNC.reconnectHealthyAfterMs)
      this.#disconnects = 0;
    this.#openedAtMs = Number.POSITIVE_INFINITY;
    const waitMs = backOffMs(this.#disconnects, {
      firstMs: SYNC.reconnectFirstMs,
      maximumMs: SYNC.intervalMaximumMs,
    });
    this.#disconnects += 1;
    this.#reconnect?.cancel();
    this.#reconnect = this.#deps.clock.after(waitMs, () => this.connect());
    this.#readSoon();
  }

  #hear(event: UserEvent): void {
    if (event.kind === 'connected') {
      this.#openedAtMs = Math.min(this.#openedAtMs, this.#deps.clock.nowMs());
      this.#downSinceMs = null;
      this.#isFresh = true;
      void this.#read();
      return;
    }
    const { orderId } = event.kind === 'fill' ? event.fill : event.order;
    this.#isUnknownHeard ||= orderNamed(this.#deps.store, orderId) === null;
    const reported =
      event.kind === 'fill'
        ? takeFill(this.#deps, event.fill)
        : takeOrder(this.#deps, { userId: this.#userId, order: event.order, asked: false });
    reported
      .then(() => this.keep())
      .catch((cause: unknown) => {
        // What was heard as the service ended is read by the next start.
        if (this.#isOver) return;
        this.#deps.log.error({ userId: this.#userId, cause }, 'user_channel.word_not_stored');
        // It may be of an order that has ended: the next poll reads the same again, whatever is
        // known to be in motion.
        this.#isFresh = true;
        this.#readSoon();
      });
  }

  async #read(): Promise<void> {
    if (this.#isOver) return;
    this.#isWantedAgain = this.#isPolling;
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      await this.#readOnce();
      this.#failures = 0;
    } catch (cause) {
      this.#failures += 1;
      this.#deps.log.warn(
        { userId: this.#userId, failures: this.#failures, cause },
        'user_sync.failed',
      );
    }
    this.#isPolling = false;
    this.schedule();
  }

  async #readOnce(): Promise<void> {
    await this.#readDeposits();
    const everything = this.#isFresh;
    this.#isFresh = false;
    this.#isUnknownHeard = false;
    try {
      if (await readVenue(this.#deps, { userId: this.#userId, everything }))
        this.#readAtMs = this.#deps.clock.nowMs();
    } catch (cause) {
      this.#isFresh ||= everything;
      throw cause;
    }
  }

  /**
   * Whoever tells of deposits is another than who tells of trades: while the one is silent the
   * other is still read.
   */
  async #readDeposits(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    if (nowMs < this.#depositsDueMs()) return;
    try {
      await this.#deps.funding.syncDeposits(this.#userId, this.#deps.venue.id);
      this.#depositFailures = 0;
      this.#idleReadings += 1;
    } catch (cause) {
      this.#depositFailures += 1;
      this.#deps.log.warn(
        { userId: this.#userId, failures: this.#depositFailures, cause },
        'user_sync.deposits_unread',
      );
    }
    this.#depositsAtMs = nowMs;
  }
}

/** The wait after so many failures in a row. */
function pauseAfter(failures: number): number {
  return backOffMs(failures, { firstMs: SYNC.intervalMs, maximumMs: SYNC.intervalMaximumMs });
}
