import type { CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import { departureEntry } from '../../domain/ledger-entries.ts';
import { openAttempt } from '../../domain/order.ts';
import { formatMicros, usdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, StoreReader, StoreWriter } from '../../ports/store.ts';
import type { VenueAccounts } from '../../ports/venue.ts';
import { audit } from '../audit.ts';
import { balanceOf, postToLedger } from '../books/record-changes.ts';
import { FILLS, OPEN_FILLS, OPEN_HOLDS, OPEN_ORDERS, ORDERS } from '../books/tables.ts';
import type { Commit } from '../commit.ts';
import { openTransactions } from '../transactions/transaction-records.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import { bookArrival } from './movement-booking.ts';

/** USDC in users' own wallets, which nobody tells of but the chain. */
export interface WalletCash {
  /**
   * Compares what the chain shows of a user's wallet with the books, and books the difference once:
   * as arrived or as left by the owner's own hand (L4). Only while nothing of ours is on its way in
   * that wallet, for what an order or a transfer has taken out is not gone. Resolves with how many
   * arrivals were new. Errors: `chain_unavailable`, `store_unavailable`.
   */
  sync(userId: UserId): Promise<number>;
}

/** What the comparison works with. */
export interface WalletCashDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly cashAccount: CashAccount;
  readonly chain: Web3ChainId;
  readonly accounts: Pick<VenueAccounts, 'collateral'>;
  /** People's and the chain's time. */
  readonly clock: Clock;
  /** The markets' time, in which the books are kept. */
  readonly marketClock: Clock;
  readonly log: Log;
}

/** Makes the comparison. */
export function createWalletCash(deps: WalletCashDeps): WalletCash {
  const { store, commit, accounts, log } = deps;
  return {
    async sync(userId) {
      if (!isQuiet(deps, store, userId)) return 0;
      const booked = balanceOf(store, userId, deps.cashAccount).settled;
      const shown = await accounts.collateral(userId);
      if (shown === booked) return 0;
      // What moves at that moment is seen twice as different amounts.
      if ((await accounts.collateral(userId)) !== shown) return 0;
      const isBooked = await commit((tx) => book(deps, tx, { userId, booked, shown }));
      if (!isBooked) return 0;
      if (shown > booked) {
        log.info({ userId, usdc: shown - booked }, 'funding.deposits_booked');
        return 1;
      }
      log.error({ userId, usdc: booked - shown }, 'money.departed');
      return 0;
    },
  };
}

interface Difference {
  readonly userId: UserId;
  readonly booked: number;
  readonly shown: number;
}

/**
 * Books a difference where the books still say what they said before the chain was asked, and
 * nothing has begun since.
 */
function book(
  deps: WalletCashDeps,
  tx: StoreWriter,
  { userId, booked, shown }: Difference,
): boolean {
  const { cashAccount, chain } = deps;
  if (!isQuiet(deps, tx, userId) || balanceOf(tx, userId, cashAccount).settled !== booked)
    return false;
  const [nowMs, bookedAtMs] = [deps.clock.nowMs(), deps.marketClock.nowMs()];
  const usdc = usdcMicros(Math.abs(shown - booked));
  // The same step from the same books is made once.
  const transferId = `${chain}:${nowMs}:${booked}-${shown}`;
  if (shown > booked)
    return bookArrival(
      tx,
      { userId, cashAccount, transferId, usdc, transactionHash: null, via: 'direct' },
      { nowMs, bookedAtMs },
    );
  const entry = departureEntry({ userId, cashAccount, transferId, usdc, atMs: bookedAtMs });
  if (!postToLedger(tx, userId, entry)) return false;
  audit(tx, {
    userId,
    atMs: nowMs,
    action: 'money_departed',
    subject: transferId,
    detail: `${formatMicros(usdc)} USDC left the wallet by its owner's key, past us`,
  });
  return true;
}

/**
 * Reports whether nothing of ours is on its way in the wallet: no attempt at an order, no fill that
 * is not final, no transfer.
 */
function isQuiet(
  { cashAccount, chain }: Pick<WalletCashDeps, 'cashAccount' | 'chain'>,
  reader: StoreReader,
  userId: UserId,
): boolean {
  const prefix = [userId];
  const isOut = reader.range(OPEN_ORDERS, { prefix }).some(({ key }) => {
    const order = reader.get(ORDERS, key)?.value;
    return order?.intent.cashAccount === cashAccount && openAttempt(order) !== null;
  });
  const isSettling = reader
    .range(OPEN_FILLS, { prefix })
    .some(({ key }) => reader.get(FILLS, key)?.value.cashAccount === cashAccount);
  const isLeaving =
    reader.range(OPEN_HOLDS, { prefix }).some(({ value }) => value.cashAccount === cashAccount) ||
    openTransactions(reader, userId).some(({ account }) => account.chain === chain);
  return !isOut && !isSettling && !isLeaving;
}
