import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { putSwap } from '../../src/services/swaps/swap-records.ts';
import { transfersUnderWay } from '../../src/services/transfers-under-way.ts';
import { aSwap } from '../support/fakes/fake-swaps.ts';

describe('what is under way of a user’s', () => {
  it('is a swap until it has ended, and not another user’s', async () => {
    const store = createMemoryStore();
    const before = aSwap({ state: 'queued' });
    const { userId, swapId } = before;
    await store.write((tx) => putSwap(tx, { before: null, after: before }));
    expect(transfersUnderWay(store, userId)).toEqual([{ kind: 'swap', id: swapId, isOver: false }]);
    const after = aSwap({ state: 'completed' });
    await store.write((tx) => putSwap(tx, { before, after }));
    expect(transfersUnderWay(store, userId)).toEqual([]);
  });
});
