import { FEEDS } from '../../config/limits/market-data.ts';
import { backOffMs } from '../domain/back-off.ts';
import type { Timer } from '../ports/clock.ts';
import type { Listener } from '../ports/listener.ts';
import type { Runtime } from '../ports/runtime.ts';

/** What is done with what a source says, and while it is open. */
export interface UpstreamUse<T, Opened> {
  /** Errors of its own are a loss like any other. */
  open(listener: Listener<T>): Opened;
  stop(opened: Opened): void;
  next(value: T): void;
  /** The source was lost: nothing that was said counts any more. */
  lost(cause: unknown): void;
  /** It is not wanted any more, and is forgotten. */
  ended(): void;
}

/** One source, open while anyone wants it, and opened again after a loss. */
export interface Upstream<Opened> {
  /** Null while it is not open. */
  current(): Opened | null;
  /** Since when it is lost, ms of the clock; null while it is open or not wanted. */
  lostSinceMs(): number | null;
  want(): void;
  /** Ends it FEEDS.lingerMs later, unless it is wanted again. */
  release(): void;
  close(): void;
}

/**
 * Opens a source once for all who want it. After a loss it waits by itself, so that many readers
 * who come back at once are one question to the venue: the first time at random within
 * FEEDS.reconnectFirstMs, longer with every loss in a row. Its clock is market time.
 */
export function createUpstream<T, Opened>(
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
  use: UpstreamUse<T, Opened>,
): Upstream<Opened> {
  let opened: { readonly value: Opened; readonly atMs: number } | null = null;
  let life = 0;
  let failures = 0;
  let isWanted = false;
  let lostAtMs: number | null = null;
  let reopening: Timer | null = null;
  let lingering: Timer | null = null;

  function open(): void {
    const own = (life += 1);
    const listener: Listener<T> = {
      next(value) {
        if (life !== own) return;
        lostAtMs = null;
        use.next(value);
      },
      error(cause) {
        if (life === own) lose(cause);
      },
    };
    try {
      const value = use.open(listener);
      // A source may fail while it is being opened.
      if (life === own) opened = { value, atMs: clock.nowMs() };
      else use.stop(value);
    } catch (cause) {
      if (life === own) lose(cause);
    }
  }

  function lose(cause: unknown): void {
    const hasLived =
      opened !== null && clock.nowMs() - opened.atMs >= FEEDS.reconnectHealthyAfterMs;
    failures = hasLived ? 1 : failures + 1;
    lostAtMs ??= clock.nowMs();
    forget();
    const ceilingMs = backOffMs(failures - 1, BACK_OFF);
    reopening = clock.after(random.integer(ceilingMs + 1), () => {
      reopening = null;
      if (isWanted) open();
    });
    use.lost(cause);
  }

  function forget(): void {
    life += 1;
    const before = opened;
    opened = null;
    if (before !== null) use.stop(before.value);
  }

  function end(): void {
    reopening?.cancel();
    lingering?.cancel();
    forget();
    lostAtMs = null;
    use.ended();
  }

  return {
    current: () => opened?.value ?? null,
    lostSinceMs: () => lostAtMs,
    want() {
      isWanted = true;
      lingering?.cancel();
      lingering = null;
      if (opened === null && reopening === null) open();
    },
    release() {
      isWanted = false;
      // How often it was lost in a row is remembered for as long as anyone may wait to come back.
      lingering = clock.after(failures > 0 ? FEEDS.reconnectMaximumMs : FEEDS.lingerMs, end);
    },
    close: end,
  };
}

const BACK_OFF = { firstMs: FEEDS.reconnectFirstMs, maximumMs: FEEDS.reconnectMaximumMs };
