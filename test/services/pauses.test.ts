import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createPauses } from '../../src/services/pauses.ts';
import { T0 } from '../support/builders.ts';

it('a pause lasts its time, or until the work is stopped, after which none is made', async () => {
  const clock = createVirtualClock(T0);
  const { pause, isOver, stop } = createPauses(clock);
  const ended: string[] = [];
  const short = pause(10).then(() => ended.push('short'));
  const long = pause(1_000).then(() => ended.push('long'));
  await clock.advance(10);
  await short;
  expect([ended, isOver()]).toEqual([['short'], false]);
  stop();
  await long;
  await pause(1_000);
  expect([ended, isOver()]).toEqual([['short', 'long'], true]);
});
