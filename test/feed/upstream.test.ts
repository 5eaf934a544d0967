import { expect, it } from 'vitest';
import { FEEDS } from '../../config/limits/market-data.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createUpstream } from '../../src/feed/upstream.ts';
import type { Listener } from '../../src/ports/listener.ts';
import { T0 } from '../support/builders.ts';

/** An upstream whose source is opened by hand, and which always waits as long as it may. */
function setUp() {
  const clock = createVirtualClock(T0);
  const opened: Listener<number>[] = [];
  const facts = { stopped: 0, heard: [] as number[], losses: 0, ended: 0, throws: false };
  const upstream = createUpstream<number, number>(
    { clock, random: { integer: (bound) => bound - 1, bytes: (count) => new Uint8Array(count) } },
    {
      open(listener) {
        if (facts.throws) throw new Error('not now');
        return opened.push(listener);
      },
      stop: () => void (facts.stopped += 1),
      next: (value) => void facts.heard.push(value),
      lost: () => void (facts.losses += 1),
      ended: () => void (facts.ended += 1),
    },
  );
  return { clock, opened, facts, upstream };
}

const LOST = new Error('lost');

it('is opened once however often it is wanted', () => {
  const { opened, upstream } = setUp();
  upstream.want();
  upstream.want();
  expect([opened.length, upstream.current()]).toEqual([1, 1]);
});

it('waits longer after every loss in a row, and from the start again once it has lived', async () => {
  const { clock, opened, upstream } = setUp();
  upstream.want();
  const waits: number[] = [];
  const loseAndWait = async () => {
    const count = opened.length;
    const beganMs = clock.nowMs();
    opened.at(-1)?.error(LOST);
    await clock.advanceUntil(() => opened.length > count, 60_000);
    waits.push(clock.nowMs() - beganMs);
  };
  for (let loss = 0; loss < 7; loss += 1) await loseAndWait();
  await clock.advance(FEEDS.reconnectHealthyAfterMs);
  await loseAndWait();
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 250]);
});

it('hears nothing of a source it has lost or left', async () => {
  const { clock, opened, facts, upstream } = setUp();
  upstream.want();
  const [first] = opened;
  first?.next(1);
  first?.error(LOST);
  first?.next(2);
  first?.error(LOST);
  await clock.advance(FEEDS.reconnectFirstMs);
  first?.next(3);
  opened[1]?.next(4);
  expect([facts.heard, facts.losses, facts.stopped]).toEqual([[1, 4], 1, 1]);
});

it('is not opened again while it is not wanted, and at once when it is', async () => {
  const { clock, opened, upstream } = setUp();
  upstream.want();
  upstream.release();
  opened[0]?.error(LOST);
  await clock.advance(FEEDS.reconnectFirstMs);
  expect(opened.length).toBe(1);
  upstream.want();
  expect(opened.length).toBe(2);
});

it('takes a source that cannot be opened for a lost one', async () => {
  const { clock, opened, facts, upstream } = setUp();
  facts.throws = true;
  upstream.want();
  expect([facts.losses, upstream.lostSinceMs()]).toEqual([1, T0]);
  facts.throws = false;
  await clock.advance(FEEDS.reconnectFirstMs);
  expect([opened.length, upstream.current()]).toEqual([1, 1]);
});

it('ends a while after it was wanted last', async () => {
  const { clock, facts, upstream } = setUp();
  upstream.want();
  upstream.release();
  await clock.advance(FEEDS.lingerMs - 1);
  upstream.want();
  await clock.advance(FEEDS.lingerMs);
  expect([facts.stopped, facts.ended]).toEqual([0, 0]);
  upstream.release();
  await clock.advance(FEEDS.lingerMs);
  expect([facts.stopped, facts.ended, clock.pending]).toEqual([1, 1, 0]);
});
