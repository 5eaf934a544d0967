import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { UnwindRecord } from '../../../src/domain/agent.ts';
import { createUnwinds } from '../../../src/services/agents/unwinds.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { UNWINDS } from '../../../src/services/books/tables.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const REQUEST: UnwindRecord = {
  userId: aUserId(1),
  agentId: 'btc_5min',
  policy: 'cancel_only',
  sinceMs: T0,
};

/**
 * Unwinds of agents that have nothing open, which learn late of what they stored: `meanwhile`
 * happens before.
 */
function slowUnwinds(meanwhile: () => Promise<unknown>) {
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
  const unwinds = createUnwinds({
    store,
    bus,
    clock,
    log,
    commit: late,
    random: createSeededRandom('wind-ups'),
    orders: { place: nothing, cancel: nothing },
    receipts,
  });
  const request = async () => {
    await store.write((tx) => tx.put(UNWINDS, [REQUEST.userId, REQUEST.agentId], REQUEST));
    unwinds.apply(REQUEST);
  };
  return { store, bus, clock, unwinds, request };
}

describe('winding an agent up', () => {
  it('L6: is done also for a stop that comes while the end of the one before it is being stored', async () => {
    let times = 0;
    const { store, bus, clock, unwinds, request } = slowUnwinds(async () => {
      times += 1;
      if (times === 1) await request();
    });
    await request();
    await clock.advance(20_000);
    expect([bus.entries.length, store.range(UNWINDS), unwinds.size]).toEqual([2, [], 0]);
  });
});
