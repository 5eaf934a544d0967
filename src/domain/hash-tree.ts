/**
 * The shape of a hash tree over a list that only grows (RFC 6962, 2.1): the left part of a tree is
 * the largest power of two below its size. What hashes is the caller's.
 */

/** Hashes of the tree, from and to 64 hex digits. */
export interface TreeHashes {
  /** Of a link of the journal's chain. */
  leaf(link: string): string;
  node(left: string, right: string): string;
}

/** On which side of the way up from a leaf a hash is. */
export type Side = 'left' | 'right';

/** Leaves of the left part of a tree of at least two. */
export function leftSize(size: number): number {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
}

/**
 * On which side each hash of the path from a leaf up to the root is, in the order of the path.
 * `index` counts from 0 and is below `size`.
 */
export function pathSides(index: number, size: number): readonly Side[] {
  if (size <= 1) return [];
  const left = leftSize(size);
  return index < left
    ? [...pathSides(index, left), 'right']
    : [...pathSides(index - left, size - left), 'left'];
}
