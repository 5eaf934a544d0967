import { JOURNAL } from '../../../config/limits/journal.ts';
import type { JournalReader, RawRecord } from '../../adapters/lmdb/journal-reader.ts';
import { TREE_HASHES } from '../../adapters/memory/tree-hashes.ts';
import type { ChainLink } from '../../ports/store.ts';
import { TREE_ANCHOR, TREE_TILES } from '../../services/journal-tree.ts';

/** A root of the tree over the first entries that was noted somewhere. */
export interface NotedRoot {
  readonly entries: number;
  readonly root: string;
}

/** Compares the tree over the journal, as it was kept and noted, with the one its links make. */
export interface TreeCheck {
  /** The link of the next entry. What follows a missing one is not compared. */
  take(link: ChainLink): void;
  /** Looks for roots that were noted of more entries than there are. */
  finish(lastSeq: number): void;
}

interface Part {
  readonly size: number;
  readonly hash: string;
}

/** Makes the check; `find` takes what is wrong, under the number of the last entry it covers. */
export function createTreeCheck(
  reader: Pick<JournalReader, 'record'>,
  find: (seq: number, what: string) => void,
  noted: readonly NotedRoot[],
): TreeCheck {
  const anchor = reader.record(TREE_ANCHOR.name, ['newest']);
  const anchored = anchor === null ? null : rootIn(anchor);
  const roots = [...noted, ...(anchored === null ? [] : [anchored])];
  const tiled = anchored === null ? 0 : anchored.entries;
  /** Whole parts from the left on, each at most half as large as the one before. */
  const parts: Part[] = [];
  let entries = 0;

  function add(part: Part): void {
    compareTile(part);
    const last = parts.at(-1);
    if (last?.size !== part.size) return void parts.push(part);
    parts.pop();
    add({ size: last.size * 2, hash: TREE_HASHES.node(last.hash, part.hash) });
  }

  function compareTile({ size, hash }: Part): void {
    const level = Math.log2(size) / Math.log2(JOURNAL.tileEntries);
    if (level < 1 || !Number.isInteger(level) || entries > tiled) return;
    const row = reader.record(TREE_TILES.name, [level, entries / size - 1]);
    if (fieldsOf(row?.value)['hash'] !== hash)
      find(entries, `ends ${size} entries of which another hash was kept in ${TREE_TILES.name}`);
  }

  const root = (): string =>
    parts.reduceRight<string | null>(
      (right, { hash }) => (right === null ? hash : TREE_HASHES.node(hash, right)),
      null,
    ) ?? '';

  return {
    take({ seq, hash }) {
      if (seq !== entries + 1) return;
      entries = seq;
      add({ size: 1, hash: TREE_HASHES.leaf(hash) });
      if (roots.some((each) => each.entries === seq && each.root !== root()))
        find(seq, 'has another root up to it than the one that was noted');
    },
    finish(lastSeq) {
      if (anchor !== null && anchored === null)
        find(lastSeq, `is the newest, and the root in ${TREE_ANCHOR.name} cannot be read`);
      for (const noted of roots)
        if (noted.entries > lastSeq)
          find(
            lastSeq + 1,
            `is missing, and so is all up to ${noted.entries}: a root was noted of so many entries`,
          );
    },
  };
}

function rootIn({ value }: RawRecord): NotedRoot | null {
  const { entries, root } = fieldsOf(value);
  return Number.isSafeInteger(entries) && typeof root === 'string'
    ? { entries: Number(entries), root }
    : null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
