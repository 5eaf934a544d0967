import { beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { TREE_HASHES } from '../../../src/adapters/memory/tree-hashes.ts';
import { createTreeCheck, type NotedRoot } from '../../../src/tools/verify/verify-tree.ts';
import type { ChainLink, Key } from '../../../src/ports/store.ts';
import { createJournalTree, TREE_ANCHOR, TREE_TILES } from '../../../src/services/journal-tree.ts';
import { appendFacts } from '../../support/journal-facts.ts';

const ENTRIES = 700;
const NAMES = [TREE_ANCHOR.name, TREE_TILES.name];
const store = createMemoryStore();
const tree = createJournalTree({ store, hashes: TREE_HASHES, clock: { nowMs: () => 5 } });
let links: readonly ChainLink[] = [];
let root = '';

beforeAll(async () => {
  await appendFacts(store, ENTRIES);
  root = (await tree.anchor(ENTRIES))?.root ?? '';
  await appendFacts(store, 100);
  links = store.readChain(0, ENTRIES + 100);
});

/** Numbers of the entries with a finding; `over` are records as they lie there instead. */
function foundIn(
  chain: readonly ChainLink[],
  {
    noted = [],
    over = new Map(),
  }: { readonly noted?: readonly NotedRoot[]; readonly over?: ReadonlyMap<string, unknown> } = {},
): readonly number[] {
  const found: number[] = [];
  const record = (table: string, key: Key) => {
    expect(NAMES).toContain(table);
    const name = `${table} ${key.join()}`;
    if (over.has(name)) return { key, version: 1, value: over.get(name) };
    return store.get({ name: table }, key);
  };
  const check = createTreeCheck({ record }, (seq) => void found.push(seq), noted);
  for (const link of chain) check.take(link);
  check.finish(chain.at(-1)?.seq ?? 0);
  return found;
}

describe('verifying the tree over a journal', () => {
  it('finds nothing where it is what the links make, also of roots noted elsewhere', () => {
    expect(foundIn(links)).toEqual([]);
    expect(foundIn(links, { noted: [{ entries: ENTRIES, root }] })).toEqual([]);
  });

  it('names the end of each part that a changed link lies in, and the anchor', () => {
    const changed = links.map((link) =>
      link.seq === 300 ? { ...link, hash: 'ab'.repeat(32) } : link,
    );
    expect(foundIn(changed)).toEqual([512, ENTRIES]);
  });

  it.each([
    ['a kept part was changed', `${TREE_TILES.name} 1,0`, { hash: 'ab'.repeat(32) }, [256]],
    ['a kept part is gone', `${TREE_TILES.name} 1,1`, undefined, [512]],
    ['the root was changed', `${TREE_ANCHOR.name} newest`, { entries: 512, root: 'ab' }, [512]],
    ['the root cannot be read', `${TREE_ANCHOR.name} newest`, 7, [ENTRIES + 100]],
  ])('finds it where %s', (_, name, value, found) => {
    expect(foundIn(links, { over: new Map([[name, value]]) })).toEqual(found);
  });

  it('finds another root than one noted elsewhere, and one of entries that are gone', () => {
    expect(foundIn(links, { noted: [{ entries: 9, root: 'ab'.repeat(32) }] })).toEqual([9]);
    expect(foundIn(links.slice(0, 600))).toEqual([601]);
  });
});
