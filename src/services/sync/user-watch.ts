import { SYNC } from '../../../config/limits.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Timer } from '../../ports/clock.ts';
import type { UserEvent } from '../../ports/venue.ts';
import type { VenueReadingDeps } from './venue-reading.ts';
import { isInMotion, readVenue, takeOrder } from './venue-reading.ts';

/** One user's line to the venue. */
export interface UserWatch {
  /** The user is about: the watch stays on for a while. */
  keep(): void;
  stop(): void;
}

/** Opens a user's channel and reads what it may lose; ends by itself, telling `onEnd`, when nothing of theirs is in motion for long. */
export function createUserWatch(deps: VenueReadingDeps, userId: UserId, onEnd: () => void): UserWatch {
  const watch = new Watch(deps, userId, onEnd);
  watch.connect();
  watch.schedule();
  return watch;
}

class Watch implements UserWatch {
  readonly #deps: VenueReadingDeps;
  readonly #userId: UserId;
  readonly #onEnd: () => void;
  #unsubscribe: () => void = () => undefined;
  #poll: Timer | null = null;
  #reconnect: Timer | null = null;
  #isPolling = false;
  /** A poll was asked for while one ran. */
  #isWantedAgain = false;
  /** The channel has opened since resting orders were last compared. */
  #isFresh = true;
  #isOver = false;
  #failures = 0;
  #disconnects = 0;
  #keptAtMs: number;
  #depositsAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: VenueReadingDeps, userId: UserId, onEnd: () => void) {
    this.#deps = deps;
    this.#userId = userId;
    this.#onEnd = onEnd;
    this.#keptAtMs = deps.clock.nowMs();
  }

  keep(): void {
    this.#keptAtMs = this.#deps.clock.nowMs();
  }

  stop(): void {
    this.#isOver = true;
    this.#unsubscribe();
    this.#poll?.cancel();
    this.#reconnect?.cancel();
    this.#onEnd();
  }

  connect(): void {
    this.#unsubscribe = this.#deps.gateway.watch(this.#userId, { next: (event) => this.#hear(event), error: (cause) => this.#lose(cause) });
  }

  /** Sets the next poll; the watch ends here once nothing has been in motion for long. */
  schedule(): void {
    if (this.#isOver) return;
    const { clock, store } = this.#deps;
    this.#poll?.cancel();
    if (isInMotion(store, this.#userId)) this.keep();
    if (clock.nowMs() - this.#keptAtMs >= SYNC.idleAfterMs) return this.stop();
    const waitMs = this.#isWantedAgain ? 0 : Math.min(SYNC.intervalMs * 2 ** Math.min(this.#failures, 16), SYNC.intervalMaximumMs);
    this.#poll = clock.after(waitMs, () => void this.#read());
  }

  #lose(cause: unknown): void {
    if (this.#isOver) return;
    this.#deps.log.warn({ userId: this.#userId, cause }, 'user_channel.lost');
    this.#unsubscribe();
    const waitMs = Math.min(SYNC.reconnectFirstMs * 2 ** Math.min(this.#disconnects, 16), SYNC.intervalMaximumMs);
    this.#disconnects += 1;
    this.#reconnect?.cancel();
    this.#reconnect = this.#deps.clock.after(waitMs, () => this.connect());
  }

  #hear(event: UserEvent): void {
    if (event.kind === 'connected') {
      this.#disconnects = 0;
      this.#isFresh = true;
      void this.#read();
      return;
    }
    const told = event.kind === 'fill' ? this.#deps.portfolio.recordFill(event.fill) : takeOrder(this.#deps, event.order, false);
    // The next poll reads the same again, so a word that could not be stored is not lost.
    told.catch((cause: unknown) => this.#deps.log.error({ userId: this.#userId, cause }, 'user_channel.word_not_stored'));
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
      this.#deps.log.warn({ userId: this.#userId, failures: this.#failures, cause }, 'user_sync.failed');
    }
    this.#isPolling = false;
    this.schedule();
  }

  async #readOnce(): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    const deposits = nowMs - this.#depositsAtMs >= SYNC.depositsIntervalMs;
    const everything = this.#isFresh;
    this.#isFresh = false;
    try {
      await readVenue(this.#deps, { userId: this.#userId, deposits, everything });
    } catch (cause) {
      this.#isFresh ||= everything;
      throw cause;
    }
    if (deposits) this.#depositsAtMs = nowMs;
  }
}
