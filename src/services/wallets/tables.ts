import type { Address } from '../../domain/ids.ts';
import type { Table } from '../../ports/store.ts';

/** A user's Safe and how far it has come. */
export interface SafeRecord {
  /** Derived from the owner by the venue's rule (venue_a.md section 14.1), deployed or not. */
  readonly safe: Address;
  readonly isDeployed: boolean;
  /**
   * Name of the set of allowances it has given; null before. Ready to trade when it is that of the
   * configuration.
   */
  readonly allowanceSet: string | null;
  readonly updatedAtMs: number;
}

/** Safes: [userId]. */
export const SAFES: Table<SafeRecord> = { name: 'safes' };
