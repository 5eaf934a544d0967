import { BoundedMap } from '../../domain/bounded-map.ts';
import { WALLET } from '../../../config/limits/funds.ts';
import { cashAccountRow, type CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import { isResting, openAttempt, type OrderRecord } from '../../domain/order.ts';
import { usdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import type { WalletMovement, WalletReads } from '../../ports/venue.ts';
import { balanceOf } from '../books/record-changes.ts';
import { isLacking } from '../books/restores.ts';
import { FILLS, OPEN_FILLS, OPEN_HOLDS, OPEN_ORDERS, ORDERS } from '../books/tables.ts';
import { awaitSwapEnd } from '../swaps/swap-records.ts';
import { openTransactions } from '../transactions/transaction-records.ts';
import { bookArrival, bookDeparture } from './movement-booking.ts';
import { explain, type AskAgain } from './wallet-history.ts';
import { markOf, moveMark, putMark } from './wallet-marks.ts';

/**
 * What a reading leaves: nothing; nothing that could be compared while own transactions are under
 * way; something that is not final yet; or a difference between chain and books that nothing
 * explains.
 */
export type WalletRest = 'nothing' | 'moving' | 'unsettled' | 'unexplained';

/** What reading a wallet came to. */
export interface WalletReading {
  /** Arrivals that were new. */
  readonly arrived: number;
  readonly rest: WalletRest;
}

/** As part of adopting what a restored store lacks, or as usual. */
export type ReadKind = 'adopting' | 'usual';

/** USDC in users' own wallets, on which the chain alone reports. */
export interface WalletCash {
  /**
   * Compares what the chain shows of a user's wallet with the books, and books what makes the
   * difference, each transaction once under its own name: as arrived or as left by the owner's own
   * hand (L4). Only while no own transaction is on its way in that wallet, for what an order or a
   * transfer has taken out is not gone. What no final transaction explains through several looks is
   * booked as one sum. What a restored store lacks is booked while that is adopted alone. Errors:
   * `chain_unavailable`, `store_unavailable`.
   */
  read(userId: UserId, how?: ReadKind): Promise<WalletReading>;
}

export interface WalletCashDeps extends Pick<Runtime, 'store' | 'commit' | 'log'> {
  readonly cashAccount: CashAccount;
  readonly wallet: WalletReads;
  readonly askAgain: AskAgain;
  /** Wall time, that of the chain too. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
}

/** One movement of money, as it is booked. */
interface Moved extends Pick<WalletMovement, 'micros' | 'block'> {
  readonly transferId: string;
  readonly transactionHash: string | null;
}

interface Difference {
  readonly userId: UserId;
  readonly booked: number;
  readonly moved: readonly Moved[];
  /** The newest transaction that was looked at; null for one sum. */
  readonly newest: string | null;
}

/** A difference of one sum, and how often it was found. */
interface Unexplained {
  readonly micros: number;
  readonly readings: number;
  readonly countedAtMs: number;
}

/** Makes the comparison. */
export function createWalletCash(deps: WalletCashDeps): WalletCash {
  const { store, commit, wallet, cashAccount, askAgain, log } = deps;
  const { chain } = cashAccountRow(cashAccount);
  /** Looks in a row that found a difference of one sum and nothing to explain it. */
  const unexplained = new BoundedMap<string, Unexplained>(WALLET.usersRemembered);

  async function differenceOf(
    userId: UserId,
    booked: number,
    difference: number,
    how: ReadKind = 'usual',
  ): Promise<Difference | 'unsettled' | 'unexplained'> {
    const since = markOf(store, { userId, asset: cashAccount });
    const history = await wallet.history(userId, null, since);
    if (history.kind === 'unsettled') return 'unsettled';
    if (history.kind === 'read') {
      const place = { userId, chain, tokenId: null };
      const { movements } = history;
      const unbooked = await explain(store, place, { movements, difference, askAgain });
      if (unbooked === 'unsettled') return 'unsettled';
      if (unbooked !== null) {
        const moved = unbooked.map((one) => ({
          ...one,
          transferId: `${chain}:${one.transactionHash}`,
        }));
        return { userId, booked, moved, newest: history.newest };
      }
    }
    // What a restored store lacks is booked by its transactions, or is named. More in a wallet than
    // less than nothing is no arrival: a deposit was taken back after it had been spent.
    if (how === 'adopting' || booked < 0) return 'unexplained';
    const before = unexplained.get(userId);
    const nowMs = deps.clock.nowMs();
    if (before?.micros !== difference) {
      unexplained.set(userId, { micros: difference, readings: 1, countedAtMs: nowMs });
      return 'unexplained';
    }
    // Several who read at one moment see the same node behind, and count as one reading.
    if (nowMs - before.countedAtMs < WALLET.againMs) return 'unexplained';
    const readings = before.readings + 1;
    unexplained.set(userId, { micros: difference, readings, countedAtMs: nowMs });
    if (readings < WALLET.readingsUnexplained) return 'unexplained';
    unexplained.delete(userId);
    // What lay there before this service first read it has a history that is not read so far back.
    const isFirst = since === null && booked === 0 && wallet.mark !== undefined;
    log[isFirst ? 'info' : 'error'](
      { userId, usdc: difference, history: history.kind },
      isFirst ? 'funding.opening_booked' : 'money.unexplained',
    );
    // The same step from the same books is made once.
    const transferId = `${chain}:${deps.clock.nowMs()}:${booked}-${booked + difference}`;
    const newest = history.kind === 'read' ? history.newest : null;
    return {
      userId,
      booked,
      moved: [{ micros: difference, transactionHash: null, transferId }],
      newest,
    };
  }

  return {
    async read(userId, how) {
      if (!isQuiet(deps, store, userId)) return { arrived: 0, rest: 'moving' };
      const booked = balanceOf(store, userId, cashAccount).settled;
      const shown = (await wallet.holdings(userId, [])).usdc;
      const isShort = isLacking(store, userId);
      if (shown === booked) {
        if (!isShort) await moveMark(deps, { userId, asset: cashAccount });
        return NOTHING;
      }
      if (how !== 'adopting' && isShort) return { arrived: 0, rest: 'unexplained' };
      const difference = await differenceOf(userId, booked, shown - booked, how);
      if (typeof difference === 'string') return { arrived: 0, rest: difference };
      // What moves at that moment is seen twice as different amounts.
      if ((await wallet.holdings(userId, [])).usdc !== shown) return NOTHING;
      if (!(await commit((tx) => book(deps, tx, difference)))) return NOTHING;
      unexplained.delete(userId);
      tell(log, difference, how);
      return {
        ...NOTHING,
        arrived: difference.moved.filter(({ micros }) => micros > 0).length,
      };
    },
  };
}

const NOTHING: WalletReading = { arrived: 0, rest: 'nothing' };

/** What several readings leave. */
export function worst(rests: ReadonlySet<WalletRest>): WalletRest {
  const order = ['unexplained', 'unsettled', 'moving'] as const;
  return order.find((rest) => rests.has(rest)) ?? 'nothing';
}

function tell(log: Log, { userId, moved }: Difference, how: ReadKind = 'usual'): void {
  for (const { micros, transactionHash } of moved)
    if (micros > 0) log.info({ userId, usdc: micros, transactionHash }, 'funding.deposits_booked');
    else if (how === 'adopting')
      log.warn({ userId, usdc: -micros, transactionHash }, 'money.adopted');
    else log.error({ userId, usdc: -micros, transactionHash }, 'money.departed');
}

/**
 * Books a difference where the books still say what they said before the chain was asked, and
 * nothing has begun since.
 */
function book(
  deps: WalletCashDeps,
  tx: StoreWriter,
  { userId, booked, moved, newest }: Difference,
): boolean {
  const { cashAccount } = deps;
  if (!isQuiet(deps, tx, userId) || balanceOf(tx, userId, cashAccount).settled !== booked)
    return false;
  const time = { nowMs: deps.clock.nowMs(), bookedAtMs: deps.marketClock.nowMs() };
  for (const { micros, transferId, transactionHash, block } of moved) {
    const usdc = usdcMicros(Math.abs(micros));
    const named = {
      userId,
      cashAccount,
      transferId,
      usdc,
      transactionHash,
      ...(block === undefined ? {} : { block }),
    };
    if (micros < 0) {
      bookDeparture(tx, named, time);
      continue;
    }
    const isToldByTransfer = awaitSwapEnd(tx, userId, { cashAccount, usdc, transactionHash });
    bookArrival(tx, { ...named, via: 'direct', isToldByTransfer }, time);
  }
  putMark(tx, { userId, asset: cashAccount }, { ...deps, newest });
  return true;
}

/**
 * Reports whether no own transaction is on its way in the wallet: no attempt at an order, no fill
 * that is not final, no transfer.
 */
export function isQuiet(
  { cashAccount }: Pick<WalletCashDeps, 'cashAccount'>,
  reader: StoreReader,
  userId: UserId,
): boolean {
  const prefix = [userId];
  const { chain } = cashAccountRow(cashAccount);
  const isOut = reader.range(OPEN_ORDERS, { prefix }).some(({ key }) => {
    const order = reader.get(ORDERS, key)?.value;
    return order?.intent.cashAccount === cashAccount && mayMove(order);
  });
  const isSettling = reader
    .range(OPEN_FILLS, { prefix })
    .some(({ key }) => reader.get(FILLS, key)?.value.cashAccount === cashAccount);
  const isLeaving =
    reader.range(OPEN_HOLDS, { prefix }).some(({ value }) => value.cashAccount === cashAccount) ||
    openTransactions(reader, userId).some(({ account }) => account.chain === chain);
  return !isOut && !isSettling && !isLeaving;
}

/** What rests at a venue moves nothing until it trades, and a trade is known as one. */
function mayMove(order: OrderRecord): boolean {
  const isWaiting = isResting(order.intent) && order.state === 'live';
  return openAttempt(order) !== null && !isWaiting;
}
