import { describe, expect, it } from 'vitest';
import { API } from '../../../config/limits/api.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createPublishScheduler } from '../../../src/http/live/publish-scheduler.ts';

const START_MS = 1_800_000_000_000;
const SHARD = API.socketsPerShard;
const { socketGatherMs: GATHER_MS, socketWritesBurst: BURST } = API;

/**
 * A scheduler of rounds that write to so many shards each, and the moments they were written to.
 */
function open({ shards }: { shards: number }) {
  const clock = createVirtualClock(START_MS);
  const writtenAtMs: number[] = [];
  const asked = { rounds: 0 };
  const scheduler = createPublishScheduler(clock, {
    cost: () => (asked.rounds > 0 ? shards * SHARD : 0),
    *run() {
      asked.rounds -= 1;
      for (let shard = 0; shard < shards; shard += 1) {
        writtenAtMs.push(clock.nowMs() - START_MS);
        yield SHARD;
      }
    },
  });
  const ask = (rounds = 1): void => {
    asked.rounds += rounds;
    scheduler.request();
  };
  return { clock, scheduler, writtenAtMs, ask };
}

describe('the scheduler of publishing', () => {
  it('gathers before the first round, keeps the pace after it, and runs what was asked for meanwhile', async () => {
    const { clock, writtenAtMs, ask } = open({ shards: 1 });
    ask(3);
    await clock.advance(1_000);
    ask();
    await clock.advance(1_000);
    expect(writtenAtMs).toEqual([
      ...[0, 1, 2].map((round) => GATHER_MS + round * API.socketFlushMs),
      1_000 + GATHER_MS,
    ]);
  });

  it('writes to one shard in a turn of the event loop, all of a round in the same moment up to the burst', async () => {
    const { clock, writtenAtMs, ask } = open({ shards: BURST / SHARD });
    ask();
    const turns: number[] = [];
    clock.after(GATHER_MS, () => turns.push(writtenAtMs.length));
    await clock.advance(GATHER_MS);
    expect([turns, writtenAtMs]).toEqual([[1], Array(BURST / SHARD).fill(GATHER_MS)]);
  });

  it('begins a round only when it can be paid for, so that its shards are not kept waiting for each other', async () => {
    const shards = BURST / SHARD;
    const { clock, writtenAtMs, ask } = open({ shards });
    ask(25);
    await clock.advance(10_000);
    const apartMs = (BURST * 1_000) / API.socketWritesPerSecond;
    const begins = Array.from({ length: 25 }, (_unused, round) => GATHER_MS + round * apartMs);
    expect(writtenAtMs).toEqual(begins.flatMap((atMs) => Array<number>(shards).fill(atMs)));
  });

  it('holds what is beyond the burst to the rate within a round as well', async () => {
    const { clock, writtenAtMs, ask } = open({ shards: (2 * BURST) / SHARD });
    ask(100);
    await clock.advance(10_000);
    const allowed = BURST + 10 * API.socketWritesPerSecond;
    expect(Math.abs(writtenAtMs.length * SHARD - allowed)).toBeLessThanOrEqual(SHARD);
  });

  it('saves no more than the burst while there is no write', async () => {
    const { clock, writtenAtMs, ask } = open({ shards: (4 * BURST) / SHARD });
    await clock.advance(3_600_000);
    ask();
    await clock.advance(GATHER_MS);
    expect(writtenAtMs.length).toBe(BURST / SHARD + 1);
  });

  it('drops the rest of a round, and what was asked for, when it is closed', async () => {
    const { clock, scheduler, writtenAtMs, ask } = open({ shards: (2 * BURST) / SHARD });
    ask(2);
    await clock.advance(GATHER_MS);
    const written = writtenAtMs.length;
    scheduler.close();
    await clock.advance(60_000);
    expect(writtenAtMs.length).toBe(written);
  });
});
