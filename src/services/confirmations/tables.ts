import type { ErrorCode } from '../../domain/errors.ts';
import type { IntentId, UserId } from '../../domain/ids.ts';
import type { Reservation } from '../../domain/order.ts';
import type { PriceTicks } from '../../domain/units.ts';
import type { Table } from '../../ports/store.ts';
import type { PlaceOrder } from '../orders/place-order.ts';

/**
 * How far an order that waits for its person has come. One that is not answered in time stays
 * `asked`, and ends by its time.
 */
type ConfirmationState = 'asked' | 'confirmed' | 'placed' | 'refused' | 'failed';

/** The part of a request that can be kept: what an order asks for, and nothing that runs. */
export type KeptOrder = Pick<
  PlaceOrder,
  'venue' | 'marketId' | 'outcome' | 'side' | 'amount' | 'type' | 'clientOrderId'
>;

/** An order an assistant put forward, for its person to confirm or refuse. */
export interface ConfirmationRecord {
  readonly confirmationId: string;
  readonly userId: UserId;
  readonly keyId: string;
  /** What the caller named it by, so that a repetition finds it; null for nothing. */
  readonly clientRequestId: string | null;
  /** As it was put forward, with its worst price fixed. */
  readonly order: KeptOrder;
  readonly side: PlaceOrder['side'];
  readonly worstPrice: PriceTicks;
  readonly setsAside: Reservation;
  readonly state: ConfirmationState;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  /** The order that was placed; null before. */
  readonly intentId: IntentId | null;
  /** Why placing it failed for good; null otherwise. */
  readonly failure: ErrorCode | null;
}

/**
 * Orders that wait, or waited, for their person: [userId, confirmationId]; the ids begin with their
 * time.
 */
export const CONFIRMATIONS: Table<ConfirmationRecord> = { name: 'confirmations' };
/**
 * What was put forward under a name, by whichever key of the user, and as it was asked for:
 * [userId, clientRequestId].
 */
export const CONFIRMATION_NAMES: Table<{
  readonly confirmationId: string;
  readonly asked: string;
}> = {
  name: 'confirmation_names',
};
