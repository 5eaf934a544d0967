import { isDepositOver } from '../../domain/deposit.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Store } from '../../ports/store.ts';
import { OPEN_DEPOSITS } from './tables.ts';

/**
 * Keeps the figures of deposits: how many are on their way, and how many the chain does not show
 * though the bridge says it paid.
 */
export interface DepositFigures {
  /** The start: counts what is on record. */
  recover(): void;
  /** Sets the age of the oldest that is on its way. */
  tellAge(): void;
  stop(): void;
}

/** Makes the figures; they follow the facts from then on. */
export function followDepositFigures({
  store,
  bus,
  clock,
  metrics,
}: {
  readonly store: Store;
  readonly bus: Bus;
  /** Wall time. */
  readonly clock: Clock;
  readonly metrics: Metrics;
}): DepositFigures {
  /** Since when each that has not ended is known. */
  const open = new Map<string, number>();
  let unproven = 0;
  const tell = (): void => {
    metrics.gauge('deposits_open', open.size);
    metrics.gauge('deposits_unproven', unproven);
  };
  const unsubscribe = bus.subscribe(({ event }) => {
    if (event.type !== 'deposit.changed') return;
    const {
      from,
      deposit: { depositId, state, seenAtMs },
    } = event;
    if (isDepositOver(state)) open.delete(depositId);
    else open.set(depositId, seenAtMs);
    unproven += (state === 'unproven' ? 1 : 0) - (from === 'unproven' ? 1 : 0);
    if (isDepositOver(state)) metrics.count('deposits_total', { state });
    tell();
  });
  return {
    recover() {
      const marks = store.range(OPEN_DEPOSITS);
      for (const { key, value } of marks) open.set(String(key.at(-1)), value.sinceMs);
      unproven = marks.filter(({ value }) => value.isUnproven).length;
      tell();
    },
    tellAge() {
      const nowMs = clock.nowMs();
      let oldestMs = 0;
      for (const sinceMs of open.values()) oldestMs = Math.max(oldestMs, nowMs - sinceMs);
      metrics.gauge('deposits_oldest_seconds', oldestMs / 1_000);
    },
    stop: unsubscribe,
  };
}
