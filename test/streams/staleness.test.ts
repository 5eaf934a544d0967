import { Subject } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { freshAt, staleness } from '../../streams/staleness.ts';

interface Value {
  readonly sourceAtMs: number;
}

describe('staleness', () => {
  it('L8: turns a value into null right after its limit, without a new value', () => {
    const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
    scheduler.run(({ hot, expectObservable }) => {
      const a: Value = { sourceAtMs: 1 };
      const stream = hot<Value>('-a---------', { a });
      const fresh = stream.pipe(
        staleness<Value>({ limitMs: 4, atMs: (value) => value.sourceAtMs, scheduler }),
      );
      expectObservable(fresh).toBe('-a----n----', { a, n: null });
    });
  });

  it('L8: a feed that only looks alive, repeating one old value, is absent', async () => {
    const clock = createVirtualClock(0);
    const source = new Subject<Value>();
    const seen: (Value | null)[] = [];
    source
      .pipe(
        staleness<Value>({
          limitMs: 5_000,
          atMs: (value) => value.sourceAtMs,
          scheduler: clockScheduler(clock),
        }),
      )
      .subscribe((value) => seen.push(value));
    const old = { sourceAtMs: 0 };
    for (let second = 0; second < 10; second += 1) {
      source.next(old);
      await clock.advance(1_000);
    }
    expect(seen).toEqual([old, old, old, old, old, old, null]);
  });

  it('keeps one timer however many values come', async () => {
    const clock = createVirtualClock(0);
    const source = new Subject<Value>();
    const reader = source
      .pipe(
        staleness<Value>({
          limitMs: 100,
          atMs: (value) => value.sourceAtMs,
          scheduler: clockScheduler(clock),
        }),
      )
      .subscribe();
    for (let ms = 0; ms < 50; ms += 1) {
      source.next({ sourceAtMs: clock.nowMs() });
      await clock.advance(1);
    }
    expect(clock.pending).toBe(1);
    reader.unsubscribe();
    expect(clock.pending).toBe(0);
  });

  it('says null once, and nothing for a first value that is already old', async () => {
    const clock = createVirtualClock(10_000);
    const source = new Subject<Value>();
    const seen: (Value | null)[] = [];
    source
      .pipe(
        staleness<Value>({
          limitMs: 100,
          atMs: (value) => value.sourceAtMs,
          scheduler: clockScheduler(clock),
        }),
      )
      .subscribe((value) => seen.push(value));
    source.next({ sourceAtMs: 9_899 });
    source.next({ sourceAtMs: 9_900 });
    source.next({ sourceAtMs: 9_000 });
    await clock.advance(1_000);
    expect(seen).toEqual([{ sourceAtMs: 9_900 }, null]);
  });
});

describe('staleness of values that follow each other', () => {
  const start = () => {
    const clock = createVirtualClock(0);
    const source = new Subject<Value>();
    const seen: (number | string | null)[] = [];
    source
      .pipe(
        staleness<Value>({
          limitMs: 100,
          atMs: (value) => value.sourceAtMs,
          scheduler: clockScheduler(clock),
        }),
      )
      .subscribe({
        next: (value) => seen.push(value?.sourceAtMs ?? null),
        error: (cause) => seen.push(String(cause)),
        complete: () => seen.push('end'),
      });
    return { clock, source, seen };
  };

  it('L8: keeps each for its own time, to the millisecond', async () => {
    const { clock, source, seen } = start();
    source.next({ sourceAtMs: 0 });
    source.next({ sourceAtMs: 1 });
    await clock.advance(101);
    expect(seen).toEqual([0, 1]);
    await clock.advance(1);
    source.next({ sourceAtMs: 50 });
    await clock.advance(49);
    expect(seen).toEqual([0, 1, null, 50, null]);
  });

  it.each<[string, (source: Subject<Value>) => void, string]>([
    ['ends', (source) => source.complete(), 'end'],
    ['fails', (source) => source.error('down'), 'down'],
  ])('is over when its source %s', (_, end, word) => {
    const { source, seen } = start();
    source.next({ sourceAtMs: 0 });
    end(source);
    expect(seen).toEqual([0, word]);
  });
});

describe('freshAt', () => {
  it('keeps a value up to its limit and no further', () => {
    const value = { sourceAtMs: 100 };
    expect([freshAt(value, 50, 150), freshAt(value, 50, 151), freshAt(null, 50, 100)]).toEqual([
      value,
      null,
      null,
    ]);
  });
});
