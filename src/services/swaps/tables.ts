import type { CashAccount } from '../../domain/cash.ts';
import type { SwapRecord } from '../../domain/swap.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Table } from '../../ports/store.ts';
import type { OpenMark } from '../books/tables.ts';

/** USDC that came to one of a user's wallets. */
export interface CashArrival {
  readonly cashAccount: CashAccount;
  readonly usdc: UsdcMicros;
  /** Null for the sum of what no transaction explains. */
  readonly transactionHash: string | null;
}

/** Swaps and bridges: [userId, swapId]. Ids are in the order of their making. */
export const SWAPS: Table<SwapRecord> = { name: 'swaps' };
/** Those that have not ended: [userId, swapId]. At most SWAP.openPerUserMaximum a user. */
export const OPEN_SWAPS: Table<OpenMark> = { name: 'open_swaps' };
/**
 * What came while a swap was under way that may have brought it, or given it back, until that has
 * ended: [userId, transaction].
 */
export const POSSIBLE_ARRIVALS: Table<CashArrival> = { name: 'possible_refunds' };
