import type { SwapRecord } from '../../domain/swap.ts';
import type { Table } from '../../ports/store.ts';
import type { OpenMark } from '../books/tables.ts';

/** Swaps and bridges: [userId, swapId]. Ids are in the order of their making. */
export const SWAPS: Table<SwapRecord> = { name: 'swaps' };
/** Those that have not ended: [userId, swapId]. At most SWAP.openPerUserMaximum a user. */
export const OPEN_SWAPS: Table<OpenMark> = { name: 'open_swaps' };
