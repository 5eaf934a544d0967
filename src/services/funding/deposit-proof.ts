import type { Address, TokenId, UserId } from '../../domain/ids.ts';
import type { EvmLog, EvmReceipt, Hex } from '../../ports/evm.ts';
import type { StoreReader } from '../../ports/store.ts';
import { ownPurposeOf, type OwnPurpose } from '../transactions/transaction-records.ts';
import { tokensFrom, transfersOf, type TokenTransfer } from '../wallets/contract-calls.ts';
import { isSameAddress, type MoneyContracts } from '../wallets/contracts.ts';

/** What makes a transfer a deposit or a departure. */
export interface ProofTerms {
  readonly contracts: Pick<MoneyContracts, 'collateral' | 'conditionalTokens' | 'exchanges'>;
  /**
   * What an own action was for whose transaction in the user's Safe has this hash; null for
   * none.
   */
  readonly ownPurposeOf: (userId: UserId, safeTxHash: Hex) => OwnPurpose | null;
}

/** Collateral that came to a Safe, or left one. */
export interface ProvenMovement {
  readonly userId: UserId;
  /**
   * The transaction's hash, and from the second on its place among those of this Safe there that
   * count: the venue names them the same.
   */
  readonly transferId: string;
  readonly transactionHash: Hex;
  readonly micros: number;
  /** The own action that succeeded in the same transaction; null for none. */
  readonly beside: OwnPurpose | null;
  /** Outcome tokens that left the Safe in the same transaction: what came may be their payout. */
  readonly redeemed: readonly TokenId[];
}

/**
 * What a Safe tells once its transaction has succeeded: `ExecutionSuccess(bytes32,uint256)`, the
 * same in versions 1.3 and 1.4.
 */
const EXECUTION_SUCCESS: Hex = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e';

/** The terms over what is on record. */
export function proofTerms(reader: StoreReader, contracts: ProofTerms['contracts']): ProofTerms {
  return {
    contracts,
    ownPurposeOf: (userId, safeTxHash) => ownPurposeOf(reader, userId, safeTxHash),
  };
}

/**
 * Deposits in a transaction: collateral that came to a user's Safe. Two things that come are booked
 * elsewhere and left out: what an exchange pays a Safe whose trade it tells of in the same
 * transaction (a fill), and all that comes with an own redemption that succeeded (a payout).
 * Whatever else comes is a deposit, with any other own action, with none, or as its owner acts
 * elsewhere with an exported key. `owners` is keyed by the Safe's address in lower case.
 */
export function depositsIn(
  receipt: EvmReceipt,
  terms: ProofTerms,
  owners: ReadonlyMap<string, UserId>,
): readonly ProvenMovement[] {
  return movementsIn(receipt, terms, (transfer) => {
    const userId = owners.get(transfer.to.toLowerCase());
    if (userId === undefined) return null;
    const actions = succeededIn(receipt, transfer.to).map((hash) =>
      terms.ownPurposeOf(userId, hash),
    );
    return actions.includes('redeem')
      ? null
      : { userId, safe: transfer.to, beside: actions.find((action) => action !== null) ?? null };
  });
}

/**
 * Departures in a transaction: collateral that left a user's Safe because the Safe itself carried
 * out, in the same transaction, something that only its owner's key can sign and that was no action
 * of this service. Where an own action succeeded beside it, or nothing of the Safe did, the chain
 * does not say whose doing it was: nothing is concluded.
 */
export function departuresIn(
  receipt: EvmReceipt,
  terms: ProofTerms,
  owners: ReadonlyMap<string, UserId>,
): readonly ProvenMovement[] {
  return movementsIn(receipt, terms, (transfer) => {
    const userId = owners.get(transfer.from.toLowerCase());
    if (userId === undefined) return null;
    const actions = succeededIn(receipt, transfer.from).map((hash) =>
      terms.ownPurposeOf(userId, hash),
    );
    return actions.length > 0 && actions.every((action) => action === null)
      ? { userId, safe: transfer.from, beside: null }
      : null;
  });
}

interface Party {
  readonly userId: UserId;
  readonly safe: Address;
  readonly beside: OwnPurpose | null;
}

function movementsIn(
  receipt: EvmReceipt,
  { contracts }: ProofTerms,
  partyOf: (transfer: TokenTransfer) => Party | null,
): readonly ProvenMovement[] {
  const { transactionHash, succeeded } = receipt;
  if (!succeeded) return [];
  const counts = new Map<string, number>();
  return transfersOf(receipt, contracts.collateral).flatMap(
    (transfer): readonly ProvenMovement[] => {
      const { from, to, amount } = transfer;
      const party = amount === 0n || isSameAddress(from, to) ? null : partyOf(transfer);
      // No wallet has a dollar count beyond the safe integers: a token that says so is not the
      // collateral of the venue.
      if (
        party === null ||
        amount > BigInt(Number.MAX_SAFE_INTEGER) ||
        isTradeOf(receipt, party.safe, contracts)
      )
        return [];
      const nth = (counts.get(party.userId) ?? 0) + 1;
      counts.set(party.userId, nth);
      return [
        {
          userId: party.userId,
          transferId: nth === 1 ? transactionHash : `${transactionHash}#${nth}`,
          transactionHash,
          micros: Number(amount),
          beside: party.beside,
          redeemed: tokensFrom(receipt, {
            contract: contracts.conditionalTokens,
            from: party.safe,
          }),
        },
      ];
    },
  );
}

/**
 * An exchange names the maker of every order it fills in its own events: one that does not name a
 * Safe has not traded for it.
 */
function isTradeOf(
  { logs }: EvmReceipt,
  safe: Address,
  { exchanges }: Pick<MoneyContracts, 'exchanges'>,
): boolean {
  const name = safe.slice(2).toLowerCase();
  const isNamed = ({ topics, data }: EvmLog) =>
    topics.some((topic) => topic.toLowerCase().endsWith(name)) || data.toLowerCase().includes(name);
  return logs.some(
    (log) => exchanges.some((exchange) => isSameAddress(exchange, log.address)) && isNamed(log),
  );
}

/**
 * Hashes of the Safe's own transactions that succeeded: indexed since version 1.4 of the Safe, the
 * first slot of the data before it.
 */
function succeededIn({ logs }: EvmReceipt, safe: Address): readonly Hex[] {
  return logs.flatMap(({ address, topics: [name, hash], data }) =>
    isSameAddress(address, safe) && name === EXECUTION_SUCCESS
      ? [hash ?? (data.slice(0, 66) as Hex)]
      : [],
  ); // a slice of bytes as text
}
