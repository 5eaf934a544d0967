import { CONFIRMATION } from '../../../config/limits/mcp.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';

/**
 * Follows what people are asked to confirm and shows how much of it waits, and how long. Those of
 * before the start are not known; a question lives for CONFIRMATION.waitsMs, so neither that nor
 * the record grows. Returns the function that ends it.
 */
export function followConfirmations({
  bus,
  clock,
  metrics,
}: {
  readonly bus: Bus;
  /** Wall time. */
  readonly clock: Clock;
  readonly metrics: Metrics;
}): () => void {
  const askedAtMs = new Map<string, number>();

  function dropOver(): void {
    const sinceMs = clock.nowMs() - CONFIRMATION.waitsMs;
    // in the order in which they were asked
    for (const [id, atMs] of askedAtMs) {
      if (atMs > sinceMs) return;
      askedAtMs.delete(id);
    }
  }

  metrics.beforeRead(() => {
    dropOver();
    const [oldestAtMs = clock.nowMs()] = askedAtMs.values();
    metrics.gauge('confirmations_open', askedAtMs.size);
    metrics.gauge('confirmations_oldest_seconds', (clock.nowMs() - oldestAtMs) / 1_000);
  });
  return bus.subscribe(({ event }) => {
    if (event.type !== 'audit.recorded') return;
    const { action, subject, atMs } = event;
    if (action === 'confirmation_asked') {
      dropOver();
      askedAtMs.set(subject, atMs);
    } else if (action === 'confirmation_given' || action === 'confirmation_refused')
      askedAtMs.delete(subject);
  });
}
