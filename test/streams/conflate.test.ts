import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { conflate } from '../../streams/conflate.ts';

describe('conflate', () => {
  it('passes a lone value at once and then the newest of each window', () => {
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(({ hot, expectObservable }) => {
      const source = hot('  a-bcd-e-f-----------g--', undefined);
      expectObservable(source.pipe(conflate(5, scheduler))).toBe('a----d----f---------g--');
    });
  });
});
