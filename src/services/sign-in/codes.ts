import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SecretDigests } from '../../ports/identity.ts';
import type { KeyVault } from '../../ports/key-vault.ts';
import type { PhoneVerifier } from '../../ports/phone-verifier.ts';
import { slotOf, slotOfDigest } from '../../domain/slot.ts';
import type { StoreWriter } from '../../ports/store.ts';
import type { UserDirectory } from '../../ports/user-directory.ts';
import { freshId } from '../fresh-id.ts';
import { endAt, endNow, sweepEnded } from './expiry.ts';
import { maskPhone, parsePhone } from './phones.ts';
import { clearPhone, countSend, countTry, type CodeAsker } from './send-limits.ts';
import { assertHere, assertSlotHere } from '../placement.ts';
import { CHALLENGES, type ChallengeRecord, type KeptPhone } from './tables.ts';

export interface CodesDeps
  extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'random' | 'metrics'> {
  readonly directory: Pick<UserDirectory, 'slots'>;
  readonly vault: Pick<KeyVault, 'seal' | 'unseal'>;
  readonly digests: SecretDigests;
  readonly phones: PhoneVerifier;
  /** Countries codes are sent to, two letters each. */
  readonly countries: ReadonlySet<string>;
}

/**
 * What a code opens: signing in, for anybody or for one user again, one user's private key, the
 * end of their account, or one transfer of theirs, with its amount and address. One sent for the
 * one opens nothing of the others.
 */
type CodePurpose = 'sign_in' | OwnPurpose;
/** What a signed-in user needs a code for. */
export type OwnPurpose =
  | `again ${UserId}`
  | `export ${UserId}`
  | `remove ${UserId}`
  | `transfer ${UserId} ${string}`;

/** A code on its way. */
export interface CodeSent {
  readonly challengeId: string;
  readonly expiresAtMs: number;
  readonly resendAtMs: number;
}

/** One-time codes: sent, judged, used once. */
export interface Codes {
  /**
   * Sends a code for signing in. Errors: see `Sessions.requestCode`. `address` is null for callers
   * inside the service. Sends to a phone are counted in one shard, whoever asks: it is `not_owner`
   * elsewhere, but for a signed-in user of this one, who adds the phone to their account.
   */
  request(phoneText: string, address: string | null, userId?: UserId | null): Promise<CodeSent>;
  /**
   * Sends a code to a signed-in user, for what they are about to do. It is counted as
   * theirs, whatever is asked from where they are. Errors: those of `request`.
   */
  requestFor(userId: UserId, phoneText: string, purpose: OwnPurpose): Promise<CodeSent>;
  /**
   * Judges a code and gives the phone it proves. The try is on disk before the judgement. Errors:
   * see `Sessions.verifyCode`.
   */
  prove(challengeId: string, code: string, purpose?: CodePurpose): Promise<KeptPhone>;
  /**
   * Uses a proven challenge up, in the sign-in's own commit. Errors: `code_expired` when it was
   * used meanwhile.
   */
  use(tx: StoreWriter, challengeId: string): void;
}

/** Makes the codes part of the sessions service. */
export function createCodes(deps: CodesDeps): Codes {
  const { clock, digests, metrics } = deps;
  return {
    request: (phoneText, address, userId = null) =>
      send(deps, phoneText, {
        purpose: 'sign_in',
        userId,
        asker:
          address === null ? null : { kind: 'address', digest: digests.digest('address', address) },
      }),
    requestFor: (userId, phoneText, purpose) =>
      send(deps, phoneText, { purpose, userId, asker: { kind: 'user', userId } }),

    async prove(challengeId, code, purpose = 'sign_in') {
      assertHere(deps.directory, challengeId);
      const counted = await deps.commit((tx) =>
        countAttempt(tx, { challengeId, purpose, nowMs: clock.nowMs() }),
      );
      if (counted.kind === 'refused') throw counted.refusal;
      const { challenge, reference, attempts } = counted;
      const verdict = await deps.phones.check({
        phone: deps.vault.unseal(challenge.phoneSealed),
        reference,
        code,
      });
      metrics.count('sign_in_codes_total', { outcome: verdict });
      if (verdict === 'right') return challenge;
      if (verdict === 'expired') throw gone();
      if (verdict === 'spent' || attempts >= SIGN_IN.attemptsPerCode) throw spent();
      const message = `wrong code, ${SIGN_IN.attemptsPerCode - attempts} attempts left`;
      throw new AppError('code_invalid', message, { fields: [{ path: '/code', message }] });
    },

    use(tx, challengeId) {
      const challenge = tx.get(CHALLENGES, [challengeId])?.value;
      if (challenge === undefined) throw gone();
      remove(tx, challengeId);
      clearPhone(tx, challenge.phoneDigest);
    },
  };
}

