import { EXPORT } from '../../../config/limits/key.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { KeyAddresses, KeyVault, WalletFamily } from '../../ports/key-vault.ts';
import type { StoreReader, StoreWriter, Table } from '../../ports/store.ts';
import { audit, type AuditLine } from '../audit.ts';
import type { Client } from '../sign-in/client.ts';
import type { CodeSent, Codes, OwnPurpose } from '../sign-in/codes.ts';
import { phoneOf } from '../sign-in/user-phone.ts';

/** A private key at the only moment it leaves the service. */
interface ExportedKey {
  readonly wallet: WalletFamily;
  readonly address: string;
  /** 0x and 64 hex digits, or base58 of seed ‖ public key: as wallets of the chain read it. */
  readonly privateKey: string;
}

/** What a user shows to get a key; null for what is missing. */
interface ExportProof {
  readonly wallet: WalletFamily;
  readonly challengeId: string | null;
  readonly code: string | null;
}

/**
 * Gives users their own private keys, against a fresh one-time code that is good for nothing else.
 */
export interface KeyExport {
  /**
   * Sends a code to the user's own phone. Errors: `phone_required` without one, `too_many_attempts`
   * beyond EXPORT.perHour or perDay, and those of `Sessions.requestCode`.
   */
  requestCode(userId: UserId, client: Client): Promise<CodeSent>;
  /**
   * Gives one key for one code. The code is used up, the export counted, written down and announced
   * before the key is read. Errors: `code_required`, `code_invalid` (with attempts left),
   * `code_expired` also for codes that were used, replaced, too old, another user's or for signing
   * in, `too_many_attempts`.
   */
  exportKey(userId: UserId, proof: ExportProof, client: Client): Promise<ExportedKey>;
}

/** Moments of a user's exports within a day: [userId]. */
export const KEY_EXPORTS: Table<{ readonly atMs: readonly number[] }> = { name: 'key_exports' };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Makes the service. */
export function createKeyExport(
  deps: Pick<Runtime, 'store' | 'commit' | 'clock'> & {
    readonly digests: SecretDigests;
    readonly vault: Pick<
      KeyVault,
      'has' | 'load' | 'addressOf' | 'solanaAddressOf' | 'unseal' | 'exportKey'
    >;
    readonly codes: Codes;
  },
): KeyExport {
  const { store, clock, vault, codes } = deps;
  const line = (
    userId: UserId,
    client: Client,
    what: Pick<AuditLine, 'action' | 'subject' | 'detail'>,
  ): AuditLine => ({
    userId,
    atMs: clock.nowMs(),
    ...what,
    origin: client.address === null ? null : deps.digests.digest('address', client.address),
  });
  /** Every refusal leaves a line, since a key was sought. */
  const watched = async <T>(userId: UserId, client: Client, run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      const reason = error instanceof AppError ? error.code : 'internal';
      await deps.commit((tx) =>
        audit(tx, line(userId, client, { action: 'key_export_refused', subject: reason })),
      );
      throw error;
    }
  };
  return {
    requestCode: (userId, client) =>
      watched(userId, client, async () => {
        const phone = phoneOf(store, userId);
        assertBelow(exportsOf(store, userId, clock.nowMs()), clock.nowMs());
        const sent = await codes.requestFor(userId, vault.unseal(phone.sealed), purposeOf(userId));
        await deps.commit((tx) =>
          audit(tx, line(userId, client, { action: 'key_export_asked', subject: phone.masked })),
        );
        return sent;
      }),
    exportKey: (userId, { wallet, challengeId, code }, client) =>
      watched(userId, client, async () => {
        if (challengeId === null || code === null)
          throw new AppError(
            'code_required',
            'ask for a code first, and send it with its challenge in the headers X-Challenge-Id and X-One-Time-Code',
          );
        assertBelow(exportsOf(store, userId, clock.nowMs()), clock.nowMs());
        const addresses = await addressesOf(vault, userId);
        await codes.prove(challengeId, code, purposeOf(userId));
        await deps.commit((tx) => {
          codes.use(tx, challengeId);
          countExport(tx, userId, clock.nowMs());
          audit(
            tx,
            line(userId, client, {
              action: 'key_exported',
              subject: wallet,
              detail: addresses[wallet],
            }),
          );
        });
        await addressesOf(vault, userId);
        return { wallet, address: addresses[wallet], privateKey: vault.exportKey(userId, wallet) };
      }),
  };
}

function purposeOf(userId: UserId): OwnPurpose {
  return `export ${userId}`;
}

/** Loads the user's keys when they are not in memory: others may have pushed them out. */
async function addressesOf(
  vault: Pick<KeyVault, 'has' | 'load' | 'addressOf' | 'solanaAddressOf' | 'unseal' | 'exportKey'>,
  userId: UserId,
): Promise<KeyAddresses> {
  return vault.has(userId)
    ? { evm: vault.addressOf(userId), solana: vault.solanaAddressOf(userId) }
    : vault.load(userId);
}

function exportsOf(store: StoreReader, userId: UserId, nowMs: number): readonly number[] {
  return (store.get(KEY_EXPORTS, [userId])?.value.atMs ?? []).filter(
    (atMs) => atMs > nowMs - DAY_MS,
  );
}

function assertBelow(ofDay: readonly number[], nowMs: number): void {
  const ofHour = ofDay.filter((atMs) => atMs > nowMs - HOUR_MS);
  const [oldestOfHour = nowMs] = ofHour;
  const [oldestOfDay = nowMs] = ofDay;
  if (ofDay.length >= EXPORT.perDay)
    throw enough(`${ofDay.length} keys were exported within the day`, oldestOfDay + DAY_MS - nowMs);
  if (ofHour.length >= EXPORT.perHour)
    throw enough(
      `${ofHour.length} keys were exported within the hour`,
      oldestOfHour + HOUR_MS - nowMs,
    );
}

function enough(message: string, retryAfterMs: number): AppError {
  return new AppError('too_many_attempts', message, { retryable: true, retryAfterMs });
}

function countExport(tx: StoreWriter, userId: UserId, nowMs: number): void {
  const ofDay = exportsOf(tx, userId, nowMs);
  assertBelow(ofDay, nowMs);
  tx.put(KEY_EXPORTS, [userId], { atMs: [...ofDay, nowMs] });
}
