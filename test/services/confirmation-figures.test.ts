import { expect, it } from 'vitest';
import { CONFIRMATION } from '../../config/limits/mcp.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryBus } from '../../src/adapters/bus/memory-bus.ts';
import type { AuditAction } from '../../src/domain/events.ts';
import { followConfirmations } from '../../src/services/confirmations/confirmation-figures.ts';
import { aUserId, T0 } from '../support/builders.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';
import { createKeptLog } from '../support/quiet.ts';

it('shows how many questions wait and how long the oldest has, until it is answered or over', async () => {
  const [clock, metrics] = [createVirtualClock(T0), createCountingMetrics()];
  const bus = createMemoryBus({ log: createKeptLog() });
  const stop = followConfirmations({ bus, clock, metrics });
  const tell = (action: AuditAction, subject: string) =>
    bus.publish([
      {
        seq: 1,
        event: {
          type: 'audit.recorded',
          userId: aUserId(1),
          atMs: clock.nowMs(),
          action,
          subject,
          detail: null,
          origin: null,
        },
      },
    ]);
  const shown = () => {
    metrics.read();
    return [metrics.gauges['confirmations_open'], metrics.gauges['confirmations_oldest_seconds']];
  };
  const seen = [shown()];
  tell('confirmation_asked', 'cnf_1');
  await clock.advance(60_000);
  tell('confirmation_asked', 'cnf_2');
  tell('confirmation_asked', 'cnf_3');
  seen.push(shown());
  tell('confirmation_given', 'cnf_1');
  seen.push(shown());
  tell('confirmation_refused', 'cnf_2');
  await clock.advance(CONFIRMATION.waitsMs);
  seen.push(shown());
  stop();
  tell('confirmation_asked', 'cnf_4');
  seen.push(shown());
  expect(seen).toEqual([
    [0, 0],
    [3, 60],
    [2, 0],
    [0, 0],
    [0, 0],
  ]);
});