async function send(
  { commit, clock, random, directory, vault, digests, phones, metrics, countries }: CodesDeps,
  phoneText: string,
  {
    purpose,
    userId,
    asker,
  }: {
    readonly purpose: CodePurpose;
    readonly userId: UserId | null;
    readonly asker: CodeAsker | null;
  },
): Promise<CodeSent> {
  const phone = parsePhone(phoneText, countries);
  const nowMs = clock.nowMs();
  const phoneDigest = digests.digest('phone', phone.number);
  const slot = userId === null ? slotOfDigest(phoneDigest) : slotOf(userId);
  if (slot !== null) assertSlotHere(directory, slot);
  const challengeId = freshId(random, 'otp_', slot);
  const expiresAtMs = nowMs + SIGN_IN.codeLifeMs;
  const kept: KeptPhone = {
    phoneDigest,
    phoneMasked: maskPhone(phone.number),
    phoneSealed: vault.seal(phone.number),
  };
  const { earlier, resendAtMs } = await commit((tx) => {
    sweepEnded(tx, nowMs);
    const { country } = phone;
    const counted = countSend(tx, { phoneDigest, asker, country, challengeId, nowMs });
    const replaced = counted.replaced === null ? null : remove(tx, counted.replaced);
    tx.put(CHALLENGES, [challengeId], {
      ...kept,
      purpose,
      reference: null,
      attempts: 0,
      expiresAtMs,
    });
    endAt(tx, expiresAtMs, 'challenge', [challengeId]);
    return { earlier: replaced, resendAtMs: counted.resendAtMs };
  });
  const reference = await phones.send(phone.number, earlier);
  metrics.count('sign_in_codes_total', { outcome: 'sent' });
  await commit((tx) => change(tx, challengeId, { reference }));
  return { challengeId, expiresAtMs, resendAtMs };
}

type Counted =
  | {
      readonly kind: 'counted';
      readonly challenge: ChallengeRecord;
      readonly reference: string;
      readonly attempts: number;
    }
  | { readonly kind: 'refused'; readonly refusal: AppError };

function countAttempt(
  tx: StoreWriter,
  {
    challengeId,
    purpose,
    nowMs,
  }: { readonly challengeId: string; readonly purpose: CodePurpose; readonly nowMs: number },
): Counted {
  const challenge = tx.get(CHALLENGES, [challengeId])?.value;
  if (challenge === undefined) return { kind: 'refused', refusal: gone() };
  if (challenge.purpose !== purpose && isOfSameTransfers(challenge.purpose, purpose))
    return { kind: 'refused', refusal: otherTransfer() };
  if (
    challenge.purpose !== purpose ||
    challenge.expiresAtMs <= nowMs ||
    challenge.reference === null
  )
    return { kind: 'refused', refusal: gone() };
  if (challenge.attempts >= SIGN_IN.attemptsPerCode) return { kind: 'refused', refusal: spent() };
  countTry(tx, challenge.phoneDigest, nowMs);
  const attempts = challenge.attempts + 1;
  change(tx, challengeId, { attempts });
  return { kind: 'counted', challenge, reference: challenge.reference, attempts };
}

/**
 * Reports whether both codes are for transfers of the same user: no user hears of others' codes.
 */
function isOfSameTransfers(given: string, purpose: CodePurpose): boolean {
  const [kind, userId] = purpose.split(' ');
  return kind === 'transfer' && given.startsWith(`${kind} ${userId} `);
}

function otherTransfer(): AppError {
  return new AppError(
    'code_expired',
    'this code is for a transfer with another chain, token, amount or recipient, and for that one alone: ask for a code for this one',
  );
}

function gone(): AppError {
  return new AppError('code_expired', 'the code is used, replaced or too old; ask for a new one');
}

function spent(): AppError {
  return new AppError('too_many_attempts', 'too many wrong codes; ask for a new one');
}

function change(
  tx: StoreWriter,
  challengeId: string,
  fields: Partial<Pick<ChallengeRecord, 'reference' | 'attempts'>>,
): void {
  const challenge = tx.get(CHALLENGES, [challengeId])?.value;
  if (challenge !== undefined) tx.put(CHALLENGES, [challengeId], { ...challenge, ...fields });
}

/** Takes a challenge away and gives what it was sent under. */
function remove(tx: StoreWriter, challengeId: string): string | null {
  const challenge = tx.get(CHALLENGES, [challengeId])?.value;
  if (challenge === undefined) return null;
  endNow(tx, challenge.expiresAtMs, 'challenge', [challengeId]);
  return challenge.reference;
}
