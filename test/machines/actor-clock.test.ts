import { expect, it } from 'vitest';
import { createActor, createMachine } from 'xstate';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { toActorClock } from '../../machines/actor-clock.ts';

const machine = createMachine({
  initial: 'waiting',
  states: { waiting: { after: { 1_000: 'late' }, on: { done: 'done' } }, late: {}, done: {} },
});

it('drives delayed transitions in the time of the clock', async () => {
  const clock = createVirtualClock(0);
  const actor = createActor(machine, { clock: toActorClock(clock) }).start();
  await clock.advance(999);
  expect(actor.getSnapshot().value).toBe('waiting');
  await clock.advance(1);
  expect(actor.getSnapshot().value).toBe('late');
});

it('takes the timer back when the state is left', async () => {
  const clock = createVirtualClock(0);
  const actor = createActor(machine, { clock: toActorClock(clock) }).start();
  actor.send({ type: 'done' });
  expect(clock.pending).toBe(0);
});
