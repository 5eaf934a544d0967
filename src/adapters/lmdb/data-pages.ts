import { readSync } from 'node:fs';

/**
 * Layout of a page of LMDB 0.9.90 (struct MDB_page_header, struct MDB_node, mdb.c): little endian,
 * pointers relative to the header's end.
 */
const HEADER_BYTES = 24;
const FLAGS_AT = 18;
const LOWER_AT = 20;
const BRANCH = 0x01;
const LEAF = 0x02;
const OVERFLOW = 0x04;
const NODE_BYTES = 8;
const NODE_FLAGS_AT = 4;
const KEY_BYTES_AT = 6;
const BIG_DATA = 0x01;
const SUB_TREE = 0x02;
/** Where a sub-tree's record names its root (struct MDB_db). */
const SUB_ROOT_AT = 40;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** Which pages of a file to read. */
export interface PageTrees {
  readonly pageSize: number;
  readonly roots: readonly bigint[];
}

/** A page that is pointed at, and what it may be. */
interface Wanted {
  readonly number: bigint;
  readonly kinds: number;
}

/**
 * True when every page that a tree points at is there and is what it should be. Reads each once.
 */
export function arePagesWhole(descriptor: number, { pageSize, roots }: PageTrees): boolean {
  const page = Buffer.alloc(pageSize);
  const wanted: Wanted[] = roots.map((number) => ({ number, kinds: BRANCH | LEAF }));
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    if (next.number === NO_PAGE) continue;
    const isThere =
      readSync(descriptor, page, 0, pageSize, next.number * BigInt(pageSize)) === pageSize;
    const flags = page.readUInt16LE(FLAGS_AT);
    if (!isThere || page.readBigUInt64LE(0) !== next.number || (flags & next.kinds) === 0)
      return false;
    if ((flags & (BRANCH | LEAF)) === 0) continue;
    const found = nodesOf(page).map((node) =>
      (flags & BRANCH) === 0 ? behindLeaf(page, node) : behindBranch(page, node),
    );
    if (found.includes(undefined)) return false;
    wanted.push(...found.filter((each) => each !== undefined && each !== null));
  }
  return true;
}

/** Where the nodes of a page begin. */
function nodesOf(page: Buffer): readonly number[] {
  const count = Math.min(page.readUInt16LE(LOWER_AT), page.length - HEADER_BYTES) >> 1;
  return Array.from(
    { length: count },
    (_, index) => page.readUInt16LE(HEADER_BYTES + index * 2) + HEADER_BYTES,
  );
}

/** The page a branch points at; undefined where the node does not fit its page. */
function behindBranch(page: Buffer, node: number): Wanted | undefined {
  if (node + NODE_BYTES > page.length) return undefined;
  return {
    number:
      BigInt(page.readUInt32LE(node)) | (BigInt(page.readUInt16LE(node + NODE_FLAGS_AT)) << 32n),
    kinds: BRANCH | LEAF,
  };
}

/**
 * The page a record of a leaf points at, null where it lies in the leaf itself; undefined where the
 * node does not fit its page.
 */
function behindLeaf(page: Buffer, node: number): Wanted | null | undefined {
  if (node + NODE_BYTES > page.length) return undefined;
  const flags = page.readUInt16LE(node + NODE_FLAGS_AT);
  const data = node + NODE_BYTES + page.readUInt16LE(node + KEY_BYTES_AT);
  if ((flags & (BIG_DATA | SUB_TREE)) === 0) return null;
  const at = data + ((flags & SUB_TREE) === 0 ? 0 : SUB_ROOT_AT);
  if (at + 8 > page.length) return undefined;
  return {
    number: page.readBigUInt64LE(at),
    kinds: (flags & SUB_TREE) === 0 ? OVERFLOW : BRANCH | LEAF,
  };
}
