import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CodeSender } from '../../ports/code-sender.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { Random } from '../../ports/random.ts';
import type { StoreWriter } from '../../ports/store.ts';
import type { Commit } from '../commit.ts';
import { freshId } from '../fresh-id.ts';
import { maskPhone, parsePhone } from './phones.ts';
import { CHALLENGES, PHONES, SIGN_IN_EXPIRY } from './tables.ts';
import type { ChallengeRecord } from './tables.ts';

/** What codes are made of. */
export interface CodesDeps {
  readonly commit: Commit;
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Pick<KeyVault, 'seal'>;
  readonly digests: SecretDigests;
  readonly codes: CodeSender;
}

/** A code on its way. */
export interface CodeSent {
  readonly challengeId: string;
  readonly expiresAtMs: number;
  readonly resendAtMs: number;
}

/** What a code turned out to be. */
export type CodeVerdict =
  | { readonly kind: 'right'; readonly challenge: ChallengeRecord }
  | { readonly kind: 'wrong'; readonly attemptsLeft: number }
  | { readonly kind: 'spent' }
  | { readonly kind: 'gone' };

/** One-time codes: made, sent and checked. */
export interface Codes {
  request(phoneText: string): Promise<CodeSent>;
  /** Checks a code inside a change, so that a wrong one is counted and a right one used up in the same commit. */
  check(tx: StoreWriter, challengeId: string, code: string): CodeVerdict;
  refusal(verdict: Exclude<CodeVerdict, { kind: 'right' }>): AppError;
}

const HOUR_MS = 3_600_000;
/** Ended records removed with each request: more than one adds, so the tables stay small. */
const SWEPT_PER_REQUEST = 8;

/** Makes the codes part of the sessions service. */
export function createCodes(deps: CodesDeps): Codes {
  const digestOf = (challengeId: string, salt: string, code: string): string => deps.digests.digest('code', `${challengeId}\n${salt}\n${code}`);
  return {
    async request(phoneText) {
      const phone = parsePhone(phoneText);
      const phoneDigest = deps.digests.digest('phone', phone);
      const challengeId = freshId(deps.random, 'otp_');
      const code = String(deps.random.integer(10 ** SIGN_IN.codeDigits)).padStart(SIGN_IN.codeDigits, '0');
      const salt = Buffer.from(deps.random.bytes(16)).toString('base64url');
      const nowMs = deps.clock.nowMs();
      const expiresAtMs = nowMs + SIGN_IN.codeLifeMs;
      const phoneSealed = deps.vault.seal(phone);
      await deps.commit((tx) => {
        sweep(tx, nowMs);
        const before = tx.get(PHONES, [phoneDigest])?.value;
        const sentAtMs = (before?.sentAtMs ?? []).filter((atMs) => atMs > nowMs - HOUR_MS);
        assertMaySend(sentAtMs, nowMs);
        if (before !== undefined) removeChallenge(tx, before.challengeId);
        tx.put(PHONES, [phoneDigest], { sentAtMs: [...sentAtMs, nowMs], challengeId });
        tx.put(SIGN_IN_EXPIRY, [nowMs + HOUR_MS, 'phone', phoneDigest], true);
        tx.put(CHALLENGES, [challengeId], {
          phoneDigest, phoneMasked: maskPhone(phone), phoneSealed, codeDigest: digestOf(challengeId, salt, code), salt, attempts: 0, expiresAtMs,
        });
        tx.put(SIGN_IN_EXPIRY, [expiresAtMs, 'challenge', challengeId], true);
      });
      await deps.codes.send(phone, code);
      return { challengeId, expiresAtMs, resendAtMs: nowMs + SIGN_IN.resendAfterMs };
    },

    check(tx, challengeId, code) {
      const challenge = tx.get(CHALLENGES, [challengeId])?.value;
      if (challenge === undefined || challenge.expiresAtMs <= deps.clock.nowMs()) return { kind: 'gone' };
      if (challenge.attempts >= SIGN_IN.attemptsPerCode) return { kind: 'spent' };
      if (deps.digests.same(challenge.codeDigest, digestOf(challengeId, challenge.salt, code))) {
        removeChallenge(tx, challengeId);
        // who owns the phone does not pester it: the limits on sending begin anew
        tx.remove(PHONES, [challenge.phoneDigest]);
        return { kind: 'right', challenge };
      }
      const attempts = challenge.attempts + 1;
      tx.put(CHALLENGES, [challengeId], { ...challenge, attempts });
      return attempts >= SIGN_IN.attemptsPerCode ? { kind: 'spent' } : { kind: 'wrong', attemptsLeft: SIGN_IN.attemptsPerCode - attempts };
    },

    refusal(verdict) {
      if (verdict.kind === 'gone') return new AppError('code_expired', 'the code is used, replaced or too old; ask for a new one');
      if (verdict.kind === 'spent') return new AppError('too_many_attempts', 'too many wrong codes; ask for a new one');
      const message = `wrong code, ${verdict.attemptsLeft} attempts left`;
      return new AppError('code_invalid', message, { fields: [{ path: '/code', message }] });
    },
  };
}

function assertMaySend(sentAtMs: readonly number[], nowMs: number): void {
  const oldest = sentAtMs[0];
  const newest = sentAtMs.at(-1);
  if (oldest !== undefined && sentAtMs.length >= SIGN_IN.sendsPerPhonePerHour) {
    throw new AppError('too_many_attempts', `this phone was sent ${sentAtMs.length} codes within the hour`, { retryable: true, retryAfterMs: oldest + HOUR_MS - nowMs });
  }
  if (newest !== undefined && newest + SIGN_IN.resendAfterMs > nowMs) {
    throw new AppError('rate_limited', 'a code was sent a moment ago', { retryable: true, retryAfterMs: newest + SIGN_IN.resendAfterMs - nowMs });
  }
}

function removeChallenge(tx: StoreWriter, challengeId: string): void {
  const challenge = tx.get(CHALLENGES, [challengeId])?.value;
  if (challenge === undefined) return;
  tx.remove(CHALLENGES, [challengeId]);
  tx.remove(SIGN_IN_EXPIRY, [challenge.expiresAtMs, 'challenge', challengeId]);
}

function sweep(tx: StoreWriter, nowMs: number): void {
  for (const { key } of tx.range(SIGN_IN_EXPIRY, { limit: SWEPT_PER_REQUEST })) {
    const [atMs, kind, id] = key;
    if (typeof atMs !== 'number' || atMs > nowMs || id === undefined) return;
    tx.remove(SIGN_IN_EXPIRY, key);
    if (kind === 'challenge') tx.remove(CHALLENGES, [id]);
    else if ((tx.get(PHONES, [id])?.value.sentAtMs.at(-1) ?? nowMs) <= nowMs - HOUR_MS) tx.remove(PHONES, [id]);
  }
}
