import { Observable, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { shareLatest } from '../../streams/share-latest.ts';

function upstream() {
  const state = { running: 0, starts: 0, values: new Subject<number>() };
  const source = new Observable<number>((subscriber) => {
    state.running += 1;
    state.starts += 1;
    subscriber.add(state.values.subscribe(subscriber));
    return () => {
      state.running -= 1;
    };
  });
  return { state, source };
}

describe('shareLatest', () => {
  it('opens one upstream for all readers and closes it with the last one', () => {
    const { state, source } = upstream();
    const shared = source.pipe(shareLatest());
    const readers = [shared.subscribe(), shared.subscribe(), shared.subscribe()];
    expect(state.starts).toBe(1);
    for (const reader of readers) reader.unsubscribe();
    expect(state.running).toBe(0);
  });

  it('gives a late reader the newest value, but not one from before the last restart', () => {
    const { state, source } = upstream();
    const shared = source.pipe(shareLatest());
    const seen: string[] = [];
    const first = shared.subscribe();
    state.values.next(1);
    state.values.next(2);
    const second = shared.subscribe((value) => seen.push(`second ${value}`));
    first.unsubscribe();
    second.unsubscribe();
    shared.subscribe((value) => seen.push(`third ${value}`));
    expect(seen).toEqual(['second 2']);
  });

  it.each(['error', 'complete'] as const)(
    'starts afresh for the next reader after the upstream has ended: %s',
    (end) => {
      const { state, source } = upstream();
      const shared = source.pipe(shareLatest());
      const seen: string[] = [];
      const read = () =>
        shared.subscribe({
          next: (value) => seen.push(`${value}`),
          error: () => seen.push('error'),
          complete: () => seen.push('complete'),
        });
      read();
      state.values.next(1);
      state.values[end]('down');
      state.values = new Subject();
      read();
      state.values.next(2);
      expect([seen, state.starts]).toEqual([['1', end, '2'], 2]);
    },
  );

  it('keeps the upstream for readers that come back within the linger', async () => {
    const clock = createVirtualClock(0);
    const { state, source } = upstream();
    const shared = source.pipe(shareLatest({ lingerMs: 1_000, scheduler: clockScheduler(clock) }));
    shared.subscribe().unsubscribe();
    await clock.advance(900);
    const back = shared.subscribe();
    await clock.advance(5_000);
    back.unsubscribe();
    await clock.advance(1_001);
    expect(state).toMatchObject({ starts: 1, running: 0 });
  });
});
