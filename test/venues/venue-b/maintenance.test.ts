import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { maintenanceGate } from '../../../src/venues/venue-b/maintenance.ts';

const at = (moment: string, keepsHours = true) =>
  maintenanceGate({ keepsHours, clock: createVirtualClock(Date.parse(moment)) });

it.each([
  ['2026-11-26T08:00:00Z', 7_200_000],
  ['2026-11-26T09:59:59Z', 1_000],
  ['2026-07-02T07:30:00Z', 5_400_000],
])('nothing is bought while the venue clears, in winter and in summer: %s', (moment, wait) => {
  expect(at(moment)).toThrow(
    expect.objectContaining({ code: 'market_not_ready', retryable: true, retryAfterMs: wait }),
  );
});

it.each([
  '2026-11-26T07:59:59Z',
  '2026-11-26T10:00:00Z',
  '2026-11-25T08:30:00Z',
  '2026-07-02T09:00:00Z',
])('it is bought at other times, and where no such hours are kept: %s', (moment) => {
  expect(at(moment)).not.toThrow();
  expect(at('2026-11-26T08:30:00Z', false)).not.toThrow();
});
