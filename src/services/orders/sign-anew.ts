import type { OrderIntent, OrderRecord } from '../../domain/order.ts';
import type { OrderSigner } from '../../ports/order-signer.ts';
import type { StoreReader } from '../../ports/store.ts';
import { fenceOver, fileSigned, passClaim } from './order-intake.ts';
import type { Alongside } from '../books/order-updates.ts';
import { stopOver } from './stop-check.ts';
import { heldAtDoor } from './venue-door.ts';

/** What a refused order is signed anew with. */
export interface SignAnew {
  /** The same wish as an intent of its own, which names the one it replaces. */
  readonly intent: OrderIntent;
  /** What the refused order has set aside, and its successor sets aside in its place. */
  readonly reserved: OrderRecord['reserved'];
  readonly signer: OrderSigner;
}

/**
 * Signs a wish anew in the transaction that ends the order the venue refused for the version of its format. The refusal of a sending that
 * was never doubted is the proof that the old bytes are dead (L1); the successor sets aside what the same commit gives back (L5), is held
 * to every stop as any order (L6), takes over the claim on its market (L7), and is never itself replaced: there is no loop.
 */
export function signingAnew({ intent, reserved, signer }: SignAnew): Alongside {
  return {
    amend: (tx, refused) =>
      mayFollow(tx, refused, intent) ? { ...refused, replacedBy: intent.intentId } : refused,
    add(tx, refused) {
      if (refused.replacedBy !== intent.intentId) return;
      passClaim(tx, intent);
      fileSigned(tx, { intent, signed: signer.sign(intent), reserved });
    },
  };
}

function mayFollow(tx: StoreReader, refused: OrderRecord, intent: OrderIntent): boolean {
  const isDead =
    refused.state === 'rejected' &&
    refused.intent.replaces === undefined &&
    refused.replacedBy === undefined &&
    !refused.cancelWanted;
  if (!isDead || intent.createdAtMs > intent.sendUntilMs) return false;
  // The fence the refused order was still stands in the store: its end is what this transaction is about to write.
  const fence = fenceOver(tx, intent);
  return (
    (fence === null || fence === refused.intent.intentId) &&
    stopOver(tx, intent) === null &&
    heldAtDoor(tx, intent, intent.createdAtMs) === null
  );
}
