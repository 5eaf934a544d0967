import { hash } from 'node:crypto';
import type { TreeHashes } from '../../domain/hash-tree.ts';
import { LINK_BYTES } from './journal-chain.ts';

const leafBytes = Buffer.alloc(1 + LINK_BYTES, 0);
const nodeBytes = Buffer.alloc(1 + 2 * LINK_BYTES, 1);

/** Hashes of the tree as RFC 6962 has them: a leaf begins with a byte 0, a node with a byte 1. */
export const TREE_HASHES: TreeHashes = {
  leaf(link) {
    leafBytes.write(link, 1, 'hex');
    return hash('sha256', leafBytes);
  },
  node(left, right) {
    nodeBytes.write(left, 1, 'hex');
    nodeBytes.write(right, 1 + LINK_BYTES, 'hex');
    return hash('sha256', nodeBytes);
  },
};
