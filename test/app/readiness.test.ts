import { describe, expect, it } from 'vitest';
import { VENUE_DOOR } from '../../config/limits/risk.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { createReadiness } from '../../src/app/readiness.ts';
import { asId } from '../../src/domain/ids.ts';
import { afterDoorAnswer, OPEN_DOOR } from '../../src/domain/venue-door.ts';
import { STOPS, VENUE_DOORS } from '../../src/services/books/tables.ts';
import { T0 } from '../support/builders.ts';

/** Names of the checks that fail. */
const SHUT = afterDoorAnswer(
  OPEN_DOOR,
  { intentId: asId('int_1'), isTurnedAway: true, atMs: T0 },
  VENUE_DOOR,
);

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
    await store.write((tx) => tx.put(VENUE_DOORS, ['venue_a'], SHUT));
    expect(failing(store)).toEqual(['venue']);
    await store.write((tx) => {
      tx.put(STOPS, ['all'], { stopped: true, reason: 'alarm', atMs: T0 });
      tx.put(VENUE_DOORS, ['venue_a'], { kind: 'promised', doubtMs: 0 });
    });
    expect(failing(store)).toEqual(['trading']);
  });

  it('is not given while the store does not answer', async () => {
    const store = createMemoryStore();
    await store.close();
    expect(failing(store)).toContain('store');
  });
});
