import { AppError, assert } from '../../domain/errors.ts';
import { withAllowance } from '../../domain/funds-dispute.ts';
import { asId, type Address, type MarketId } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type {
  LaunchPurpose,
  RegistryPurpose,
  SendPurpose,
  SwapPurpose,
  TransactionPurpose,
  TransactionRecord,
} from '../../domain/transaction.ts';
import { formatMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmReceipt } from '../../ports/evm.ts';
import type { Random } from '../../ports/random.ts';
import type { StoreWriter } from '../../ports/store.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { audit } from '../audit.ts';
import { endHold } from '../books/holds.ts';
import { FUNDS_DISPUTES } from '../books/tables.ts';
import type { TransactionBooking } from '../transactions/transaction-effects.ts';
import { transfersOf, type TokenTransfer } from '../wallets/contract-calls.ts';
import { isSameAddress, type MoneyContracts } from '../wallets/contracts.ts';
import { SAFES, type SafeRecord } from '../wallets/tables.ts';
import { depositsIn, proofTerms } from './deposit-proof.ts';
import { bookDeposit } from './movement-booking.ts';
import { createLaunchBooks } from './launch-closing.ts';
import { createRegistryBooks } from './registry-closing.ts';
import { createSendBooks } from './send-closing.ts';
import { createSwapBooks } from './swap-closing.ts';
import { endInWords } from './transaction-end.ts';
import { bookRedemption, giveUpRedemption } from './redemption-booking.ts';

