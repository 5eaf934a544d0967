import type { AuditAction } from '../domain/events.ts';
import { AppError } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoreWriter } from '../ports/store.ts';
import type { Commit } from '../ports/commit.ts';

/** One line of the audit trail. Holds ids, names and masked text, never a secret. */
export interface AuditLine {
  readonly userId: UserId;
  readonly atMs: number;
  readonly action: AuditAction;
  /** What it was done to or with: an id, a name, a masked phone; the code of what was refused. */
  readonly subject: string;
  readonly detail?: string;
  /** Keyed digest of the caller's address; absent inside the service. */
  readonly origin?: string | null;
}

/** Writes a line into the journal, in the commit of what it tells of. */
export function audit(tx: StoreWriter, { detail, origin, ...line }: AuditLine): void {
  tx.append({ type: 'audit.recorded', ...line, detail: detail ?? null, origin: origin ?? null });
}

/**
 * Runs what a caller wants done with money and leaves a line, named by the code, when it is refused
 * for good: what passes by itself, like a Safe that is not ready yet, is no attempt at
 * anything.
 */
export async function auditRefusal<T>(
  { commit, clock }: { readonly commit: Commit; readonly clock: Clock },
  request: Pick<AuditLine, 'userId' | 'action' | 'detail'>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AppError && !error.retryable)
      await commit((tx) => audit(tx, { ...request, atMs: clock.nowMs(), subject: error.code }));
    throw error;
  }
}
