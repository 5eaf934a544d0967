import type { Table } from '../../ports/store.ts';

/** How far redeeming one market for one user has come. */
export interface RedemptionRecord {
  /** Redemptions that failed. */
  readonly failures: number;
  /** Not tried again before this, epoch ms of people's time. */
  readonly nextAtMs: number;
}

/** Redemptions that failed and are to be tried again: [userId, marketId]. */
export const REDEMPTIONS: Table<RedemptionRecord> = { name: 'redemptions' };
