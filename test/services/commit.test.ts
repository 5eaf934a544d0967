import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createCommit } from '../../src/services/commit.ts';
import { STOPS } from '../../src/services/books/tables.ts';
import { aMarketId, T0 } from '../support/builders.ts';
import { createKeptBus, createKeptMetrics } from '../support/quiet.ts';

const resolved = {
  type: 'market.resolved',
  atMs: T0,
  marketId: aMarketId(1),
  resolution: { marketId: aMarketId(1), payoutTicks: [10_000, 0], resolvedAtMs: T0 },
} as const;

describe('a commit', () => {
  it('tells the bus after the disk, and what must leave before the bus', async () => {
    const reported: string[] = [];
    const bus = createKeptBus();
    bus.subscribe(() => void reported.push('bus'));
    const store = createMemoryStore({
      onCommit: () => void reported.push('committed'),
      onFlush: () => void reported.push('durable'),
    });
    const commit = createCommit({ store, bus, metrics: createKeptMetrics() });
    expect(
      await commit(
        (tx) => tx.append(resolved),
        (seq) => void reported.push(`left ${seq}`),
      ),
    ).toBe(1);
    expect(reported).toEqual(['committed', 'durable', 'left 1', 'bus']);
    expect(bus.entries).toEqual([{ seq: 1, event: resolved }]);
  });

  it('tells the bus in the order of the journal, however many are under way', async () => {
    const bus = createKeptBus();
    const commit = createCommit({
      store: createMemoryStore(),
      bus,
      metrics: createKeptMetrics(),
    });
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        for (let turn = 0; turn < index % 4; turn += 1) await Promise.resolve();
        await commit((tx) => tx.append(resolved));
      }),
    );
    expect(bus.entries.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it('tells nobody anything when the change throws', async () => {
    const bus = createKeptBus();
    const store = createMemoryStore();
    const commit = createCommit({ store, bus, metrics: createKeptMetrics() });
    const change = commit(
      (tx) => {
        tx.put(STOPS, ['all'], { stopped: true, reason: '', atMs: T0, policy: 'keep' });
        tx.append(resolved);
        throw new Error('no');
      },
      () => expect.unreachable('nothing is durable'),
    );
    await expect(change).rejects.toThrow('no');
    expect(bus.entries).toEqual([]);
    expect(store.get(STOPS, ['all'])).toBeNull();
  });
});
