import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { WindUpRecord } from '../../../src/domain/agent.ts';
import { createWindUps } from '../../../src/services/agents/wind-ups.ts';
import type { Commit } from '../../../src/services/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { WIND_UPS } from '../../../src/services/books/tables.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const WISH: WindUpRecord = {
  userId: aUserId(1),
  agentId: 'btc_5min',
  policy: 'cancel_only',
  sinceMs: T0,
};

/** Wind-ups of agents that have nothing open, which learn late of what they stored: `meanwhile` happens before. */
function slowWindUps(meanwhile: () => Promise<unknown>) {
  const clock = createVirtualClock(T0);
  const [store, bus, log, metrics] = [
    createMemoryStore(),
    createKeptBus(),
    createKeptLog(),
    createKeptMetrics(),
  ];
  const commit = createCommit({ store, bus, metrics });
  const late: Commit = async (change) => {
    const result = await commit(change);
    await meanwhile();
    return result;
  };
  const nothing = () => Promise.reject(new Error('nothing is open'));
  const receipts = {
    make: () => {
      throw new Error('nothing is sold');
    },
    put: () => undefined,
    write: nothing,
  };
  const windUps = createWindUps({
    store,
    bus,
    clock,
    log,
    commit: late,
    random: createSeededRandom('wind-ups'),
    orders: { place: nothing, cancel: nothing },
    receipts,
  });
  const wish = async () => {
    await store.write((tx) => tx.put(WIND_UPS, [WISH.userId, WISH.agentId], WISH));
    windUps.apply(WISH);
  };
  return { store, bus, clock, windUps, wish };
}

describe('winding an agent up', () => {
  it('L6: is done also for a stop that comes while the last word of the one before it is being stored', async () => {
    let times = 0;
    const { store, bus, clock, windUps, wish } = slowWindUps(async () => {
      times += 1;
      if (times === 1) await wish();
    });
    await wish();
    await clock.advance(20_000);
    expect([bus.entries.length, store.range(WIND_UPS), windUps.size]).toEqual([2, [], 0]);
  });
});
