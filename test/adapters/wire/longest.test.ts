import { expect, it } from 'vitest';
import { createLongest, LONGEST_EVERY_MS } from '../../../src/adapters/wire/longest.ts';

it('observes the longest of the work since it last did, after a piece of it, and nothing while nothing is done', () => {
  let nowMs = 0;
  const seconds: number[] = [];
  const longest = createLongest(
    (value) => void seconds.push(value),
    () => nowMs,
  );
  const work = (ms: number) => {
    const begunMs = longest.begun();
    nowMs += ms;
    longest.ended(begunMs);
  };
  for (const ms of [5, 40, 10]) work(ms);
  expect(seconds).toEqual([]);
  nowMs += LONGEST_EVERY_MS;
  work(1);
  work(3);
  nowMs += LONGEST_EVERY_MS * 5;
  work(2);
  expect(seconds).toEqual([0.04, 0.003]);
});
