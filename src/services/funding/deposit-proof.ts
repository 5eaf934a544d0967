import type { Address, UserId } from '../../domain/ids.ts';
import type { EvmLog, EvmReceipt, Hex } from '../../ports/evm.ts';
import { transfersOf } from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';

/** What makes a transfer a deposit. */
export interface DepositTerms {
  /** The token ledgers count. */
  readonly collateral: Address;
  /** Contracts that settle trades: what they move is booked as fills. */
  readonly settlers: readonly Address[];
  /** Blocks on top of a transfer, its own included, before it counts. */
  readonly confirmations: number;
  /** Whether a Safe's transaction of this hash is a redemption of ours: what it brings is booked as a payout, whole (redemption-booking.ts). */
  readonly isOwnRedemption: (userId: UserId, safeTxHash: Hex) => boolean;
}

/** A transfer that is a deposit. */
export interface ProvenDeposit {
  readonly userId: UserId;
  /** The transaction's hash, and from the second on its place among the transfers to this Safe there: the venue names them the same. */
  readonly transferId: string;
  readonly micros: number;
}

/** What a Safe tells once its transaction has succeeded: `ExecutionSuccess(bytes32,uint256)`, the same in versions 1.3 and 1.4. */
const EXECUTION_SUCCESS: Hex = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e';

/**
 * Deposits in a transaction: collateral that came to a user's Safe. Two things that come are booked elsewhere and left out: what an
 * exchange pays a Safe whose trade it tells of in the same transaction (a fill), and all that comes with a redemption of ours that
 * succeeded (a payout). Whatever else comes is a deposit, with any other action of ours, with none, or as its owner acts elsewhere with an
 * exported key. `owners` is keyed by the Safe's address in lower case.
 */
export function depositsIn(receipt: EvmReceipt, terms: DepositTerms, owners: ReadonlyMap<string, UserId>): readonly ProvenDeposit[] {
  const { transactionHash, succeeded } = receipt;
  if (!succeeded) return [];
  const counts = new Map<string, number>();
  return transfersOf(receipt, terms.collateral).flatMap(({ from, to, amount }): readonly ProvenDeposit[] => {
    const safe = to.toLowerCase();
    const userId = owners.get(safe);
    if (userId === undefined || amount === 0n || isSameAddress(from, to) || isTradeOf(receipt, to, terms) || isRedemptionOf(receipt, { userId, safe: to }, terms)) return [];
    // Nobody has a dollar count beyond the safe integers: a token that says so is not the collateral of the venue.
    if (amount > BigInt(Number.MAX_SAFE_INTEGER)) return [];
    const nth = (counts.get(safe) ?? 0) + 1;
    counts.set(safe, nth);
    return [{ userId, transferId: nth === 1 ? transactionHash : `${transactionHash}#${nth}`, micros: Number(amount) }];
  });
}

/** An exchange names the maker of every order it fills in its own events: one that does not name a Safe has not traded for it. */
function isTradeOf({ logs }: EvmReceipt, safe: Address, { settlers }: DepositTerms): boolean {
  const name = safe.slice(2).toLowerCase();
  const isNamed = ({ topics, data }: EvmLog) => topics.some((topic) => topic.toLowerCase().endsWith(name)) || data.toLowerCase().includes(name);
  return logs.some((log) => settlers.some((settler) => isSameAddress(settler, log.address)) && isNamed(log));
}

function isRedemptionOf({ logs }: EvmReceipt, { userId, safe }: { readonly userId: UserId; readonly safe: Address }, { isOwnRedemption }: DepositTerms): boolean {
  // The hash is indexed since version 1.4 of the Safe, and the first word of the data before it.
  return logs.some(({ address, topics: [name, hash], data }) => isSameAddress(address, safe) && name === EXECUTION_SUCCESS && isOwnRedemption(userId, hash ?? (data.slice(0, 66) as Hex))); // a slice of bytes as text
}
