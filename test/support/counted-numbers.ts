import { createStreamNumbers, type StreamNumbers } from '../../src/http/live/stream-numbers.ts';

/** Numbers of streams whose epochs are 1, 2, 3 and so on. */
export function createCountedNumbers(): StreamNumbers {
  let newest = 0;
  return createStreamNumbers(() => (newest += 1));
}
