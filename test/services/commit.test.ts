import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createCommit, createCommitOrder } from '../../src/services/commit.ts';
import { STOPS } from '../../src/services/books/tables.ts';
import { aMarketId, T0 } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { createKeptBus, createKeptMetrics } from '../support/quiet.ts';

const resolved = {
  type: 'market.resolved',
  atMs: T0,
  marketId: aMarketId(1),
  resolution: { marketId: aMarketId(1), payoutTicks: [10_000, 0], resolvedAtMs: T0 },
} as const;

/** A store whose flushes end when the test says so. */
function createSlowFlushes() {
  const flushes: { readonly resolve: () => void; readonly reject: (cause: Error) => void }[] = [];
  const store = {
    ...createMemoryStore(),
    flushed: () => new Promise<void>((resolve, reject) => void flushes.push({ resolve, reject })),
  };
  return { store, flushes };
}

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

  it('tells the bus in the order of the journal, whichever learns first that it is durable', async () => {
    const bus = createKeptBus();
    const { store, flushes } = createSlowFlushes();
    const deps = { store, bus, metrics: createKeptMetrics(), order: createCommitOrder() };
    const [commit, onPaper] = [createCommit(deps), createCommit(deps)];
    const commits = [commit, onPaper, commit].map((each) => each((tx) => tx.append(resolved)));
    const left: unknown[] = [];
    const last = commit(
      (tx) => tx.append(resolved),
      (seq) => left.push(seq),
    );
    await eventually(() => expect(flushes).toHaveLength(4));
    for (const flush of flushes.slice(1).reverse()) flush.resolve();
    await Promise.all([...commits.slice(1), last]);
    expect([left, bus.entries]).toEqual([[4], []]);
    flushes[0]?.resolve();
    await Promise.all(commits);
    expect(bus.entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('keeps nothing back for one that fails or appends nothing', async () => {
    const bus = createKeptBus();
    const { store, flushes } = createSlowFlushes();
    const commit = createCommit({ store, bus, metrics: createKeptMetrics() });
    const failing = commit((tx) => {
      tx.append(resolved);
      throw new Error('no');
    });
    const silent = commit(() => 'nothing');
    const committed = commit((tx) => tx.append(resolved));
    await expect(failing).rejects.toThrow('no');
    await eventually(() => expect(flushes).toHaveLength(2));
    flushes[1]?.resolve();
    await committed;
    expect(bus.entries.map(({ seq }) => seq)).toEqual([1]);
    flushes[0]?.resolve();
    await silent;
  });

  it('tells the bus of one that could not be flushed with the next that is, and before it', async () => {
    const bus = createKeptBus();
    const { store, flushes } = createSlowFlushes();
    const commit = createCommit({ store, bus, metrics: createKeptMetrics() });
    const [one, other] = [commit((tx) => tx.append(resolved)), commit((tx) => tx.append(resolved))];
    await eventually(() => expect(flushes).toHaveLength(2));
    flushes[0]?.reject(new Error('the disk'));
    await expect(one).rejects.toThrow('the disk');
    expect(bus.entries).toEqual([]);
    flushes[1]?.resolve();
    await other;
    expect(bus.entries.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('tells the bus also where what must leave before it fails', async () => {
    const bus = createKeptBus();
    const store = createMemoryStore();
    const commit = createCommit({ store, bus, metrics: createKeptMetrics() });
    const leaving = commit(
      (tx) => tx.append(resolved),
      () => {
        throw new Error('no');
      },
    );
    await expect(leaving).rejects.toThrow('no');
    expect(bus.entries).toEqual([{ seq: 1, event: resolved }]);
  });

  it('publishes nothing when the change throws', async () => {
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
