import { AppError } from '../../domain/errors.ts';
import type { UserId, VenueId } from '../../domain/ids.ts';
import {
  assertKeySpend,
  assertKeyVenue,
  hasMoneyLimit,
  needsConfirmation,
  type KeySpend,
} from '../../domain/key-limits.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { API_KEY_CONSENTS, API_KEY_RECORDS, API_KEY_SPENDS } from './tables.ts';

const DAY_MS = 86_400_000;

/** A call of a key that sets money aside, or none where it sells. */
export interface KeyCharge {
  readonly userId: UserId;
  readonly keyId: string;
  /** Null for what is not traded at a venue, such as a swap. */
  readonly venue: VenueId | null;
  /** Null where its worth is unknown. */
  readonly usdc: number | null;
  /** By what the person confirmed it; null where they were not asked. */
  readonly confirmationId: string | null;
  readonly atMs: number;
}

/**
 * Returns what a call that spends from the user's own wallets, at no venue, asks of the key it came
 * by; null where it came by none.
 */
export function walletCharge({
  keyId,
  ...call
}: Pick<KeyCharge, 'userId' | 'usdc' | 'atMs'> & {
  readonly keyId: string | undefined;
}): KeyCharge | null {
  return keyId === undefined ? null : { ...call, keyId, venue: null, confirmationId: null };
}

/**
 * Holds a call to the limits of its key as they stand: the key has not been revoked, may trade
 * there, and may spend so much (L5). Reads only. Errors: `api_key_invalid`, `forbidden`,
 * `cap_exceeded`, `confirmation_required`.
 */
export function assertKeyCharge(reader: StoreReader, charge: KeyCharge): void {
  const spend = keySpendOf(reader, charge);
  if (charge.venue !== null) assertKeyVenue(spend.limits, charge.venue);
  const { limits } = spend;
  if (charge.usdc === null && hasMoneyLimit(limits))
    throw new AppError('cap_exceeded', 'what this is worth is unknown, and the API key has limits');
  const usdc = charge.usdc ?? 0;
  assertKeySpend(spend, usdc);
  if (needsConfirmation(limits, usdc) && !isConfirmed(reader, charge))
    throw new AppError('confirmation_required', 'this API key asks its person before it does this');
}

function isConfirmed(
  reader: StoreReader,
  { confirmationId, userId, keyId }: Pick<KeyCharge, 'confirmationId' | 'userId' | 'keyId'>,
): boolean {
  const consent =
    confirmationId === null ? null : reader.get(API_KEY_CONSENTS, [confirmationId])?.value;
  return consent?.userId === userId && consent.keyId === keyId;
}

/**
 * Counts a call against the limits of its key, in the transaction that sets its money aside.
 * Errors: those of `assertKeyCharge`.
 */
export function claimKeyCharge(tx: StoreWriter, charge: KeyCharge): void {
  assertKeyCharge(tx, charge);
  // a person confirms one order
  if (charge.confirmationId !== null) tx.remove(API_KEY_CONSENTS, [charge.confirmationId]);
  const { keyId, atMs } = charge;
  const usdc = charge.usdc ?? 0;
  const { spentUsdc } = keySpendOf(tx, charge);
  const day = Math.max(dayOf(atMs), tx.get(API_KEY_SPENDS, [keyId])?.value.day ?? 0);
  if (usdc > 0) tx.put(API_KEY_SPENDS, [keyId], { day, usdc: spentUsdc + usdc });
}

/**
 * Returns what a key is held to, and what of it its calls of the day have used. Errors:
 * `api_key_invalid` once it was revoked.
 */
export function keySpendOf(
  reader: StoreReader,
  { userId, keyId, atMs }: Pick<KeyCharge, 'userId' | 'keyId' | 'atMs'>,
): KeySpend {
  const record = reader.get(API_KEY_RECORDS, [userId, keyId])?.value;
  if (record === undefined || record.revokedAtMs !== null)
    throw new AppError('api_key_invalid', 'the API key is not valid');
  const spend = reader.get(API_KEY_SPENDS, [keyId])?.value;
  // A day that began before the one last written is no new day: time as an order has it may lag.
  const isOfDay = spend !== undefined && spend.day >= dayOf(atMs);
  return { limits: record.limits, spentUsdc: isOfDay ? spend.usdc : 0 };
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}
