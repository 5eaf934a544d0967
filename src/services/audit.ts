import type { AuditAction } from '../domain/events.ts';
import type { UserId } from '../domain/ids.ts';
import type { StoreWriter } from '../ports/store.ts';

/** One line of the audit trail. Holds ids, names and masked text, never a secret. */
export interface AuditLine {
  readonly userId: UserId;
  readonly atMs: number;
  readonly action: AuditAction;
  /** What it was done to or with: an id, a name, a masked phone. */
  readonly subject: string;
  readonly detail?: string;
  /** Keyed digest of the caller's address; absent inside the house. */
  readonly origin?: string | null;
}

/** Writes a line into the journal, in the commit of what it tells of. */
export function audit(tx: StoreWriter, { detail, origin, ...line }: AuditLine): void {
  tx.append({ type: 'audit.recorded', ...line, detail: detail ?? null, origin: origin ?? null });
}
