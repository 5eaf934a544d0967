import { JOURNAL } from '../../config/limits/journal.ts';
import { assert } from '../domain/errors.ts';
import { leftSize, type TreeHashes } from '../domain/hash-tree.ts';
import type { Store, StoreReader, StoreWriter, Table } from '../ports/store.ts';

/** A root of the tree over the journal's links: of all entries up to a number. */
export interface TreeAnchor {
  /** Number of the last entry under it; also how many there are. */
  readonly entries: number;
  /** 64 hex digits. */
  readonly root: string;
  /** When it was made, wall time. */
  readonly atMs: number;
}

/**
 * Hashes of whole parts of the tree, never changed: [level, index], the part of the
 * `JOURNAL.tileEntries` ** level entries from `index` times as many on.
 */
export const TREE_TILES: Table<{ readonly hash: string }> = { name: 'journal_tree' };
/** The newest anchor: ['newest']. */
export const TREE_ANCHOR: Table<TreeAnchor> = { name: 'journal_tree_anchor' };

const { tileEntries, tilesPerCommit, treeCommitsPerAnchor } = JOURNAL;
const NEWEST = ['newest'];

/** What shows that an entry is under the newest anchor. */
interface EntryProof {
  /** Null before the first one. */
  readonly anchor: TreeAnchor | null;
  /**
   * Hashes from the leaf of the entry up to the root, each on the side that `pathSides` gives; null
   * for an entry that is newer than the anchor.
   */
  readonly path: readonly string[] | null;
}

/** A hash tree over the links of the journal's chain: proves an entry without those of others. */
export interface JournalTree {
  /**
   * Lets the tree grow to entry `upTo` and notes its root; null where there is no entry. Stops
   * short where it is far behind; the next call goes on from there. Errors: those of the store.
   */
  anchor(upTo: number): Promise<TreeAnchor | null>;
  prove(seq: number): EntryProof;
}

/** Makes the tree over what the store has of it. */
export function createJournalTree({
  store,
  hashes,
  clock,
}: {
  readonly store: Store;
  readonly hashes: TreeHashes;
  /** Wall time. */
  readonly clock: { nowMs(): number };
}): JournalTree {
  const newest = (): TreeAnchor | null => store.get(TREE_ANCHOR, NEWEST)?.value ?? null;

  /** One atomic change: an anchor and the tiles under it are there together, or not at all. */
  function grow(upTo: number): Promise<TreeAnchor> {
    return store.write((tx) => {
      const from = tilesIn(tx.get(TREE_ANCHOR, NEWEST)?.value.entries ?? 0);
      const until = Math.min(tilesIn(upTo), from + tilesPerCommit);
      for (let index = from; index < until; index += 1) putTile(tx, 1, index);
      const entries = until < tilesIn(upTo) ? until * tileEntries : upTo;
      const anchor = { entries, root: rootOf(tx, 0, entries), atMs: clock.nowMs() };
      tx.put(TREE_ANCHOR, NEWEST, anchor);
      return anchor;
    });
  }

  function putTile(tx: StoreWriter, level: number, index: number): void {
    const size = tileEntries ** level;
    tx.put(TREE_TILES, [level, index], { hash: partRoot(tx, index * size, size) });
    if ((index + 1) % tileEntries === 0) putTile(tx, level + 1, (index + 1) / tileEntries - 1);
  }

  /** Root of the part of `size` entries behind entry `after`, a stored one where there is one. */
  function rootOf(reader: StoreReader, after: number, size: number): string {
    const level = levelOf(size);
    const tile = level < 1 ? null : reader.get(TREE_TILES, [level, after / size]);
    return tile?.value.hash ?? partRoot(reader, after, size);
  }

  function partRoot(reader: StoreReader, after: number, size: number): string {
    if (size > tileEntries) {
      const left = leftSize(size);
      return hashes.node(rootOf(reader, after, left), rootOf(reader, after + left, size - left));
    }
    const links = store.readChain(after, size);
    assert(links.length === size, `the chain has ${size} links behind entry ${after}`);
    return fold(links.map(({ hash }) => hashes.leaf(hash)));
  }

  function fold(leaves: readonly string[]): string {
    const [first] = leaves;
    assert(first !== undefined, 'a tree that is folded has a leaf');
    if (leaves.length === 1) return first;
    const left = leftSize(leaves.length);
    return hashes.node(fold(leaves.slice(0, left)), fold(leaves.slice(left)));
  }

  function pathTo(index: number, after: number, size: number): readonly string[] {
    if (size === 1) return [];
    const left = leftSize(size);
    return index < after + left
      ? [...pathTo(index, after, left), rootOf(store, after + left, size - left)]
      : [...pathTo(index, after + left, size - left), rootOf(store, after, left)];
  }

  return {
    async anchor(upTo) {
      let anchor = newest();
      for (let commits = 0; commits < treeCommitsPerAnchor; commits += 1) {
        if ((anchor?.entries ?? 0) >= upTo) break;
        anchor = await grow(upTo);
      }
      return anchor;
    },
    prove(seq) {
      const anchor = newest();
      const isUnder = anchor !== null && seq >= 1 && seq <= anchor.entries;
      return { anchor, path: isUnder ? pathTo(seq - 1, 0, anchor.entries) : null };
    },
  };
}

function tilesIn(entries: number): number {
  return Math.floor(entries / tileEntries);
}

/** The level of a whole tile of that size; 0 where none is of it. */
function levelOf(size: number): number {
  let [level, tile] = [0, 1];
  while (tile < size) [level, tile] = [level + 1, tile * tileEntries];
  return tile === size ? level : 0;
}
