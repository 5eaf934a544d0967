import type { ActionId, Address, UserId } from '../../domain/ids.ts';
import type { SafeActionRecord } from '../../domain/safe-action.ts';
import type { Table } from '../../ports/store.ts';
import type { OpenMark } from '../books/tables.ts';

/** A user's Safe and how far it has come. */
export interface SafeRecord {
  /** Derived from the owner by the venue's rule (venue_a.md section 14.1), deployed or not. */
  readonly safe: Address;
  readonly isDeployed: boolean;
  /** Name of the set of allowances it has given; null before. Ready to trade when it is that of the configuration. */
  readonly allowanceSet: string | null;
  readonly updatedAtMs: number;
}

/** Finds an action by its caller's key. */
export interface ActionRef {
  readonly userId: UserId;
  readonly actionId: ActionId;
}

/** Safes: [userId]. */
export const SAFES: Table<SafeRecord> = { name: 'safes' };
/** Actions of Safes: [userId, actionId]. */
export const SAFE_ACTIONS: Table<SafeActionRecord> = { name: 'safe_actions' };
/** Actions that have not ended, the queues: [userId, place, actionId]. At most SAFE_ACTION.queueMaximum a user. */
export const OPEN_SAFE_ACTIONS: Table<OpenMark> = { name: 'open_safe_actions' };
/** Idempotency key of a caller: [userId, key]. */
export const SAFE_ACTION_KEYS: Table<ActionRef> = { name: 'safe_action_keys' };
