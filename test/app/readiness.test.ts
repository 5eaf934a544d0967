import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createReadiness } from '../../src/app/readiness.ts';
import { CLOSED_BREAKER } from '../../src/domain/settlement-breaker.ts';
import { doorKey } from '../../src/services/orders/venue-door.ts';
import { BREAKERS, STOPS } from '../../src/services/tables.ts';
import { T0 } from '../support/builders.ts';

/** Names of the checks that fail. */
function failing(store: ReturnType<typeof createMemoryStore>): readonly string[] {
  const { ready, checks } = createReadiness({ store, core: { books: { all: () => [] } } })();
  const names = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  expect(ready).toBe(names.length === 0);
  return names;
}

describe('readiness', () => {
  it('is given while the house may trade, and not while it is stopped or its venue turns it away', async () => {
    const store = createMemoryStore();
    expect(failing(store)).toEqual([]);
    await store.write((tx) => tx.put(BREAKERS, doorKey('venue_a'), { ...CLOSED_BREAKER, openedAtMs: T0 }));
    expect(failing(store)).toEqual(['venue']);
    await store.write((tx) => {
      tx.put(STOPS, ['all'], { stopped: true, reason: 'alarm', atMs: T0 });
      tx.put(BREAKERS, doorKey('venue_a'), CLOSED_BREAKER);
    });
    expect(failing(store)).toEqual(['store']);
  });
});
