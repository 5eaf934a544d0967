import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asId, type Address } from '../../../src/domain/ids.ts';
import type { DurableRecord, ExchangeSnapshot } from '../../../src/sandbox/engine/durable.ts';
import { openWorldStore, type WorldStore } from '../../../src/sandbox/storage/persistence.ts';

const PRICES = { second: 0, logScale: 0, logPrices: [], returns: [] };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-world-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function begun(): WorldStore {
  const store = openWorldStore(folder, 7);
  store.begin(() => ({ seed: 7, foundedAtMs: 1, prices: PRICES }));
  return store;
}

function balance(micros: number): DurableRecord {
  return {
    kind: 'holding',
    holding: { account: asId<Address>('a'), holding: 'usdc', balance: micros },
  };
}

function snapshotOf(...records: readonly DurableRecord[]): ExchangeSnapshot {
  return { version: 1, records };
}

it('separates the records of venues, though their keys are the same', () => {
  const first = begun();
  for (const [id, micros] of [
    ['one', 5],
    ['other', 7],
  ] as const) {
    first.venue(id).begin(() => snapshotOf());
    first.venue(id).append([balance(1)]);
    first.venue(id).append([balance(micros)]);
  }
  // No close: the process is gone.
  const second = openWorldStore(folder, 7);
  expect(second.venue('one').snapshot).toEqual(snapshotOf(balance(5)));
  expect(second.venue('other').snapshot).toEqual(snapshotOf(balance(7)));
  expect(second.venue('newcomer').snapshot).toBeNull();
});

it('keeps of a venue that has not begun what the last run left', () => {
  const first = begun();
  first.venue('one').begin(() => snapshotOf(balance(5)));
  first.close();
  begun().close();
  expect(openWorldStore(folder, 7).venue('one').snapshot).toEqual(snapshotOf(balance(5)));
});
