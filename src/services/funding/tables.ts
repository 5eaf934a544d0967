import type { DepositRecord } from '../../domain/deposit.ts';
import type { DepositId } from '../../domain/ids.ts';
import type { TokenArrival } from '../../domain/token-arrival.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Table } from '../../ports/store.ts';
import type { OpenMark } from '../books/tables.ts';

/** How far redeeming one market for one user has come. */
export interface RedemptionRecord {
  /** Redemptions that failed. */
  readonly failures: number;
  /** Not tried again before this, epoch ms of people's time. */
  readonly nextAtMs: number;
  /**
   * Since when the chain has none of its shares in the Safe; absent as long as it has, or nobody
   * looked.
   */
  readonly emptySinceMs?: number;
}

/** A deposit that is not over. */
export interface OpenDeposit extends OpenMark {
  readonly isUnproven: boolean;
}

/** A deposit address that is followed. */
export interface DepositWatchRecord {
  /**
   * When somebody last asked for it, or the chain booked money of its owner; epoch ms of people's
   * time.
   */
  readonly askedAtMs: number;
}

/** Money that came in, as its user's list shows it. */
export interface ArrivalRecord {
  /** The ledger's name of it. */
  readonly transferId: string;
  readonly usdc: UsdcMicros;
  /**
   * Of the transaction that brought it to the Safe; null where the venue keeps its books by itself.
   */
  readonly transactionHash: string | null;
  /** How it came: `direct` is whatever is neither a transfer of ours nor told by the venue. */
  readonly via: 'safe_transfer' | 'direct' | 'venue';
  /** When it was booked, epoch ms of people's time. */
  readonly arrivedAtMs: number;
}

/** Money that came in: [userId, arrivedAtMs, transferId]. */
export const ARRIVALS: Table<ArrivalRecord> = { name: 'arrivals' };
/** Coins and tokens that came to users' own wallets: [userId, arrivedAtMs, arrivalId]. */
export const TOKEN_ARRIVALS: Table<TokenArrival> = { name: 'token_arrivals' };
/** When each was recorded: [userId, arrivalId]. */
export const TOKEN_ARRIVAL_TIMES: Table<Pick<TokenArrival, 'arrivedAtMs'>> = {
  name: 'token_arrival_times',
};
/** Redemptions that failed and are to be tried again: [userId, marketId]. */
export const REDEMPTIONS: Table<RedemptionRecord> = { name: 'redemptions' };
/**
 * Payments to deposit addresses: [userId, address, depositId]. At most DEPOSIT_WATCH.recordsMaximum
 * an address.
 */
export const DEPOSIT_RECORDS: Table<DepositRecord> = { name: 'deposits' };
/** Those that are not over: [userId, address, depositId]. */
export const OPEN_DEPOSITS: Table<OpenDeposit> = { name: 'open_deposits' };
/** Which deposit a booked transfer to a Safe is the credit of: [userId, transferId]. */
export const DEPOSIT_CREDITS: Table<DepositId> = { name: 'deposit_credits' };
/** Deposit addresses that are followed; one that is not here sleeps: [userId, address]. */
export const DEPOSIT_WATCHES: Table<DepositWatchRecord> = { name: 'deposit_watches' };
/**
 * The newest transaction that has moved something in a user's own wallet and is explained: [userId,
 * token, cash account or coin].
 */
export const WALLET_MARKS: Table<{ readonly transactionHash: string }> = { name: 'wallet_marks' };
