import { describe, expect, it } from 'vitest';
import { READY } from '../../config/limits/figures.ts';
import { VENUE_ACCESS } from '../../config/limits/risk.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';

import { countedStore } from '../../src/app/counted-store.ts';
import { createReadiness, type ReadinessDeps } from '../../src/app/readiness.ts';
import { createStoreProbe } from '../../src/app/store-probe.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId } from '../../src/domain/ids.ts';
import { afterAccessAnswer, OPEN_ACCESS } from '../../src/domain/venue-access.ts';
import type { StoppedQueue } from '../../src/services/transactions/transactions.ts';
import { STOPS, VENUE_ACCESS_STATES } from '../../src/services/books/tables.ts';
import { T0 } from '../support/builders.ts';
import { createKeptMetrics } from '../support/quiet.ts';
import { VENUE_A, VENUE_B, VENUE_C } from '../support/venue-ids.ts';

const SHUT = afterAccessAnswer(
  OPEN_ACCESS,
  { intentId: asId('int_1'), isTurnedAway: true, atMs: T0 },
  VENUE_ACCESS,
);

type Books = ReadinessDeps['core']['venues'][number]['books'];
const NONE: Books = { all: () => [] };
// of a book only its distrust is looked at
const DOUBTED = { all: () => [{ distrust: () => 'gap' }] } as unknown as Books;
const FIRST = { venue: { id: VENUE_A, cashAccount: 'usdc:safe' }, books: NONE } as const;
const ANSWERING = { problems: () => [] };
const ONE: ReadinessDeps['core'] = { venues: [FIRST], closedVenues: [] };

const aStore = () => countedStore(createMemoryStore(), createKeptMetrics());

function failing(
  store: ReadinessDeps['store'],
  core = ONE,
  queues: readonly StoppedQueue[] = [],
  chainHealth: ReadinessDeps['chainHealth'] = ANSWERING,
  silentMs = 0,
) {
  const { ready, checks } = createReadiness({
    store,
    core,
    chainHealth,
    feedsSilentMs: () => silentMs,
    transactions: { stopped: () => queues },
  })();
  const failed = checks.filter(({ ok }) => !ok);
  return { ready, names: failed.map(({ name }) => name), says: failed.map(({ detail }) => detail) };
}

describe('readiness', () => {
  it('is given while the service may trade, and not while trading is stopped or its venue turns it away', async () => {
    const store = aStore();
    expect(failing(store)).toMatchObject({ ready: true, names: [] });
    await store.write((tx) => tx.put(VENUE_ACCESS_STATES, ['venue_a'], SHUT));
    expect(failing(store)).toMatchObject({ ready: false, names: ['venue'] });
    await store.write((tx) => {
      tx.put(STOPS, ['all'], { stopped: true, reason: 'alarm', atMs: T0, policy: 'keep' });
      tx.put(VENUE_ACCESS_STATES, ['venue_a'], { kind: 'promised', doubtMs: 0 });
    });
    expect(failing(store)).toMatchObject({ ready: false, names: ['trading'] });
  });

  it('is not given while no feed answers whoever reads from feeds', () => {
    expect(failing(aStore(), ONE, [], ANSWERING, READY.feedsSilentMs - 1).ready).toBe(true);
    expect(failing(aStore(), ONE, [], ANSWERING, READY.feedsSilentMs)).toEqual({
      ready: false,
      names: ['feeds'],
      says: ['no feed has answered for 10 s'],
    });
  });

  it('names every venue with a problem, and is given while another one is well', async () => {
    const store = aStore();
    const core: ReadinessDeps['core'] = {
      venues: [FIRST, { venue: { id: VENUE_B, cashAccount: 'usdc:solana' }, books: DOUBTED }],
      closedVenues: [{ id: VENUE_C, cashAccount: 'usdc:base', reason: 'no key' }],
    };
    expect(failing(store, core)).toEqual({
      ready: true,
      names: ['venue', 'books'],
      says: ['venue_c could not be opened: no key', '0 of 1 books of venue_b are trusted'],
    });
    await store.write((tx) => tx.put(VENUE_ACCESS_STATES, ['venue_a'], SHUT));
    expect(failing(store, core).ready).toBe(false);
  });

  it('names queues of transactions that stand still, and is given all the same', () => {
    const queue: StoppedQueue = {
      userId: asId('usr_1'),
      transactionId: asId('tx_1'),
      chain: 'POLYGON',
      kind: 'lend',
    };
    expect(failing(aStore(), ONE, [queue])).toEqual({
      ready: true,
      names: ['transactions'],
      says: [
        '1 queues of transactions stand still: tx_1 on chain POLYGON is of the unknown kind "lend"',
      ],
    });
  });

  it('names a chain that does not answer, and is not given while every venue needs one', () => {
    const store = aStore();
    const core: ReadinessDeps['core'] = {
      venues: [FIRST, { venue: { id: VENUE_B, cashAccount: 'usdc:solana' }, books: NONE }],
      closedVenues: [],
    };
    const lost = (...chains: readonly ('POLYGON' | 'SOLANA' | 'BSC')[]) => ({
      problems: () => chains.map((chain) => ({ chain, sentence: `${chain} is silent` })),
    });
    expect(failing(store, core, [], lost('POLYGON'))).toEqual({
      ready: true,
      names: ['chains'],
      says: ['POLYGON is silent'],
    });
    expect(failing(store, core, [], lost('BSC')).ready).toBe(true);
    expect(failing(store, core, [], lost('POLYGON', 'SOLANA')).ready).toBe(false);
  });

  it('is not given while changes cannot be stored, says why, and is given again once one was stored', async () => {
    const memory = createMemoryStore();
    const disk = { isFull: true };
    const store = countedStore(
      {
        ...memory,
        write: (change) =>
          disk.isFull
            ? Promise.reject(new AppError('store_unavailable', 'no space left on device'))
            : memory.write(change),
      },
      createKeptMetrics(),
    );
    const probe = createStoreProbe(store);
    probe();
    expect(failing(store).ready).toBe(true);
    await expect(store.write(() => undefined)).rejects.toThrow('no space');
    probe();
    await store.flushed();
    expect(failing(store)).toEqual({
      ready: false,
      names: ['store'],
      says: ['changes cannot be stored: no space left on device'],
    });
    disk.isFull = false;
    probe();
    await store.flushed();
    expect(failing(store)).toMatchObject({ ready: true, names: [] });
  });

  it('is given where a change was undone by itself', async () => {
    const store = aStore();
    const undone = store.write(() => {
      throw new AppError('conflict', 'known already');
    });
    await expect(undone).rejects.toThrow('known already');
    expect(failing(store).ready).toBe(true);
  });

  it('is not given while the store does not answer', async () => {
    const store = aStore();
    await store.close();
    expect(failing(store)).toMatchObject({ ready: false });
    expect(failing(store).names).toContain('store');
  });
});
