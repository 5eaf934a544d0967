import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createRestingBoard } from '../../../src/services/orders/resting-board.ts';
import { T0 } from '../../support/builders.ts';

/** A board that is checked every second; what each check saw is kept. */
function aBoard(checked: (names: readonly string[]) => void = () => undefined) {
  const clock = createVirtualClock(T0);
  const looks: string[] = [];
  const board = createRestingBoard<number>({
    clock,
    intervalMs: 1_000,
    check(token, orders) {
      looks.push(`${token}: ${[...orders].flat().join(' ')}`);
      checked([...orders.keys()]);
    },
  });
  return { ...board, clock, looks };
}

describe('a board of what rests', () => {
  it('counts what is on it by token, each name once', () => {
    const { size, has, keep, release } = aBoard();
    keep('up', 'a', 1);
    keep('up', 'a', 2);
    keep('up', 'b', 3);
    keep('down', 'c', 4);
    expect([size(), has('up'), has('down'), has('other')]).toEqual([3, true, true, false]);
    release('up', 'a');
    release('up', 'unknown');
    release('other', 'a');
    expect([size(), has('up')]).toEqual([2, true]);
    release('up', 'b');
    expect([size(), has('up'), has('down')]).toEqual([1, false, true]);
  });

  it('is looked at every interval while something rests, each token for itself, as it was last kept', async () => {
    const { keep, release, clock, looks } = aBoard();
    await clock.advance(5_000);
    keep('up', 'a', 1);
    keep('down', 'b', 2);
    keep('up', 'a', 3);
    expect(clock.pending).toBe(1);
    await clock.advance(1_000);
    expect(looks.splice(0)).toEqual(['up: a 3', 'down: b 2']);
    release('up', 'a');
    await clock.advance(1_000);
    expect(looks.splice(0)).toEqual(['down: b 2']);
    release('down', 'b');
    await clock.advance(5_000);
    expect([looks, clock.pending]).toEqual([[], 0]);
    keep('up', 'c', 4);
    await clock.advance(1_000);
    expect(looks).toEqual(['up: c 4']);
  });

  it('takes in what a check itself keeps, and is checked once an interval all the same', async () => {
    const { keep, clock, looks } = aBoard((names) => {
      if (names.length === 1) keep('up', 'b', 2);
    });
    keep('up', 'a', 1);
    await clock.advance(2_000);
    expect([looks, clock.pending]).toEqual([['up: a 1', 'up: a 1 b 2'], 1]);
  });

  it('is looked at no more once it has stopped', async () => {
    const { keep, stop, clock, looks } = aBoard();
    keep('up', 'a', 1);
    stop();
    keep('up', 'b', 1);
    await clock.advance(5_000);
    expect([looks, clock.pending]).toEqual([[], 0]);
    const empty = aBoard();
    empty.stop();
    empty.keep('up', 'a', 1);
    expect(empty.clock.pending).toBe(0);
  });
});
