import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createFanOut } from '../../../src/services/execution/fan-out.ts';
import { T0 } from '../../support/builders.ts';

const members = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

function aFanOut(chunk: number) {
  const clock = createVirtualClock(T0);
  const errors: unknown[] = [];
  const room = { left: Number.POSITIVE_INFINITY };
  const fanOut = createFanOut<number>({
    clock,
    random: createSeededRandom('fan-out'),
    chunk,
    room: { isThere: () => room.left > 0, pauseMs: 5 },
    onError: (error) => errors.push(error),
  });
  return { clock, errors, room, fanOut };
}

describe('the fan-out of a transition', () => {
  it('tells every member once', async () => {
    const { clock, fanOut } = aFanOut(64);
    const reported: number[] = [];
    fanOut.push('a', members(1_000), (member) => reported.push(member));
    await clock.runUntilIdle(0);
    expect([reported.length, new Set(reported).size, fanOut.pending()]).toEqual([1_000, 1_000, 0]);
  });

  it('gives the event loop its turn after each chunk', async () => {
    const { clock, fanOut } = aFanOut(64);
    const reported: number[] = [];
    const seen: number[] = [];
    const check = (): void => {
      seen.push(reported.length);
      if (reported.length < 200) clock.after(0, check);
    };
    fanOut.push('a', members(200), (member) => reported.push(member));
    check();
    await clock.runUntilIdle(0);
    expect(seen).toEqual([0, 64, 128, 192, 200]);
  });

  it('reports to no further member while there is no room, and goes on where it was once there is', async () => {
    const { clock, fanOut, room } = aFanOut(10);
    const reported: number[] = [];
    room.left = 25;
    fanOut.push('a', members(100), (member) => {
      reported.push(member);
      room.left -= 1;
    });
    await clock.advance(1_000);
    // A chunk is begun while there is room for one.
    expect([reported.length, fanOut.pending()]).toEqual([30, 70]);
    room.left = 1_000;
    await clock.advance(5);
    expect([reported.length, new Set(reported).size, clock.pending]).toEqual([100, 100, 0]);
  });

  it('lets jobs take turns, so that a small group does not wait for a large one', async () => {
    const { clock, fanOut } = aFanOut(10);
    const order: string[] = [];
    fanOut.push('large', members(100), () => order.push('large'));
    fanOut.push('small', members(10), () => order.push('small'));
    await clock.runUntilIdle(0);
    expect(order.indexOf('small')).toBe(10);
  });

  it('lets small jobs share a turn, in the order in which they came', async () => {
    const { clock, fanOut } = aFanOut(10);
    const order: number[] = [];
    let turns = 0;
    for (let job = 0; job < 40; job += 1)
      fanOut.push(`join ${job}`, [job], (member) => void order.push(member));
    const check = (): void => {
      turns += 1;
      if (fanOut.pending() > 0) clock.after(0, check);
    };
    clock.after(0, check);
    await clock.runUntilIdle(0);
    expect([order, turns]).toEqual([members(40), 4]);
  });

  it('begins at another member each time', async () => {
    const { clock, fanOut } = aFanOut(64);
    const first = new Set<number>();
    for (let round = 0; round < 20; round += 1) {
      let isFirst = true;
      fanOut.push('a', members(1_000), (member) => {
        if (isFirst) first.add(member);
        isFirst = false;
      });
      await clock.runUntilIdle(0);
    }
    expect(first.size).toBeGreaterThan(15);
  });

  it('replaces a job of the same key by the newer word', async () => {
    const { clock, fanOut } = aFanOut(10);
    const reported: string[] = [];
    fanOut.push('a', members(30), () => reported.push('old'));
    await clock.settle();
    fanOut.push('a', [], () => reported.push('new'));
    await clock.runUntilIdle(0);
    expect([reported.includes('new'), fanOut.pending(), clock.pending]).toEqual([false, 0, 0]);
  });

  it('goes on when a member throws, and reports it', async () => {
    const { clock, errors, fanOut } = aFanOut(10);
    const reported: number[] = [];
    fanOut.push('a', members(25), (member) => {
      if (member % 5 === 0) throw new Error(String(member));
      reported.push(member);
    });
    await clock.runUntilIdle(0);
    expect([reported.length, errors.length]).toEqual([20, 5]);
  });

  it('reports nothing after it was stopped', async () => {
    const { clock, fanOut } = aFanOut(10);
    const reported: number[] = [];
    fanOut.push('a', members(25), (member) => reported.push(member));
    fanOut.stop();
    await clock.runUntilIdle(0);
    expect([reported, clock.pending]).toEqual([[], 0]);
  });
});

describe('a line that is called again and again', () => {
  /**
   * Calls all members for one round after another, each so short that it reaches a part of them;
   * gives the members reached in each.
   */
  async function callOften({
    count,
    reached,
    rounds,
  }: {
    readonly count: number;
    readonly reached: number;
    readonly rounds: number;
  }) {
    const { clock, fanOut, room } = aFanOut(10);
    const line = { next: null };
    const reported: (readonly number[])[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const now: number[] = [];
      let isOver = false;
      room.left = reached;
      fanOut.call({
        key: `round ${round}`,
        line,
        members: members(count),
        tell: (member) => {
          now.push(member);
          room.left -= 1;
        },
        isOver: () => isOver,
      });
      await clock.advance(1_000);
      isOver = true;
      reported.push(now);
    }
    return reported;
  }

  it('begins with those whom the last call did not reach, so that no member is passed over twice in a row', async () => {
    const reported = await callOften({ count: 1_000, reached: 670, rounds: 12 });
    const missed = reported.map(
      (now) => new Set(members(1_000).filter((member) => !now.includes(member))),
    );
    for (const [round, now] of reported.entries()) {
      expect(now).toHaveLength(670);
      const before = missed[round - 1] ?? new Set();
      expect([...before].filter((member) => !now.includes(member))).toEqual([]);
    }
    const times = members(1_000).map(
      (member) => reported.filter((now) => now.includes(member)).length,
    );
    expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(1);
  });

  it('begins anywhere once all were reached, so that no member is always first', async () => {
    const reported = await callOften({ count: 1_000, reached: 2_000, rounds: 20 });
    expect(new Set(reported.map(([first]) => first)).size).toBeGreaterThan(15);
  });

  it('remembers whom a call missed that a newer word replaced, and calls the others though that one has left', async () => {
    const { clock, fanOut, room } = aFanOut(10);
    const line: { next: number | null } = { next: null };
    const reported: number[] = [];
    const call = (key: string, among: readonly number[]) =>
      fanOut.call({
        key,
        line,
        members: among,
        tell: (member) => {
          reported.push(member);
          room.left -= 1;
        },
        isOver: () => false,
      });
    room.left = 20;
    call('a', members(100));
    await clock.advance(1_000);
    fanOut.push('b', [1], () => undefined);
    call('a', []);
    const { next } = line;
    expect(next).toBe(((reported.at(-1) ?? 0) + 1) % 100);
    room.left = 1_000;
    call(
      'c',
      members(100).filter((member) => member !== next),
    );
    await clock.advance(1_000);
    expect([reported.length, new Set(reported.slice(20)).size, line.next]).toEqual([119, 99, null]);
  });
});
