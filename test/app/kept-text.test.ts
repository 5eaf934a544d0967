import { expect, it } from 'vitest';
import { createKeptText } from '../../src/app/kept-text.ts';

it('reads once for all who ask meanwhile and shortly after, and anew when it has failed or grown old', async () => {
  const clock = { ms: 0 };
  const answers: (() => Promise<string>)[] = [async () => 'one', async () => Promise.reject(new Error('no')), async () => 'two'];
  let reads = 0;
  const text = createKeptText({ nowMs: () => clock.ms }, 500, () => {
    reads += 1;
    return answers.shift()?.() ?? Promise.resolve('none');
  });
  expect(await Promise.all([text(), text(), text()])).toEqual(['one', 'one', 'one']);
  clock.ms = 499;
  expect([await text(), reads]).toEqual(['one', 1]);
  clock.ms = 500;
  await expect(text()).rejects.toThrow('no');
  expect([await text(), reads]).toEqual(['two', 3]);
});
