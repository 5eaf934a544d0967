import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JOURNAL } from '../../config/limits/journal.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { TREE_HASHES } from '../../src/adapters/memory/tree-hashes.ts';
import { leftSize, pathSides } from '../../src/domain/hash-tree.ts';
import type { Store } from '../../src/ports/store.ts';
import { createJournalTree } from '../../src/services/journal-tree.ts';
import { appendFacts } from '../support/journal-facts.ts';

const clock = { nowMs: () => 1_000 };
const treeOver = (store: Store) => createJournalTree({ store, hashes: TREE_HASHES, clock });
const linksIn = (store: Store) =>
  store.readChain(0, store.newestFact()).map(({ hash }) => Buffer.from(hash, 'hex'));

/** The root as RFC 6962 defines it, with nothing kept. */
function treeHash(leaves: readonly Buffer[]): Buffer {
  const sha = createHash('sha256');
  const [first] = leaves;
  if (leaves.length === 1 && first !== undefined)
    return sha.update(Buffer.of(0)).update(first).digest();
  const left = leftSize(leaves.length);
  return sha
    .update(Buffer.of(1))
    .update(treeHash(leaves.slice(0, left)))
    .update(treeHash(leaves.slice(left)))
    .digest();
}

function rootByPath(link: string, seq: number, size: number, path: readonly string[]): string {
  const sides = pathSides(seq - 1, size);
  expect(path).toHaveLength(sides.length);
  return path.reduce(
    (own, other, index) =>
      sides[index] === 'left' ? TREE_HASHES.node(other, own) : TREE_HASHES.node(own, other),
    TREE_HASHES.leaf(link),
  );
}

describe('the tree over the journal', () => {
  it('says on which side each hash of a path is, as in the example of RFC 6962', () => {
    // 2.1.3: of seven leaves d0 has [b, h, l], d3 [c, g, l], d4 [f, j, k], d6 [i, k].
    expect([0, 3, 4, 6].map((index) => pathSides(index, 7))).toEqual([
      ['right', 'right', 'right'],
      ['left', 'left', 'right'],
      ['right', 'right', 'left'],
      ['left', 'left'],
    ]);
  });

  it('has the root that RFC 6962 defines after each anchor, wherever parts of it end', async () => {
    const store = createMemoryStore();
    const tree = treeOver(store);
    expect([await tree.anchor(0), tree.prove(1)]).toEqual([null, { anchor: null, path: null }]);
    for (const size of [1, 2, 255, 256, 257, 600, 2_048, 2_305, 66_000]) {
      await appendFacts(store, size - store.newestFact());
      expect(await tree.anchor(size)).toEqual({
        entries: size,
        root: treeHash(linksIn(store)).toString('hex'),
        atMs: 1_000,
      });
    }
    for (const seq of [1, 256, 257, 65_536, 65_537, 66_000]) {
      const { anchor, path } = tree.prove(seq);
      const link = store.readChain(seq - 1, 1)[0]?.hash ?? '';
      expect(rootByPath(link, seq, 66_000, path ?? [])).toBe(anchor?.root);
    }
  });

  it('proves every entry up to the anchor and none behind it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 700 }), fc.nat(20), async (size, more) => {
        const store = createMemoryStore();
        const tree = treeOver(store);
        await appendFacts(store, size);
        const anchor = await tree.anchor(size);
        await appendFacts(store, more);
        for (const { seq, hash } of store.readChain(0, size))
          expect(rootByPath(hash, seq, size, tree.prove(seq).path ?? [])).toBe(anchor?.root);
        expect(tree.prove(size + 1)).toEqual({ anchor, path: null });
      }),
      { numRuns: 5 },
    );
  });

  it('goes on after a power failure as if there had been none, with the anchor or without it', async () => {
    for (const isKept of [true, false]) {
      const store = createMemoryStore();
      await appendFacts(store, 300);
      await treeOver(store).anchor(300);
      await appendFacts(store, 300);
      await store.flushed();
      await treeOver(store).anchor(600);
      const left = store.crash({ keptCommits: isKept ? 1 : 0 });
      expect(treeOver(left).prove(1).anchor?.entries).toBe(isKept ? 600 : 300);
      await appendFacts(left, 200);
      const anchor = await treeOver(left).anchor(800);
      expect(anchor?.root).toBe(treeHash(linksIn(left)).toString('hex'));
    }
  });

  it('takes a long journal that has no tree yet in parts, with an anchor of each', async () => {
    const { tileEntries, tilesPerCommit, treeCommitsPerAnchor } = JOURNAL;
    const part = tileEntries * tilesPerCommit * treeCommitsPerAnchor;
    const store = createMemoryStore();
    const size = part + 1_000;
    await appendFacts(store, size);
    const tree = treeOver(store);
    expect(await tree.anchor(size)).toMatchObject({ entries: part });
    expect(tree.prove(part + 1).path).toBeNull();
    expect(await tree.anchor(size)).toMatchObject({ entries: size });
    expect(tree.prove(part + 1).path).not.toBeNull();
  });
});
