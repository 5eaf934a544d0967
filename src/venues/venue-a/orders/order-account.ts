import type { SignatureType } from './order-hash.ts';
import type { OrderSignerConfig } from '../sign.ts';
import type { WalletAddresses } from '../../../adapters/safe-relayer/derive.ts';
import { AppError } from '../../../domain/errors.ts';
import type { KeyVault } from '../../../ports/key-vault.ts';
import type { Store, Table } from '../../../ports/store.ts';

/** Whose funds the orders of this store's users move: ['orders']. */
export const FORMS: Table<{ readonly signatureType: SignatureType }> = { name: 'store_forms' };
const USERS: Table<object> = { name: 'users' };

/**
 * What stores start with: orders signed by the EVM key for the Safe (spec.md, "Accounts and
 * wallets").
 */
const DEFAULT_TYPE: SignatureType = 2;
/** What every store of a time before the choice was made with: the EVM key's own account. */
const BEFORE: SignatureType = 0;

/**
 * Gives the signature type of this store's orders and keeps it with the store: users' funds lie
 * where it says, so another one would search for them elsewhere. Errors: `config_invalid` when
 * another is asked for while there are users.
 */
export async function openSignatureType(
  store: Store,
  asked: SignatureType | null,
): Promise<SignatureType> {
  const kept = store.get(FORMS, ['orders'])?.value.signatureType;
  const hasUsers = store.range(USERS, { limit: 1 }).length > 0;
  const signatureType = hasUsers ? (kept ?? BEFORE) : (asked ?? DEFAULT_TYPE);
  if (asked !== null && asked !== signatureType) {
    throw new AppError(
      'config_invalid',
      `the users of this store hold their venue funds by signature type ${signatureType}, PREDICTD_SIGNATURE_TYPE asks for ${asked}; leave it out, or give another data folder with PREDICTD_DATA.`,
    );
  }
  if (kept !== signatureType) {
    await store.write((tx) => tx.put(FORMS, ['orders'], { signatureType }));
    await store.flushed();
  }
  return signatureType;
}

/** Whose funds the orders of a user move, by the signature type (venue_a.md section 5.1). */
export function orderAccount(
  signatureType: SignatureType,
  {
    wallets,
    vault,
  }: { readonly wallets: WalletAddresses; readonly vault: Pick<KeyVault, 'addressOf'> },
): OrderSignerConfig['account'] {
  if (signatureType === 0) return { signatureType };
  const walletOf = signatureType === 2 ? wallets.safeOf : wallets.depositWalletOf;
  return { signatureType, walletOf: (userId) => walletOf(vault.addressOf(userId)) };
}
