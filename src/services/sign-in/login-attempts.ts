import { LOGIN_ATTEMPTS as BOUNDS } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import { slotText } from '../../domain/slot.ts';
import type { Store } from '../../ports/store.ts';
import type { UserDirectory } from '../../ports/user-directory.ts';
import { assertHere, ownSlot } from '../placement.ts';
import { endAt, endNow, sweepEnded } from './expiry.ts';
import { countWindow } from './send-limits.ts';
import { LOGIN_ATTEMPTS, type LoginAttemptRecord } from './tables.ts';

/**
 * A user's redirect to another identity provider and back: the requester holds its secret, and what
 * must come back is kept sealed.
 */
export interface LoginAttempts {
  /**
   * Notes what must come back and gives the requester's secret. Errors: `sign_in_unavailable` when
   * too many are under way.
   */
  begin(
    provider: LoginAttemptRecord['provider'],
    expected: string,
  ): Promise<{ readonly visit: string; readonly expiresAtMs: number }>;
  /** Gives what must come back, and leaves it for `take`. Errors: `code_expired`, as there. */
  peek(provider: LoginAttemptRecord['provider'], visit: string): string;
  /**
   * Gives what must come back, once: the visit is over on disk before anything is judged, so that a
   * state or a nonce is never good for a second try. Errors: `code_expired` for login attempts that
   * are unknown, over, too old or to another identity provider.
   */
  take(provider: LoginAttemptRecord['provider'], visit: string): Promise<string>;
}

/** Login attempts begun within an hour are counted together. */
const HOUR_MS = 3_600_000;

/** Makes the login attempts part of sign-in. */
export function createLoginAttempts({
  store,
  commit,
  clock,
  random,
  directory,
  vault,
  digests,
}: Pick<Runtime, 'commit' | 'clock' | 'random'> & {
  readonly store: Pick<Store, 'get'>;
  readonly directory: Pick<UserDirectory, 'slots'>;
  readonly vault: Pick<KeyVault, 'seal' | 'unseal'>;
  readonly digests: SecretDigests;
}): LoginAttempts {
  const isOpen = (
    record: LoginAttemptRecord | undefined,
    provider: LoginAttemptRecord['provider'],
  ): record is LoginAttemptRecord =>
    record !== undefined && record.provider === provider && record.expiresAtMs > clock.nowMs();
  return {
    async begin(provider, expected) {
      const chance = Buffer.from(random.bytes(32)).toString('base64url');
      const slot = ownSlot(directory, random);
      const visit = `vis_${slot === null ? chance : slotText(slot) + chance.slice(2)}`;
      const key = [digests.digest('visit', visit)];
      const sealed = vault.seal(expected);
      const expiresAtMs = await commit((tx) => {
        const nowMs = clock.nowMs();
        sweepEnded(tx, nowMs);
        countWindow(tx, 'login_attempts', {
          nowMs,
          windowMs: HOUR_MS,
          maximum: BOUNDS.begunPerHour,
        });
        const endsAtMs = nowMs + BOUNDS.visitLifeMs;
        tx.put(LOGIN_ATTEMPTS, key, { provider, sealed, expiresAtMs: endsAtMs });
        endAt(tx, endsAtMs, 'visit', key);
        return endsAtMs;
      });
      return { visit, expiresAtMs };
    },
    peek(provider, visit) {
      assertHere(directory, visit);
      const found = store.get(LOGIN_ATTEMPTS, [digests.digest('visit', visit)])?.value;
      if (!isOpen(found, provider)) throw over();
      return vault.unseal(found.sealed);
    },
    async take(provider, visit) {
      assertHere(directory, visit);
      const key = [digests.digest('visit', visit)];
      const record = await commit((tx) => {
        const found = tx.get(LOGIN_ATTEMPTS, key)?.value;
        if (!isOpen(found, provider)) return null;
        endNow(tx, found.expiresAtMs, 'visit', key);
        return found;
      });
      if (record === null) throw over();
      return vault.unseal(record.sealed);
    },
  };
}

function over(): AppError {
  return new AppError(
    'code_expired',
    'this sign-in was finished before, or begun too long ago; begin again',
  );
}
