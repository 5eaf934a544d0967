import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import {
  clockFacts,
  hostClockCheck,
  machineClockChecks,
  venueClockChecks,
  type ClockFacts,
} from '../../../src/app/doctor/clock-checks.ts';
import type { HostProbe } from '../../../src/app/doctor/host-probe.ts';
import { asId, type VenueId } from '../../../src/domain/ids.ts';
import { found } from './found.ts';

const ID = asId<VenueId>('example');

describe('the clock of this machine', () => {
  it.each<readonly [string, ClockFacts, string]>([
    ['clock source', { source: 'tsc', isSynchronized: null }, 'ok'],
    ['clock source', { source: 'kvm-clock', isSynchronized: null }, 'ok'],
    ['clock source', { source: 'hpet', isSynchronized: null }, 'warn'],
    ['clock source', { source: null, isSynchronized: null }, 'skipped'],
    ['time service', { source: null, isSynchronized: true }, 'ok'],
    ['time service', { source: null, isSynchronized: false }, 'fail'],
    ['time service', { source: null, isSynchronized: null }, 'skipped'],
  ])('%s: %j is %s', async (name, facts, level) => {
    expect(
      (
        await found(
          machineClockChecks(async () => facts),
          name,
        )
      ).level,
    ).toBe(level);
  });

  it('is read of this machine', async () => {
    const facts = await clockFacts();
    expect([typeof facts.source, typeof facts.isSynchronized]).not.toContain('undefined');
  });

  it.each([
    [0, 'ok', /0 ms ahead, give or take 500/],
    [-740, 'ok', /740 ms behind/],
    [800, 'warn', /800 ms ahead/],
    [-1_600, 'fail', /1600 ms behind/],
  ])('%i ms beside that of a venue is %s', async (aheadMs, level, sentence) => {
    const clock = createVirtualClock(1_000_000);
    const [check] = venueClockChecks(
      [{ id: ID, readClock: async () => clock.nowMs() - aheadMs }],
      clock,
    );
    expect(await check?.run()).toMatchObject({
      level,
      sentence: expect.stringMatching(sentence),
    });
  });

  it('runs at the speed of a sandbox beside its venue, and is compared in wall time', async () => {
    const clock = createVirtualClock(1_000_000, { speed: 10 });
    const [check] = venueClockChecks(
      [{ id: ID, readClock: async () => clock.nowMs() + 9_000 }],
      clock,
    );
    expect(await check?.run()).toMatchObject({
      level: 'warn',
      sentence: expect.stringMatching(/900 ms behind/),
    });
  });

  it('is not compared with a venue that does not tell its time', async () => {
    const [check] = venueClockChecks([{ id: ID }], createVirtualClock(0));
    expect(await check?.run()).toMatchObject({ level: 'skipped' });
  });

  it('is compared with the middle of the dates of hosts, one of which may be wrong', async () => {
    const probe = (clockAheadMs: number | null): HostProbe => ({
      foundMs: 1,
      connectedMs: 2,
      answeredMs: 3,
      status: 200,
      certificateEndsAtMs: null,
      clockAheadMs,
    });
    const level = async (...ahead: readonly (number | null)[]) =>
      (await hostClockCheck(ahead.map(probe)).run()).level;
    expect([
      await level(10, 3_600_000, -20),
      await level(-1_900, -1_800, null, -1_700),
      await level(900, 950, 800),
      await level(null),
      await level(),
    ]).toEqual(['ok', 'fail', 'warn', 'skipped', 'skipped']);
  });
});
