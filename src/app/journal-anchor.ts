import { JOURNAL } from '../../config/limits/journal.ts';
import type { Clock } from '../ports/clock.ts';
import { PublicHash, type Log } from '../ports/log.ts';
import type { Store } from '../ports/store.ts';

/** What noting the head needs. */
export interface JournalAnchorDeps {
  readonly store: Pick<Store, 'anchorChain'>;
  /** Wall time. */
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Makes the periodic task that notes the journal's head every JOURNAL.anchorIntervalMs, beside the
 * journal and, when it has moved, in the log: kept elsewhere, a line `journal.anchored` proves
 * later, by `verify-journal --head <seq>:<hash>`, that nothing up to it was cut off or rewritten.
 */
export function createJournalAnchor({ store, clock, log }: JournalAnchorDeps): () => void {
  let dueAtMs = clock.nowMs();
  let noted = -1;
  return () => {
    if (clock.nowMs() < dueAtMs) return;
    dueAtMs = clock.nowMs() + JOURNAL.anchorIntervalMs;
    store
      .anchorChain()
      .then((head) => {
        if (head.seq !== noted)
          log.info({ seq: head.seq, hash: new PublicHash(head.hash) }, 'journal.anchored');
        noted = head.seq;
      })
      .catch((error: unknown) => log.error({ error }, 'journal.anchor_failed'));
  };
}
