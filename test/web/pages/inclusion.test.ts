import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { TREE_HASHES } from '../../../src/adapters/memory/tree-hashes.ts';
import { createJournalTree } from '../../../src/services/journal-tree.ts';
import { checkInclusion } from '../../../src/web/pages/activity/inclusion.ts';
import { appendFacts } from '../../support/journal-facts.ts';

const SIZE = 400;
const store = createMemoryStore();
await appendFacts(store, SIZE);
const tree = createJournalTree({ store, hashes: TREE_HASHES, clock: { nowMs: () => 5 } });
await tree.anchor(SIZE);
await appendFacts(store, 1);
const linkAt = (seq: number) => store.readChain(seq - 1, 1)[0] ?? expect.unreachable();
const proofOf = (seq: number) => {
  const { anchor, path } = tree.prove(seq);
  return { seq, anchor: anchor ?? expect.unreachable(), path: [...(path ?? [])] };
};
/** Flips one bit of a hash. */
function flipped(hex: string, bit: number): string {
  const bytes = Buffer.from(hex, 'hex');
  const at = Math.floor(bit / 8);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit % 8)), at);
  return bytes.toString('hex');
}

describe('what a browser finds of a link up to the newest anchor', () => {
  it('is that entries under the anchor are there', async () => {
    for (let seq = 1; seq <= SIZE; seq += 3) {
      const found = await checkInclusion(linkAt(seq), proofOf(seq));
      expect([seq, found.kind]).toEqual([seq, 'included']);
    }
  });

  it('is changed with any bit flipped, of the link, of a hash on the way, of the root', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: SIZE }),
        fc.nat(20),
        fc.nat(255),
        async (seq, which, bit) => {
          const link = linkAt(seq);
          const { anchor, path } = proofOf(seq);
          const places = path.length + 2;
          const place = which % places;
          const found = await checkInclusion(
            place === path.length ? { seq, hash: flipped(link.hash, bit) } : link,
            {
              seq,
              anchor:
                place === path.length + 1 ? { ...anchor, root: flipped(anchor.root, bit) } : anchor,
              path: path.map((hash, index) => (index === place ? flipped(hash, bit) : hash)),
            },
          );
          expect(found.kind).toBe('changed');
        },
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    ['of the entry before', 300, (seq: number) => proofOf(seq - 1)],
    [
      'without its last hash',
      300,
      (seq: number) => ({ ...proofOf(seq), path: proofOf(seq).path.slice(1) }),
    ],
    [
      'with a hash too many',
      300,
      (seq: number) => ({ ...proofOf(seq), path: [...proofOf(seq).path, 'ab'.repeat(32)] }),
    ],
    [
      'that is missing though the anchor covers the entry',
      300,
      (seq: number) => ({ ...proofOf(seq), path: null }),
    ],
  ])('is changed with a path %s', async (_, seq, proof) => {
    expect((await checkInclusion(linkAt(seq), proof(seq))).kind).toBe('changed');
  });

  it('is that an entry of after the anchor, or before the first, is not anchored yet', async () => {
    const { anchor } = tree.prove(SIZE + 1);
    expect(await checkInclusion(linkAt(SIZE + 1), { seq: SIZE + 1, anchor, path: null })).toEqual({
      kind: 'not_anchored',
      anchor,
    });
    expect(await checkInclusion(linkAt(1), { seq: 1, anchor: null, path: null })).toEqual({
      kind: 'not_anchored',
      anchor: null,
    });
  });
});
