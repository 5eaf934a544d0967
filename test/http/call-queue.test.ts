import { describe, expect, it } from 'vitest';
import { ADMISSION } from '../../config/limits/admission.ts';
import { createCallQueue, type Lane, type Loop } from '../../src/http/call-queue.ts';

/** A loop whose passes and timers are run by hand. */
function startQueue() {
  let nowMs = 0;
  let pass: (() => void)[] = [];
  let timers: { readonly atMs: number; readonly run: () => void }[] = [];
  const loop: Loop = {
    nowMs: () => nowMs,
    soon: (run) => void pass.push(run),
    later: (delayMs, run) => void timers.push({ atMs: nowMs + delayMs, run }),
  };
  const queue = createCallQueue(loop);
  const begun: string[] = [];
  const refused: string[] = [];
  return {
    queue,
    begun,
    refused,
    /** Lets a call wait; once begun it works for `workMs`. */
    arrive(
      lane: Lane,
      share: string,
      { workMs = 1, isExempt = false, isAskedOnce = false } = {},
    ): void {
      void queue.turn({ lane, share, isExempt, isAskedOnce }).then((mayBegin) => {
        if (!mayBegin) {
          refused.push(share);
          return;
        }
        begun.push(share);
        nowMs += workMs;
      });
    },
    /** Runs one pass of the loop, as Node does: each immediate, then its microtasks. */
    async pass(): Promise<void> {
      const runs = pass;
      pass = [];
      for (const run of runs) {
        run();
        for (let turn = 0; turn < 4; turn += 1) await Promise.resolve();
      }
    },
    async wait(forMs: number): Promise<void> {
      nowMs += forMs;
      const due = timers.filter(({ atMs }) => atMs <= nowMs);
      timers = timers.filter(({ atMs }) => atMs > nowMs);
      for (const { run } of due) run();
      await this.pass();
    },
  };
}

describe('calls that wait for their turn', () => {
  it('begin in the order of their lanes, whoever came first', async () => {
    const { arrive, pass, begun } = startQueue();
    for (const lane of ['suspects', 'strangers', 'users', 'trades'] as const)
      arrive(lane, lane, { workMs: 0.1 });
    await pass();
    expect(begun).toEqual(['trades', 'users', 'strangers', 'suspects']);
  });

  it('of a user who asks once go before those of one who asked 60 times', async () => {
    const { arrive, pass, begun } = startQueue();
    for (let call = 0; call < 60; call += 1) arrive('users', 'greedy');
    await pass();
    const before = begun.length;
    arrive('users', 'modest');
    await pass();
    expect([before, begun.slice(before)]).toEqual([4, ['modest', 'greedy', 'greedy', 'greedy']]);
  });

  it('share by the time they take, not by their number', async () => {
    const { arrive, pass, begun } = startQueue();
    for (let call = 0; call < 20; call += 1) {
      arrive('users', 'heavy', { workMs: 3 });
      arrive('users', 'light', { workMs: 1 });
    }
    for (let count = 0; count < 6; count += 1) await pass();
    expect([
      begun.filter((share) => share === 'heavy').length,
      begun.filter((share) => share === 'light').length,
    ]).toEqual([6, 15]);
  });

  it('get no credit for having been away', async () => {
    const { arrive, pass, begun } = startQueue();
    for (let call = 0; call < 30; call += 1) arrive('users', 'steady');
    for (let count = 0; count < 3; count += 1) await pass();
    for (let call = 0; call < 8; call += 1) arrive('users', 'back');
    begun.length = 0;
    await pass();
    await pass();
    expect(begun.filter((share) => share === 'steady').length).toBe(4);
  });

  it('work for a bounded time before the sockets are looked at again', async () => {
    const { arrive, pass, begun } = startQueue();
    for (let call = 0; call < 10; call += 1) arrive('users', 'a');
    await pass();
    expect(begun.length).toBe(ADMISSION.passMs);
  });

  it('of strangers get a part of the time however much known users ask for', async () => {
    const { arrive, pass, begun } = startQueue();
    for (let call = 0; call < 40; call += 1) arrive('users', `user ${call}`);
    for (let call = 0; call < 10; call += 1) arrive('strangers', 'stranger');
    for (let count = 0; count < 5; count += 1) await pass();
    expect([begun.length, begun.filter((share) => share === 'stranger').length]).toEqual([
      20,
      20 / ADMISSION.strangersEvery,
    ]);
  });

  it('and will be refused get a tenth of the time, even when no other caller asks', async () => {
    const world = startQueue();
    for (let call = 0; call < 60; call += 1) world.arrive('suspects', 'flood');
    await world.pass();
    for (let ms = 0; ms < 100; ms += 1) await world.wait(1);
    // within 100 ms of waiting and 12 of theirs
    expect(world.begun.length).toBe(12);
  });

  it('are not kept waiting by those that will be refused', async () => {
    const { arrive, pass, begun } = startQueue();
    for (let call = 0; call < 60; call += 1) arrive('suspects', 'flood');
    await pass();
    arrive('users', 'modest');
    await pass();
    expect(begun).toEqual(['flood', 'modest']);
  });

  it.each<Lane>(['trades', 'users', 'strangers', 'suspects'])(
    'are bounded by share and in all among %s',
    async (lane) => {
      const { perShare, all } = ADMISSION.waitingMaximum[lane];
      const { arrive, refused } = startQueue();
      for (let call = 0; call <= perShare; call += 1) arrive(lane, 'flood');
      for (let call = 0; call <= all - perShare; call += 1) arrive(lane, `other ${call}`);
      arrive(lane, 'health', { isExempt: true });
      await Promise.resolve();
      expect(refused).toEqual(['flood', `other ${all - perShare}`]);
    },
  );

  it('are refused when they waited too long, orders, questions of health and files of pages apart', async () => {
    const world = startQueue();
    world.arrive('trades', 'order');
    world.arrive('users', 'read');
    world.arrive('strangers', 'health', { isExempt: true });
    world.arrive('strangers', 'style sheet', { isAskedOnce: true });
    await world.wait(ADMISSION.waitMaximumMs + 1);
    expect([world.begun.toSorted(), world.refused]).toEqual([
      ['health', 'order', 'style sheet'],
      ['read'],
    ]);
  });

  it('are a crowd from a bound on', () => {
    const { arrive, queue } = startQueue();
    const seen = Array.from({ length: ADMISSION.crowdedFrom }, () => {
      const isCrowded = queue.isCrowded('suspects');
      arrive('suspects', 'flood');
      return isCrowded;
    });
    expect([seen.includes(true), queue.isCrowded('suspects')]).toEqual([false, true]);
  });
});
