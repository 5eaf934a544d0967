import { JOURNAL } from '../../config/limits/journal.ts';
import type { Clock } from '../ports/clock.ts';
import { PublicHash, type Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';
import type { JournalTree } from '../services/journal-tree.ts';

/**
 * Makes the periodic task that notes the journal's head every JOURNAL.anchorIntervalMs, beside the
 * journal and, when it has moved, in the log, and lets the tree over the journal reach it: kept
 * elsewhere, a line `journal.anchored` proves later, by `verify-journal --head <seq>:<hash>` and
 * `--root <entries>:<root>`, that nothing up to it was cut off or rewritten.
 */
export function createJournalAnchor({
  store,
  tree,
  clock,
  log,
}: {
  readonly store: Pick<Store, 'anchorChain'>;
  readonly tree: Pick<JournalTree, 'anchor'>;
  /** Wall time. */
  readonly clock: Clock;
  readonly log: Log;
}): () => void {
  let dueAtMs = clock.nowMs();
  let noted = -1;
  return () => {
    if (clock.nowMs() < dueAtMs) return;
    dueAtMs = clock.nowMs() + JOURNAL.anchorIntervalMs;
    store
      .anchorChain()
      .then(async (head) => {
        if (head.seq === noted) return;
        const anchor = await tree.anchor(head.seq);
        log.info(
          {
            seq: head.seq,
            hash: new PublicHash(head.hash),
            ...(anchor === null
              ? {}
              : { entries: anchor.entries, root: new PublicHash(anchor.root) }),
          },
          'journal.anchored',
        );
        if (anchor === null || anchor.entries === head.seq) noted = head.seq;
      })
      .catch((error: unknown) => log.error({ error }, 'journal.anchor_failed'));
  };
}
