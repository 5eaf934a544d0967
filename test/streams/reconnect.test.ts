import { concat, defer, EMPTY, NEVER, of, Subject, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Random } from '../../src/ports/random.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { reconnect } from '../../streams/reconnect.ts';

const BACKOFF = { firstMs: 250, maximumMs: 10_000, healthyAfterMs: 60_000 };
const lost = () => new AppError('venue_unavailable', 'socket lost', { retryable: true });
/** Draws the largest number allowed, so waits equal their ceilings. */
const highest: Random = { integer: (bound) => bound - 1, bytes: (count) => new Uint8Array(count) };

function start(source: Parameters<ReturnType<typeof reconnect<string>>>[0]) {
  const clock = createVirtualClock(0);
  const waits: number[] = [];
  const values: string[] = [];
  const errors: unknown[] = [];
  const reader = source
    .pipe(
      reconnect({
        backoff: BACKOFF,
        random: highest,
        scheduler: clockScheduler(clock),
        onReconnect: ({ waitMs }) => waits.push(waitMs),
      }),
    )
    .subscribe({ next: (value) => values.push(value), error: (cause) => errors.push(cause) });
  return { clock, waits, values, errors, reader };
}

describe('reconnect', () => {
  it('doubles the ceiling of its waits from a quarter second to ten seconds and never gives up', async () => {
    const { clock, waits, errors } = start(throwError(lost));
    await clock.advance(55_000);
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000, 10_000]);
    expect(errors).toEqual([]);
  });

  it('draws each wait from zero to the ceiling', async () => {
    const bounds: number[] = [];
    const clock = createVirtualClock(0);
    const random: Random = { ...highest, integer: (bound) => (bounds.push(bound), 0) };
    let tries = 0;
    const reader = defer(() => ((tries += 1) < 4 ? throwError(lost) : NEVER))
      .pipe(reconnect({ backoff: BACKOFF, random, scheduler: clockScheduler(clock) }))
      .subscribe();
    await clock.advance(10);
    expect(bounds).toEqual([251, 501, 1_001]);
    reader.unsubscribe();
  });

  it('starts the doubling anew after sixty seconds of health, not before', async () => {
    const connections: Subject<string>[] = [];
    const { clock, waits } = start(
      defer(() => {
        const connection = new Subject<string>();
        connections.push(connection);
        return concat(of('hello'), connection);
      }),
    );
    const drop = async (afterMs: number) => {
      await clock.advance(afterMs);
      connections.at(-1)?.error(lost());
      await clock.advance(10_000);
    };
    await drop(0);
    await drop(1_000);
    await drop(49_000);
    await drop(51_000);
    expect(waits).toEqual([250, 500, 1_000, 250]);
  });

  it('passes on a failure that trying again cannot mend', () => {
    const refused = new AppError('venue_protocol', 'no such feed');
    expect(start(throwError(() => refused)).errors).toEqual([refused]);
  });

  it('is over when its source is', () => {
    let isOver = false;
    EMPTY.pipe(
      reconnect({
        backoff: BACKOFF,
        random: highest,
        scheduler: clockScheduler(createVirtualClock(0)),
      }),
    ).subscribe({ complete: () => (isOver = true) });
    expect(isOver).toBe(true);
  });

  it('leaves no timer and no subscription behind', async () => {
    let open = 0;
    const { clock, reader } = start(defer(() => ((open += 1), throwError(lost))));
    await clock.advance(100);
    reader.unsubscribe();
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(open).toBe(1);
  });
});
