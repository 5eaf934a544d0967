import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { check, ok, type Check } from '../../../src/app/doctor/check.ts';
import { runChecks, type CheckReport } from '../../../src/app/doctor/run-checks.ts';
import { AppError } from '../../../src/domain/errors.ts';

const otherwise = { level: 'fail', remedy: 'mend it' } as const;
const hanging = (name: string): Check => check(name, otherwise, () => new Promise(() => undefined));
const BOUNDS = { atOnce: 2, checkMs: 5_000 } as const;

async function run(checks: readonly Check[], totalMs = 30_000) {
  const clock = createVirtualClock(0);
  let reports: readonly CheckReport[] | null = null;
  const done = runChecks(checks, { ...BOUNDS, clock, endsAtMs: totalMs }).then((all) => {
    reports = all;
  });
  await clock.advanceUntil(() => reports !== null, 1_000_000);
  await done;
  return { reports: reports ?? [], endedAtMs: clock.nowMs() };
}

describe('checks', () => {
  it('are reported in their order, whichever ends first', async () => {
    const { reports } = await run([
      hanging('slow'),
      check('quick', otherwise, async () => ok('it is there')),
    ]);
    expect(reports).toEqual([
      {
        name: 'slow',
        level: 'fail',
        sentence: 'no answer within 5 s',
        remedy: 'mend it',
        tookMs: 5_000,
      },
      { name: 'quick', level: 'ok', sentence: 'it is there', tookMs: 0 },
    ]);
  });

  it('that reject say the sentence of the error, and never its cause', async () => {
    const { reports } = await run([
      check('broken', { level: 'warn', remedy: 'wait' }, async () => {
        throw new AppError('venue_unavailable', 'it is down.', { cause: new Error('key 123') });
      }),
      check('thrown', otherwise, () => {
        throw new TypeError('no address');
      }),
    ]);
    expect(reports).toEqual([
      { name: 'broken', level: 'warn', sentence: 'it is down', remedy: 'wait', tookMs: 0 },
      { name: 'thrown', level: 'fail', sentence: 'no address', remedy: 'mend it', tookMs: 0 },
    ]);
  });

  it('run so many at a time, and none goes beyond the time of all', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `silent ${index}`);
    const { reports, endedAtMs } = await run(names.map(hanging), 13_000);
    expect(endedAtMs).toBe(13_000);
    expect(reports.map(({ level, sentence, tookMs }) => [level, sentence, tookMs])).toEqual([
      ['fail', 'no answer within 5 s', 5_000],
      ['fail', 'no answer within 5 s', 5_000],
      ['fail', 'no answer within 5 s', 5_000],
      ['fail', 'no answer within 5 s', 5_000],
      ['fail', 'no answer within 3 s', 3_000],
      ['fail', 'no answer within 3 s', 3_000],
      ['warn', 'there was no time left for it', 0],
    ]);
  });
});
