import { pathSides } from '../../../domain/hash-tree.ts';
import type { Output } from '../../api/routes.ts';
import { bytesIn, sha256 } from './hashing.ts';

type Proof = Output<'GET /api/agents/:agent/decisions/:id/proof'>;
type Anchor = NonNullable<Proof['anchor']>;

/** What a browser finds of a link on its way up to the newest root. */
export type Inclusion =
  | { readonly kind: 'included' | 'changed'; readonly anchor: Anchor }
  /** Entered since the newest anchor was made, of which there may be none yet. */
  | { readonly kind: 'not_anchored'; readonly anchor: Anchor | null };

/**
 * Hashes from the link of an entry up to the newest root: `changed` where it is not under that root
 * at its number. `seq` and `hash` are those of the link whose text was hashed, not of the proof.
 */
export async function checkInclusion(
  { seq, hash }: { readonly seq: number; readonly hash: string },
  { anchor, path }: Proof,
): Promise<Inclusion> {
  if (anchor === null || seq > anchor.entries) return { kind: 'not_anchored', anchor };
  const sides = pathSides(seq - 1, anchor.entries);
  if (path === null || path.length !== sides.length) return { kind: 'changed', anchor };
  let reached = await sha256([0], bytesIn(hash));
  for (const [index, each] of path.entries()) {
    const own = bytesIn(reached);
    const other = bytesIn(each);
    reached = await (sides[index] === 'left' ? sha256([1], other, own) : sha256([1], own, other));
  }
  return { kind: reached === anchor.root ? 'included' : 'changed', anchor };
}
