import { LOGIN_ATTEMPTS as BOUNDS } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Random } from '../../ports/random.ts';
import type { Commit } from '../commit.ts';
import { endAt, endNow, sweepEnded } from './expiry.ts';
import { countWindow } from './send-limits.ts';
import { LOGIN_ATTEMPTS } from './tables.ts';
import type { LoginAttemptRecord } from './tables.ts';

/** What login attempts are made of. */
export interface LoginAttemptsDeps {
  readonly commit: Commit;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<KeyVault, 'seal' | 'unseal'>;
  readonly digests: SecretDigests;
}

/**
 * Somebody's way to another identity provider and back: the requester holds its secret, and what
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
  commit,
  clock,
  random,
  vault,
  digests,
}: LoginAttemptsDeps): LoginAttempts {
  return {
    async begin(provider, expected) {
      const visit = `vis_${Buffer.from(random.bytes(32)).toString('base64url')}`;
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
    async take(provider, visit) {
      const key = [digests.digest('visit', visit)];
      const record = await commit((tx) => {
        const found = tx.get(LOGIN_ATTEMPTS, key)?.value;
        if (
          found === undefined ||
          found.provider !== provider ||
          found.expiresAtMs <= clock.nowMs()
        )
          return null;
        endNow(tx, found.expiresAtMs, 'visit', key);
        return found;
      });
      if (record === null)
        throw new AppError(
          'code_expired',
          'this sign-in was finished before, or begun too long ago; begin again',
        );
      return vault.unseal(record.sealed);
    },
  };
}
