import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSharedQuestions } from '../../src/services/shared-questions.ts';
import { T0 } from '../support/builders.ts';

it('asks once for all who ask meanwhile and shortly after, and anew when it has failed or grown old', async () => {
  const clock = createVirtualClock(T0);
  const answers: (() => Promise<string>)[] = [
    async () => 'one',
    async () => Promise.reject(new Error('no')),
    async () => 'two',
  ];
  let asked = 0;
  const shared = createSharedQuestions({ clock, keptMs: 500, keptMaximum: 1 });
  const text = () =>
    shared('text', () => {
      asked += 1;
      return answers.shift()?.() ?? Promise.resolve('none');
    });
  expect(await Promise.all([text(), text(), text()])).toEqual(['one', 'one', 'one']);
  await clock.advance(499);
  expect([await text(), asked]).toEqual(['one', 1]);
  await clock.advance(1);
  await expect(text()).rejects.toThrow('no');
  expect([await text(), asked]).toEqual(['two', 3]);
});

it('remembers no more questions than it may, the newest', async () => {
  const asked: string[] = [];
  const shared = createSharedQuestions({
    clock: createVirtualClock(T0),
    keptMs: 500,
    keptMaximum: 2,
  });
  const ask = (name: string) => shared(name, async () => asked.push(name));
  for (const name of ['a', 'b', 'c', 'c', 'b', 'a']) await ask(name);
  expect(asked).toEqual(['a', 'b', 'c', 'a']);
});
