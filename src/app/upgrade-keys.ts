import { KEY_UPGRADE } from '../../config/limits/key.ts';
import type { KeyVaultParts } from '../adapters/keys/key-vault.ts';
import { draftKeys, openKeyVault } from '../adapters/keys/key-vault.ts';
import { KEY_BYTES } from '../adapters/keys/sealing.ts';
import { isSealedBefore, openSealedBefore } from '../adapters/keys/sealed-before.ts';
import { CREDENTIALS_PURPOSE } from '../venues/venue-a/accounts.ts';
import { AppError } from '../domain/errors.ts';
import type { Address, UserId } from '../domain/ids.ts';
import { asId } from '../domain/ids.ts';
import type { KeyVault, KeysDraft } from '../ports/key-vault.ts';
import type { Log } from '../ports/log.ts';
import type { Table } from '../ports/store.ts';

/** A user of a store in the first form: an EVM key alone, kept in the record itself. */
interface UserBefore {
  readonly userId: UserId;
  readonly address: Address;
  readonly sealedKey?: string;
}

interface HouseText {
  readonly table: Table<Readonly<Record<string, unknown>>>;
  readonly field: string;
}

/** What bringing a store to the present form needs. */
export interface UpgradeParts extends KeyVaultParts {
  readonly safeOf: (owner: Address) => Address;
  readonly log: Log;
}

/** In which form the store's secrets are: ['secrets']. */
const FORMS: Table<{ readonly form: 2 }> = { name: 'store_forms' };
const USERS_BEFORE: Table<UserBefore> = { name: 'users' };
const CREDENTIALS: Table<{ readonly sealed: string }> = { name: 'venue_a_credentials' };
/** Texts of the house that were sealed in the first form, and where in their records. */
const HOUSE_TEXTS: readonly HouseText[] = [
  { table: { name: 'identity_secrets' }, field: 'sealed' },
  { table: { name: 'signing_keys' }, field: 'sealed' },
  { table: { name: 'users' }, field: 'phoneSealed' },
  { table: { name: 'challenges' }, field: 'phoneSealed' },
];

/**
 * Opens the vault, and first brings a store that was made in the first sealed form to the present one: each user gets a data
 * key, a Solana key and a Safe, once; every step is one durable write that a crash repeats or finds done. Nothing is written
 * under a master key that does not open what is there. Errors: `master_key_wrong`, `store_corrupt`, `store_unavailable`.
 */
export async function openUpgradedVault(parts: UpgradeParts): Promise<KeyVault> {
  const { store } = parts;
  if (store.get(FORMS, ['secrets']) !== null) return openKeyVault(parts);
  await assertOpens(parts);
  const vault = await openKeyVault(parts);
  const users = await upgradeUsers(parts);
  await upgradeCredentials(parts, vault);
  for (const texts of HOUSE_TEXTS) await upgradeTexts(parts, vault, texts);
  await store.write((tx) => tx.put(FORMS, ['secrets'], { form: 2 }));
  await store.flushed();
  if (users > 0) parts.log.info({ users }, 'keys.store_upgraded');
  return vault;
}

/** Opens one secret of the first form, so that a wrong master key is told before anything is written under it. */
async function assertOpens({ store, encryptor }: UpgradeParts): Promise<void> {
  const texts = [...HOUSE_TEXTS, { table: { name: 'users' }, field: 'sealedKey' }].flatMap(
    ({ table, field }) => store.range(table, { limit: 1 }).map(({ value }) => textOf(value, field)),
  );
  const text = texts.find((sealed) => sealed !== null && isSealedBefore(sealed)) ?? null;
  if (text !== null) (await openSealedBefore(encryptor, text)).plain.fill(0);
}

async function upgradeUsers(parts: UpgradeParts): Promise<number> {
  const { store } = parts;
  const old = store.range(USERS_BEFORE).filter(({ value }) => value.sealedKey !== undefined);
  for (let start = 0; start < old.length; start += KEY_UPGRADE.usersPerWrite) {
    const batch = await Promise.all(
      old
        .slice(start, start + KEY_UPGRADE.usersPerWrite)
        .map(async (record) => ({ record, keys: await redraft(parts, record.value) })),
    );
    await store.write((tx) => {
      for (const { record, keys } of batch) {
        const { sealedKey: _gone, ...user } = record.value;
        keys.keep(tx);
        tx.put<object>(
          USERS_BEFORE,
          record.key,
          { ...user, solanaAddress: keys.solana, safe: parts.safeOf(user.address) },
          record.version,
        );
      }
    });
    await store.flushed();
  }
  return old.length;
}

/** Seals a user's old EVM key anew, beside a fresh Solana key. */
async function redraft(
  parts: UpgradeParts,
  { userId, address, sealedKey }: UserBefore,
): Promise<KeysDraft> {
  const { label, plain } = await openSealedBefore(parts.encryptor, sealedKey ?? '');
  const keys =
    label === address
      ? await draftKeys(parts, userId, { evm: plain, solana: parts.random.bytes(KEY_BYTES) })
      : null;
  if (keys?.evm !== address)
    throw new AppError(
      'store_corrupt',
      `the sealed key of user ${userId} is not a key of its address`,
    );
  return keys;
}

async function upgradeCredentials(
  { store, encryptor }: UpgradeParts,
  vault: KeyVault,
): Promise<void> {
  for (const { key, value, version } of store.range(CREDENTIALS)) {
    if (!isSealedBefore(value.sealed)) continue;
    const userId = asId<UserId>(String(key[0]));
    await vault.load(userId);
    const sealed = vault.sealFor(
      userId,
      CREDENTIALS_PURPOSE,
      await openText(encryptor, value.sealed),
    );
    await store.write((tx) => tx.put(CREDENTIALS, key, { sealed }, version));
  }
  await store.flushed();
}

async function upgradeTexts(
  { store, encryptor }: UpgradeParts,
  vault: KeyVault,
  { table, field }: HouseText,
): Promise<void> {
  for (const { key, value, version } of store.range(table)) {
    const text = textOf(value, field);
    if (text === null || !isSealedBefore(text)) continue;
    const sealed = vault.seal(await openText(encryptor, text));
    await store.write((tx) => tx.put(table, key, { ...value, [field]: sealed }, version));
  }
  await store.flushed();
}

async function openText(encryptor: KeyVaultParts['encryptor'], sealed: string): Promise<string> {
  const { plain } = await openSealedBefore(encryptor, sealed);
  return Buffer.from(plain).toString('utf8');
}

function textOf(record: Readonly<Record<string, unknown>>, field: string): string | null {
  const text = record[field];
  return typeof text === 'string' ? text : null;
}
