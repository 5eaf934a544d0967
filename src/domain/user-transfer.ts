import type { DomainEvent } from './events.ts';
import { isSwapOver } from './swap.ts';
import { isTransactionOver, type TransactionRecord } from './transaction.ts';

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
}: Pick<TransactionRecord, 'purpose' | 'transactionId' | 'state'>): UserTransfer | null {
  const isOver = isTransactionOver(state);
  switch (purpose.kind) {
    case 'withdraw':
      return { kind: 'withdrawal', id: transactionId, isOver };
    case 'transfer':
      return { kind: 'safe_transfer', id: transactionId, isOver };
    case 'send':
      return { kind: 'transfer', id: transactionId, isOver };
    case 'redeem':
      return { kind: 'claim', id: transactionId, isOver };
    case 'deploy':
    case 'allowances':
    case 'wrap':
    case 'swap_approval':
    case 'swap':
    case 'launch':
    case 'registry':
      return null;
  }
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
