import { isDepositOver } from '../../domain/deposit.ts';
import type { DepositState } from '../../domain/deposit.ts';
import type { Bus } from '../../ports/bus.ts';
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
  stop(): void;
}

/** Makes the figures; they follow the facts from then on. */
export function followDepositFigures({
  store,
  bus,
  metrics,
}: {
  readonly store: Store;
  readonly bus: Bus;
  readonly metrics: Metrics;
}): DepositFigures {
  let open = 0;
  let unproven = 0;
  const tell = (): void => {
    metrics.gauge('deposits_open', open);
    metrics.gauge('deposits_unproven', unproven);
  };
  const isOpen = (state: DepositState | null): number =>
    state !== null && !isDepositOver(state) ? 1 : 0;
  const unsubscribe = bus.subscribe(({ event }) => {
    if (event.type !== 'deposit.changed') return;
    const {
      from,
      deposit: { state },
    } = event;
    open += isOpen(state) - isOpen(from);
    unproven += (state === 'unproven' ? 1 : 0) - (from === 'unproven' ? 1 : 0);
    if (isDepositOver(state)) metrics.count('deposits_total', { state });
    tell();
  });
  return {
    recover() {
      const marks = store.range(OPEN_DEPOSITS);
      open = marks.length;
      unproven = marks.filter(({ value }) => value.isUnproven).length;
      tell();
    },
    stop: unsubscribe,
  };
}
