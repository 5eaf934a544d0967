import type { DepositRecord } from '../../domain/deposit.ts';
import type { Address, DepositId, MarketId } from '../../domain/ids.ts';
import type { TokenWarning } from '../../domain/token-listing.ts';
import type { TokenArrival } from '../../domain/token-arrival.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Table } from '../../ports/store.ts';
import type { BookedPayout } from '../books/payout-booking.ts';
import type { OpenMark } from '../books/tables.ts';

/** How far redeeming one market for one user has come. */
export interface RedemptionRecord {
  /** Redemptions that failed. */
  readonly failures: number;
  /** Not tried again before this, epoch ms of wall time. */
  readonly nextAtMs: number;
  /**
   * Since when the chain has none of its shares in the account; absent as long as it has, and
   * before the first reading.
   */
  readonly emptySinceMs?: number;
}

/** What one redemption has booked. */
export interface RedeemedPayouts {
  readonly payouts: readonly BookedPayout[];
  /** When, epoch ms of wall time. */
  readonly bookedAtMs: number;
}

/** A deposit that is not over. */
export interface OpenDeposit extends OpenMark {
  readonly isUnproven: boolean;
}

/** A deposit address that is followed. */
export interface DepositWatchRecord {
  /**
   * When it was last asked for, or the chain booked money of its owner; epoch ms of people's
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
  /** The block in which it came, in a user's own wallet; absent elsewhere. */
  readonly block?: number;
  /** How it came: `direct` is whatever is neither an own transfer nor reported by the venue. */
  readonly via: 'safe_transfer' | 'direct' | 'venue';
  /** When it was booked, epoch ms of wall time. */
  readonly arrivedAtMs: number;
  /** When it was taken out of the books, as its block was taken back; absent where it was not. */
  readonly takenBackAtMs?: number;
}

/** Money that left by its owner's key, of which the chain may be asked again. */
export interface DepartureRecord {
  /** The ledger's name of it. */
  readonly transferId: string;
  readonly usdc: UsdcMicros;
  readonly transactionHash: string;
  /** The block in which it left, as of an arrival. */
  readonly block?: number;
  /** When it was booked, epoch ms of wall time. */
  readonly departedAtMs: number;
  /** When it was put into the books again, as its block was taken back; absent where it was not. */
  readonly takenBackAtMs?: number;
}

/** An unverified token, as it described itself when it first came. */
export interface UnknownToken {
  /** Its address where its name speaks against it. */
  readonly symbol: string;
  readonly decimals: number;
  readonly warnings: readonly TokenWarning[];
}

/** A token's event that is not explained yet. */
export interface WaitingArrival {
  readonly owner: Address;
  readonly token: Address;
  /** Decimal text. */
  readonly units: string;
  readonly transactionHash: string;
}

/** What a wallet held of its chain's coin, and what it had signed by then. */
export interface CoinMark {
  /** Decimal text. */
  readonly wei: string;
  /** Transactions of the account by then. */
  readonly nonce: number;
  readonly block: number;
  /** Wall time. */
  readonly atMs: number;
}

/** Money that came in: [userId, arrivedAtMs, transferId]. */
export const ARRIVALS: Table<ArrivalRecord> = { name: 'arrivals' };
/** Money that left by its owner's key: [userId, departedAtMs, transferId]. */
export const DEPARTURES: Table<DepartureRecord> = { name: 'departures' };
/** Arrivals that were booked as the payout of a market: [userId, transferId]. */
export const REDEEMED_TRANSFERS: Table<{ readonly marketId: MarketId }> = {
  name: 'redeemed_transfers',
};
/** Coins and tokens that came to users' own wallets: [userId, arrivedAtMs, arrivalId]. */
export const TOKEN_ARRIVALS: Table<TokenArrival> = { name: 'token_arrivals' };
/** When each was recorded: [userId, arrivalId]. */
export const TOKEN_ARRIVAL_TIMES: Table<Pick<TokenArrival, 'arrivedAtMs'>> = {
  name: 'token_arrival_times',
};
/** Unknown tokens that came to a user's wallet, each once: [userId, chain, address]. */
export const UNKNOWN_TOKENS: Table<UnknownToken> = { name: 'unknown_tokens' };
/**
 * What came and is not decided on, while something of the user's own is under way that may explain
 * it: [chain, userId, block, place in the block, arrivalId].
 */
export const WAITING_ARRIVALS: Table<WaitingArrival> = { name: 'waiting_arrivals' };
/** The newest block whose arrivals in users' own wallets are recorded: [chain]. */
export const ARRIVAL_MARKS: Table<{ readonly block: number }> = { name: 'arrival_marks' };
/** A wallet's coin when it was last explained: [chain, userId]. */
export const COIN_MARKS: Table<CoinMark> = { name: 'coin_marks' };
/**
 * What a redemption in a user's own wallet has booked, for the case that its block is taken back:
 * [userId, transactionId].
 */
export const REDEEMED_PAYOUTS: Table<RedeemedPayouts> = { name: 'redeemed_payouts' };
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
/** Where the history of something in a user's own wallet is read from. */
export interface WalletMark {
  /** The newest transaction that has moved it and is explained, or the reads' own mark. */
  readonly transactionHash: string;
  /** When a mark of the reads' own was made, epoch ms of wall time; absent for a transaction. */
  readonly atMs?: number;
}

/** By [userId, token, cash account or coin]. */
export const WALLET_MARKS: Table<WalletMark> = { name: 'wallet_marks' };
