import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CodeSender } from '../../ports/code-sender.ts';
import type { PublicKeySet, SecretDigests, TokenIssuer } from '../../ports/identity.ts';
import type { Log } from '../../ports/log.ts';
import type { Random } from '../../ports/random.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Store } from '../../ports/store.ts';
import type { Accounts } from './accounts.ts';
import type { Commit } from '../commit.ts';
import { freshId } from '../fresh-id.ts';
import type { CodeSent } from './codes.ts';
import { createCodes } from './codes.ts';
import { rotate, revokeFamily, startFamily } from './families.ts';
import { FAMILIES, USERS } from './tables.ts';

/** Tokens of a signed-in device. The refresh token is good for one use. */
export interface SignedIn {
  readonly userId: UserId;
  readonly accessToken: string;
  readonly accessExpiresAtMs: number;
  readonly refreshToken: string;
  readonly refreshExpiresAtMs: number;
}

/** Who a token speaks for. */
export interface Session {
  readonly userId: UserId;
  readonly sessionId: string;
  readonly expiresAtMs: number;
}

/** Signing in by phone and staying signed in. */
export interface Sessions {
  /**
   * Sends a one-time code; a new one replaces the old. Says the same of known and unknown phones. Errors:
   * `invalid_request` for what is no mobile number, `rate_limited` within SIGN_IN.resendAfterMs, `too_many_attempts`
   * beyond SIGN_IN.sendsPerPhonePerHour, both counted from the last right code.
   */
  requestCode(phone: string): Promise<CodeSent>;
  /**
   * Signs in with the code, once; the first time it makes the user. Errors: `code_invalid` (with attempts left),
   * `code_expired` also for unknown, used and replaced challenges, `too_many_attempts` after SIGN_IN.attemptsPerCode.
   */
  verifyCode(challengeId: string, code: string): Promise<SignedIn>;
  /** Gives new tokens for a refresh token. A second use of one ends its whole family. Errors: `token_invalid`, `token_expired`. */
  refresh(refreshToken: string): Promise<SignedIn>;
  /** Ends the session and its tokens. */
  logout(sessionId: string): Promise<void>;
  /** Errors: `token_invalid` (revoked sessions included), `token_expired`. */
  authenticate(accessToken: string): Promise<Session>;
  jwks(): PublicKeySet;
}

/** What sessions are made of. */
export interface SessionsDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: KeyVault;
  readonly digests: SecretDigests;
  readonly tokens: TokenIssuer;
  readonly codes: CodeSender;
  readonly accounts: Pick<Accounts, 'draft' | 'enrol' | 'activate'>;
  readonly log: Log;
}

/** Makes the service. */
export function createSessions(deps: SessionsDeps): Sessions {
  const codes = createCodes(deps);

  async function signedIn(userId: UserId, familyId: string, refreshToken: string, refreshExpiresAtMs: number): Promise<SignedIn> {
    const issuedAtMs = deps.clock.nowMs();
    const accessExpiresAtMs = Math.floor((issuedAtMs + SIGN_IN.accessTokenLifeMs) / 1_000) * 1_000;
    const accessToken = await deps.tokens.issue({ userId, familyId, issuedAtMs, expiresAtMs: accessExpiresAtMs });
    return { userId, accessToken, accessExpiresAtMs, refreshToken, refreshExpiresAtMs };
  }

  return {
    requestCode: codes.request,
    async verifyCode(challengeId, code) {
      const secret = freshSecret(deps.random);
      const familyId = freshId(deps.random, 'ses_');
      const draft = deps.accounts.draft();
      const verdict = await deps.commit((tx) => {
        const checked = codes.check(tx, challengeId, code);
        if (checked.kind !== 'right') return checked;
        const user = deps.accounts.enrol(tx, checked.challenge, draft);
        const expiresAtMs = startFamily(tx, { familyId, userId: user.userId, digest: deps.digests.digest('refresh', secret), nowMs: deps.clock.nowMs() });
        return { kind: 'signed_in' as const, userId: user.userId, expiresAtMs };
      });
      if (verdict.kind !== 'signed_in') throw codes.refusal(verdict);
      await deps.accounts.activate(verdict.userId);
      return signedIn(verdict.userId, familyId, `${familyId}.0.${secret}`, verdict.expiresAtMs);
    },
    async refresh(refreshToken) {
      const { familyId, generation, secret } = readRefreshToken(refreshToken);
      const next = freshSecret(deps.random);
      const verdict = await deps.commit((tx) =>
        rotate(tx, {
          familyId,
          generation,
          isRight: (digest) => deps.digests.same(digest, deps.digests.digest('refresh', secret)),
          nextDigest: deps.digests.digest('refresh', next),
          nowMs: deps.clock.nowMs(),
        }),
      );
      if (verdict.kind === 'rotated') return signedIn(verdict.userId, familyId, `${familyId}.${verdict.generation}.${next}`, verdict.expiresAtMs);
      if (verdict.kind === 'reused') deps.log.warn({ sessionId: familyId }, 'session.refresh_token_reused');
      if (verdict.kind === 'expired') throw new AppError('token_expired', 'the session has expired; sign in again');
      throw new AppError('token_invalid', 'the refresh token is no longer good; sign in again');
    },
    async logout(sessionId) {
      await deps.commit((tx) => revokeFamily(tx, sessionId, deps.clock.nowMs()));
    },
    async authenticate(accessToken) {
      const { userId, familyId, expiresAtMs } = await deps.tokens.verify(accessToken, deps.clock.nowMs());
      const family = deps.store.get(FAMILIES, [familyId])?.value;
      if (family === undefined || family.revokedAtMs !== null || family.userId !== userId || deps.store.get(USERS, [userId]) === null) {
        throw new AppError('token_invalid', 'the session has ended; sign in again');
      }
      return { userId, sessionId: familyId, expiresAtMs };
    },
    jwks: () => deps.tokens.publicKeys(),
  };
}

/** Takes a refresh token apart: family, generation, secret. Errors: `token_invalid`. */
function readRefreshToken(text: string): { readonly familyId: string; readonly generation: number; readonly secret: string } {
  const [familyId = '', generation = '', secret = ''] = text.split('.');
  if (!/^ses_[0-9a-z]{26}$/.test(familyId) || !/^\d{1,9}$/.test(generation)) throw new AppError('token_invalid', 'this is not a refresh token of ours');
  return { familyId, generation: Number(generation), secret };
}

/** 256 bits as text. */
function freshSecret(random: Random): string {
  return Buffer.from(random.bytes(32)).toString('base64url');
}