export interface TransactionBookingDeps {
  readonly contracts: MoneyContracts;
  /**
   * True where what lies in a Safe is its user's cash at the venue; false where the venue's word,
   * or another wallet, is what the books follow.
   */
  readonly fundsInSafes: boolean;
  /** Of the transactions themselves. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
  readonly random: Random;
}

/** What any rail reads of a final transaction that moves money. */
export type MoneyReceipt = EvmReceipt | ChainReceipt;

/** What a Safe does, or has done to it. */
type SafePurpose = Exclude<
  TransactionPurpose,
  SendPurpose | SwapPurpose | LaunchPurpose | RegistryPurpose
>;
type SafeTransaction = TransactionRecord & { readonly purpose: SafePurpose };

/** Whose books a transaction of each kind is in. */
const OWNERS: {
  readonly [Kind in TransactionPurpose['kind']]: Kind extends SafePurpose['kind']
    ? 'safe'
    : 'send' | 'swaps' | 'launches' | 'registry';
} = {
  deploy: 'safe',
  allowances: 'safe',
  withdraw: 'safe',
  redeem: 'safe',
  transfer: 'safe',
  wrap: 'safe',
  send: 'send',
  swap_approval: 'swaps',
  swap: 'swaps',
  launch: 'launches',
  registry: 'registry',
};

type Owner = (typeof OWNERS)[keyof typeof OWNERS];

/** Reports whether some books know what a transaction of this kind means. */
function isOwned({ purpose }: Pick<TransactionRecord, 'purpose'>): boolean {
  return Object.hasOwn(OWNERS, purpose.kind);
}

/**
 * Returns whose books a transaction is in. Errors: `internal` for a kind that none of them knows,
 * such as one a newer version of the program has stored.
 */
function ownerOf(record: TransactionRecord): Owner {
  if (isOwned(record)) return OWNERS[record.purpose.kind];
  throw new AppError(
    'internal',
    `transaction ${record.transactionId} is of an unknown kind, "${record.purpose.kind}": nothing is booked`,
  );
}

function isOfSafe(record: TransactionRecord): record is SafeTransaction {
  return ownerOf(record) === 'safe';
}

function evmReceipt(receipt: MoneyReceipt | null): EvmReceipt | null {
  return receipt !== null && 'logs' in receipt ? receipt : null;
}

/** What closing works with. */
interface ClosingTerms {
  readonly contracts: MoneyContracts;
  readonly fundsInSafes: boolean;
  /** For the transaction itself. */
  readonly nowMs: number;
  /** For the books, in market time. */
  readonly bookedAtMs: number;
}

/**
 * Creates what transactions mean for the books, in the commit that writes their end: on the chain's
 * proof a withdrawal leaves or is given back, a redemption is paid or may be tried again, what a
 * transfer brought is a deposit. Executed without what it was meant for is a failure: nothing left.
 * Of an unknown kind nothing is booked. Errors: `internal`.
 */
export function createTransactionBooking({
  contracts,
  fundsInSafes,
  clock,
  marketClock,
  random,
}: TransactionBookingDeps): TransactionBooking<MoneyReceipt> {
  const books: Readonly<Record<Exclude<Owner, 'safe'>, TransactionBooking<MoneyReceipt>>> = {
    send: createSendBooks(marketClock),
    swaps: createSwapBooks({ clock, marketClock, random }),
    launches: createLaunchBooks(clock),
    registry: createRegistryBooks(clock),
  };
  const othersOf = (record: TransactionRecord) => {
    const owner = ownerOf(record);
    assert(owner !== 'safe', `${record.transactionId} is no transaction of a Safe`);
    return books[owner];
  };
  return {
    owns: isOwned,
    verdict(record, given) {
      if (!isOfSafe(record)) return othersOf(record).verdict(record, given);
      const receipt = evmReceipt(given);
      const missing = missingProof(record, receipt, contracts);
      return missing === null
        ? { state: 'done', reason: shortfall(record, receipt) }
        : { state: 'failed', reason: missing };
    },
    close(tx, record, given) {
      if (!isOfSafe(record)) return othersOf(record).close(tx, record, given);
      const terms = {
        contracts,
        fundsInSafes,
        nowMs: clock.nowMs(),
        bookedAtMs: marketClock.nowMs(),
      };
      book(tx, record, evmReceipt(given), terms);
      note(tx, record);
    },
  };
}

/** Says what the transaction should show and does not; null when it shows it. */
function missingProof(
  { purpose, account: { address: safe } }: SafeTransaction,
  receipt: EvmReceipt | null,
  contracts: MoneyContracts,
): string | null {
  if (purpose.kind === 'deploy' || purpose.kind === 'allowances') return null;
  if (receipt === null) return 'executed without a transaction to prove it';
  const moved = (matches: (transfer: TokenTransfer) => boolean) =>
    transfersOf(receipt, contracts.collateral).some(matches);
  const isIncoming = ({ from, to }: TokenTransfer) =>
    isSameAddress(to, safe) && !isSameAddress(from, safe);
  switch (purpose.kind) {
    case 'withdraw':
      // To its owner as it is, or into the offramp: what has left the Safe is no longer money of
      // the books, whatever was paid for it.
      return moved(
        ({ from, to, amount }) =>
          isSameAddress(from, safe) && !isSameAddress(to, safe) && amount === BigInt(purpose.usdc),
      )
        ? null
        : 'executed, and no money of this amount left the Safe';
    case 'transfer':
    case 'wrap':
      // Plain dollars that came and were not wrapped lie in the Safe: orphaned-usdc.ts wraps them.
      return moved((transfer) => isIncoming(transfer) && transfer.amount === BigInt(purpose.amount))
        ? null
        : 'executed, and no collateral of this amount came to the Safe';
    case 'redeem':
      return moved((transfer) => isSameAddress(transfer.to, safe) && transfer.amount > 0n)
        ? null
        : 'executed without a payout';
  }
}

/** What the owner was paid of a withdrawal, where that is not its amount; null where it is. */
function shortfall(
  { purpose, account }: SafeTransaction,
  receipt: EvmReceipt | null,
): string | null {
  if (purpose.kind !== 'withdraw' || receipt === null) return null;
  const paid = transfersOf(receipt, purpose.token)
    .filter(({ from, to }) => isSameAddress(to, purpose.to) && !isSameAddress(from, purpose.to))
    .reduce((sum, { amount }) => sum + amount, 0n);
  return paid === BigInt(purpose.usdc)
    ? null
    : `${formatMicros(purpose.usdc)} left the Safe ${account.address}, and ${formatTokenAmount(paid, 6)} of ${purpose.token} came to the owner`;
}

function book(
  tx: StoreWriter,
  after: SafeTransaction,
  receipt: EvmReceipt | null,
  terms: ClosingTerms,
): void {
  const { userId, transactionId, purpose } = after;
  const isDone = after.state === 'done';
  switch (purpose.kind) {
    case 'deploy':
      return isDone ? noteSafe(tx, after, { isDeployed: true }) : undefined;
    case 'allowances':
      return isDone
        ? noteAllowances(tx, after, { set: purpose.set, atMs: terms.bookedAtMs })
        : undefined;
    case 'withdraw':
      return endHold(
        tx,
        { userId, holdId: transactionId },
        { how: isDone ? 'booked' : 'released', atMs: terms.bookedAtMs },
      );
    case 'transfer':
    case 'wrap':
      return bookBrought(tx, after, receipt, terms);
    case 'redeem':
      return bookRedeem(tx, after, { marketId: purpose.marketId, receipt }, terms);
  }
}

/**
 * What came is a deposit under the name the look at the chain gives it too: whichever is first
 * books it, the other finds it booked.
 */
function bookBrought(
  tx: StoreWriter,
  { userId, account }: SafeTransaction,
  receipt: EvmReceipt | null,
  terms: ClosingTerms,
): void {
  if (!terms.fundsInSafes || receipt === null) return;
  const brought = depositsIn(
    receipt,
    proofTerms(tx, terms.contracts),
    new Map([[account.address.toLowerCase(), userId]]),
  );
  for (const deposit of brought) bookDeposit(tx, deposit, terms);
}

const ENDINGS = {
  withdraw: 'withdrawal_ended',
  redeem: 'claim_ended',
  transfer: 'transfer_ended',
  wrap: 'wrap_ended',
} as const;

/** What becomes of money by a user's request is remembered with its end. */
function note(tx: StoreWriter, record: SafeTransaction): void {
  const { userId, transactionId, purpose, updatedAtMs } = record;
  if (purpose.kind === 'deploy' || purpose.kind === 'allowances') return;
  audit(tx, {
    userId,
    atMs: updatedAtMs,
    action: ENDINGS[purpose.kind],
    subject: transactionId,
    detail: endInWords(record),
  });
}

function bookRedeem(
  tx: StoreWriter,
  { userId, transactionId, state, account }: SafeTransaction,
  { marketId, receipt }: { readonly marketId: MarketId; readonly receipt: EvmReceipt | null },
  { contracts, nowMs, bookedAtMs }: ClosingTerms,
): void {
  const holder = { userId, marketId, nowMs, bookedAtMs };
  if (state !== 'done' || receipt === null) return giveUpRedemption(tx, holder);
  const paid = transfersOf(receipt, contracts.collateral)
    .filter(({ to }) => isSameAddress(to, account.address))
    .reduce((sum, { amount }) => sum + amount, 0n);
  bookRedemption(tx, {
    ...holder,
    paidMicros: Number(paid),
    transactionId,
    transactionHash: receipt.transactionHash,
  });
}

/**
 * The Safe has given its allowances; where the venue had missed one, the next order finds out at
 * once.
 */
function noteAllowances(
  tx: StoreWriter,
  after: SafeTransaction,
  { set, atMs }: { readonly set: string; readonly atMs: number },
): void {
  noteSafe(tx, after, { isDeployed: true, allowanceSet: set });
  for (const { key, value } of tx.range(FUNDS_DISPUTES, { prefix: [after.userId] }))
    if (value.lacksAllowanceOf === 'usdc:safe')
      tx.put(FUNDS_DISPUTES, key, withAllowance(value, atMs));
}

function noteSafe(
  tx: StoreWriter,
  { userId, account, updatedAtMs }: SafeTransaction,
  known: Partial<Pick<SafeRecord, 'isDeployed' | 'allowanceSet'>>,
): void {
  const before = tx.get(SAFES, [userId])?.value ?? { isDeployed: false, allowanceSet: null };
  tx.put(SAFES, [userId], {
    ...before,
    ...known,
    safe: asId<Address>(account.address),
    updatedAtMs,
  });
}
