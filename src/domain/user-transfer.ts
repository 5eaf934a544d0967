import type { DomainEvent } from './events.ts';
import { isSwapOver } from './swap.ts';
import { isTransactionOver, type StoredTransaction } from './transaction.ts';
import { purposeFrom, type SafePurpose, type TransactionPurpose } from './transaction-purpose.ts';

/** What leaves or reaches users' wallets, or is written for them on a chain. */
export const TRANSFER_KINDS = [
  'withdrawal',
  'safe_transfer',
  'transfer',
  'claim',
  'swap',
  'launch',
  'registry',
  'arrival',
] as const;

/** Kind of a transfer. */
type TransferKind = (typeof TRANSFER_KINDS)[number];

/** One of them by the id its list has it under, and whether it has come to its end. */
export interface UserTransfer {
  readonly kind: TransferKind;
  readonly id: string;
  readonly isOver: boolean;
}

/**
 * Returns the transfer that a transaction is by itself; null for a step of something else, and for
 * what sets an account up.
 */
export function transferBy({
  purpose,
  transactionId,
  state,
}: Pick<StoredTransaction, 'purpose' | 'transactionId' | 'state'>): UserTransfer | null {
  const kind = transferKindOf(purposeFrom(purpose));
  return kind === null ? null : { kind, id: transactionId, isOver: isTransactionOver(state) };
}

/** Which of a Safe's transactions are transfers by themselves. */
const SAFE_TRANSFERS: Readonly<Record<SafePurpose['kind'], TransferKind | null>> = {
  deploy: null,
  allowances: null,
  withdraw: 'withdrawal',
  redeem: 'claim',
  transfer: 'safe_transfer',
  wrap: null,
};

function transferKindOf({ owner, kind }: TransactionPurpose): TransferKind | null {
  if (owner === 'send') return 'transfer';
  if (owner === 'venue') return kind === 'venue_redemption' ? 'claim' : null;
  return owner === 'safe' ? (SAFE_TRANSFERS[kind] ?? null) : null;
}

/** Returns the transfer that a fact tells of; null where it tells of none. */
export function transferOf(event: DomainEvent): UserTransfer | null {
  switch (event.type) {
    case 'transaction.changed':
      return transferBy(event.transaction);
    case 'swap.changed':
      return { kind: 'swap', id: event.swap.swapId, isOver: isSwapOver(event.swap.state) };
    case 'launch.changed':
      return { kind: 'launch', id: event.launch.launchId, isOver: event.launch.state !== 'queued' };
    case 'registry.changed':
      return {
        kind: 'registry',
        id: event.record.entryId,
        isOver: event.record.state !== 'queued',
      };
    case 'token.arrived':
      return { kind: 'arrival', id: event.arrival.arrivalId, isOver: true };
    default:
      return null;
  }
}
