import type { Address, UserId } from '../../domain/ids.ts';
import type { EvmReceipt, Hex } from '../../ports/evm.ts';
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
  /** Whether a Safe's transaction of this hash is an action of ours: what comes with it is booked with it. */
  readonly isOwnAction: (userId: UserId, safeTxHash: Hex) => boolean;
}

/** A transfer that is a deposit. */
export interface ProvenDeposit {
  readonly userId: UserId;
  /** The transaction's hash, and from the second on its place among the transfers to this Safe there: the venue names them the same. */
  readonly transferId: string;
  readonly micros: number;
}

/** A Safe's own words that it acted: ExecutionSuccess and ExecutionFailure (bytes32, uint256) of versions 1.3 and 1.4. */
const ACTED: readonly (Hex | undefined)[] = ['0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e', '0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23'];

/**
 * Deposits in a transaction: collateral that came to a user's Safe from outside. What comes with a settled trade is a fill, and what
 * comes with an action of ours (a redemption) is booked with that; what comes as its owner acts elsewhere, with an exported key, is money from
 * outside like any other. `owners` is keyed by the Safe's address in lower case.
 */
export function depositsIn(receipt: EvmReceipt, { collateral, settlers, isOwnAction }: DepositTerms, owners: ReadonlyMap<string, UserId>): readonly ProvenDeposit[] {
  const { logs, transactionHash, succeeded } = receipt;
  if (!succeeded || logs.some(({ address }) => settlers.some((settler) => isSameAddress(settler, address)))) return [];
  const counts = new Map<string, number>();
  return transfersOf(receipt, collateral).flatMap(({ from, to, amount }): readonly ProvenDeposit[] => {
    const safe = to.toLowerCase();
    const userId = owners.get(safe);
    // The hash is indexed since version 1.4 and the first word of the data before it.
    const hasActed = userId !== undefined && logs.some(({ address, topics: [name, hash], data }) => isSameAddress(address, to) && ACTED.includes(name) && isOwnAction(userId, hash ?? (data.slice(0, 66) as Hex))); // a slice of bytes as text
    // Nobody has a dollar count beyond the safe integers: a token that says so is not the collateral of the venue.
    if (userId === undefined || amount === 0n || isSameAddress(from, to) || hasActed || amount > BigInt(Number.MAX_SAFE_INTEGER)) return [];
    const nth = (counts.get(safe) ?? 0) + 1;
    counts.set(safe, nth);
    return [{ userId, transferId: nth === 1 ? transactionHash : `${transactionHash}#${nth}`, micros: Number(amount) }];
  });
}
