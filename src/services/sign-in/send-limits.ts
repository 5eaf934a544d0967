import { backOffMs } from '../../domain/back-off.ts';
import { OTP } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { endAt, endNow, moveEnd } from './expiry.ts';
import { CODE_ASKERS, PHONES, SEND_COUNTS, type PhoneRecord } from './tables.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** One request to send a code. */
export interface SendRequest {
  readonly phoneDigest: string;
  /** Null for callers inside the service. */
  readonly asker: CodeAsker | null;
  readonly country: string;
  readonly challengeId: string;
  readonly nowMs: number;
}

/**
 * Who asked for a code, and is counted: an address without an earlier sign-in, by its digest,
 * or a signed-in user.
 */
export type CodeAsker =
  | { readonly kind: 'address'; readonly digest: string }
  | { readonly kind: 'user'; readonly userId: UserId };

/** What a send counted leaves behind. */
export interface SendCounted {
  /** The challenge that no longer counts. */
  readonly replaced: string | null;
  /** When the next code may be asked for. */
  readonly resendAtMs: number;
}

/**
 * Counts a send against phone, who asked, country and day, and refuses it beyond any of them,
 * whoever the phone belongs to. What others have sent to a phone holds up no code that its
 * signed-in owner asks for. Errors: `rate_limited` too soon after the last one,
 * `too_many_attempts` beyond a number of sends or under a lock, `sign_in_unavailable` when the
 * service as a whole has sent enough; each says when to come again.
 */
export function countSend(tx: StoreWriter, request: SendRequest): SendCounted {
  const { nowMs } = request;
  const before = tx.get(PHONES, [request.phoneDigest])?.value ?? null;
  assertNotLocked(before, nowMs);
  const counted = request.asker?.kind === 'user' ? 'ownSentAtMs' : 'sentAtMs';
  const sentAtMs = (before?.[counted] ?? []).filter((atMs) => atMs > nowMs - DAY_MS);
  const newest = sentAtMs.at(-1);
  if (newest !== undefined && newest + waitAfter(sentAtMs, newest) > nowMs)
    throw tooSoon(newest + waitAfter(sentAtMs, newest) - nowMs);
  assertBelow(sentAtMs, nowMs, {
    perHour: OTP.sendsPerPhonePerHour,
    perDay: OTP.sendsPerPhonePerDay,
    whose: 'this phone was sent',
  });
  if (request.asker !== null) countAsker(tx, request.asker, nowMs);
  countWindow(tx, `country ${request.country}`, {
    nowMs,
    windowMs: HOUR_MS,
    maximum: OTP.sendsPerCountryPerHour,
  });
  countWindow(tx, 'all', { nowMs, windowMs: DAY_MS, maximum: OTP.sendsPerDay });
  const all = [...sentAtMs, nowMs];
  putPhone(
    tx,
    request.phoneDigest,
    before,
    { ...(before ?? FRESH), [counted]: all, challengeId: request.challengeId },
    nowMs,
  );
  return { replaced: before?.challengeId ?? null, resendAtMs: nowMs + waitAfter(all, nowMs) };
}

/**
 * Counts a try as wrong before it is judged, so that tries that come at once are all counted; a
 * right one is forgiven by `clearPhone`. Errors: `too_many_attempts` under a lock.
 */
export function countTry(tx: StoreWriter, phoneDigest: string, nowMs: number): void {
  const before = tx.get(PHONES, [phoneDigest])?.value ?? null;
  assertNotLocked(before, nowMs);
  if (before === null) return;
  const wrongAtMs = [...before.wrongAtMs.filter((atMs) => atMs > nowMs - HOUR_MS), nowMs];
  const wrongInARow = before.wrongInARow + 1;
  const isLocking = wrongAtMs.length >= OTP.wrongPerPhonePerHour;
  const lockMs = backOffMs(before.locks, {
    firstMs: OTP.lockFirstMs,
    maximumMs: OTP.lockMaximumMs,
  });
  const next: PhoneRecord = isLocking
    ? {
        ...before,
        wrongAtMs: [],
        wrongInARow,
        locks: before.locks + 1,
        lockedUntilMs: nowMs + lockMs,
      }
    : { ...before, wrongAtMs, wrongInARow };
  putPhone(tx, phoneDigest, before, next, nowMs);
}

/**
 * Forgets what was counted of a phone: who owns it does not pester it, so its limits begin anew.
 */
export function clearPhone(tx: StoreWriter, phoneDigest: string): void {
  const record = tx.get(PHONES, [phoneDigest])?.value;
  if (record !== undefined) endNow(tx, record.keptUntilMs, 'phone', [phoneDigest]);
}

const FRESH: PhoneRecord = {
  sentAtMs: [],
  challengeId: '',
  wrongAtMs: [],
  wrongInARow: 0,
  locks: 0,
  lockedUntilMs: 0,
  keptUntilMs: 0,
};

function putPhone(
  tx: StoreWriter,
  phoneDigest: string,
  before: PhoneRecord | null,
  next: PhoneRecord,
  nowMs: number,
): void {
  const keptUntilMs = Math.max(
    nowMs + (next.wrongInARow > 0 ? OTP.wrongKeptMs : DAY_MS),
    next.lockedUntilMs,
  );
  if (before !== null) moveEnd(tx, before.keptUntilMs, 'phone', [phoneDigest]);
  tx.put(PHONES, [phoneDigest], { ...next, keptUntilMs });
  endAt(tx, keptUntilMs, 'phone', [phoneDigest]);
}

function assertNotLocked(record: PhoneRecord | null, nowMs: number): void {
  if (record === null) return;
  if (record.wrongInARow >= OTP.wrongInARowMaximum)
    throw new AppError(
      'too_many_attempts',
      'too many wrong codes for this phone; sign in another way',
    );
  if (record.lockedUntilMs > nowMs) {
    throw new AppError(
      'too_many_attempts',
      'too many wrong codes for this phone; it is locked for a while',
      { retryable: true, retryAfterMs: record.lockedUntilMs - nowMs },
    );
  }
}

/** The wait after a send: it doubles with each of the last hour. */
function waitAfter(sentAtMs: readonly number[], newestMs: number): number {
  const within = sentAtMs.filter((atMs) => atMs > newestMs - HOUR_MS).length;
  return backOffMs(within - 1, {
    firstMs: OTP.resendFirstMs,
    maximumMs: OTP.resendMaximumMs,
  });
}

function tooSoon(retryAfterMs: number): AppError {
  return new AppError('rate_limited', 'a code was sent a moment ago', {
    retryable: true,
    retryAfterMs,
  });
}

function assertBelow(
  sentAtMs: readonly number[],
  nowMs: number,
  bounds: { readonly perHour: number; readonly perDay: number; readonly whose: string },
): void {
  const ofHour = sentAtMs.filter((atMs) => atMs > nowMs - HOUR_MS);
  const [oldestOfHour = nowMs] = ofHour;
  const [oldestOfDay = nowMs] = sentAtMs;
  if (ofHour.length >= bounds.perHour)
    throw enough(
      `${bounds.whose} ${ofHour.length} codes within the hour`,
      oldestOfHour + HOUR_MS - nowMs,
    );
  if (sentAtMs.length >= bounds.perDay)
    throw enough(
      `${bounds.whose} ${sentAtMs.length} codes within the day`,
      oldestOfDay + DAY_MS - nowMs,
    );
}

function enough(message: string, retryAfterMs: number): AppError {
  return new AppError('too_many_attempts', message, { retryable: true, retryAfterMs });
}

/** Users are counted by themselves: others may sign in from where they are. */
function countAsker(tx: StoreWriter, asker: CodeAsker, nowMs: number): void {
  const isUser = asker.kind === 'user';
  const name = isUser ? asker.userId : asker.digest;
  const before = tx.get(CODE_ASKERS, [name])?.value;
  const sentAtMs = (before?.sentAtMs ?? []).filter((atMs) => atMs > nowMs - DAY_MS);
  assertBelow(sentAtMs, nowMs, {
    perHour: isUser ? OTP.sendsPerUserPerHour : OTP.sendsPerAddressPerHour,
    perDay: isUser ? OTP.sendsPerUserPerDay : OTP.sendsPerAddressPerDay,
    whose: isUser ? 'you were sent' : 'your address was sent',
  });
  const keptUntilMs = nowMs + DAY_MS;
  if (before !== undefined) moveEnd(tx, before.keptUntilMs, 'code_asker', [name]);
  tx.put(CODE_ASKERS, [name], { sentAtMs: [...sentAtMs, nowMs], keptUntilMs });
  endAt(tx, keptUntilMs, 'code_asker', [name]);
}

/**
 * Counts one more in a window of time. Errors: `sign_in_unavailable` beyond the maximum, with the
 * time the next window begins.
 */
export function countWindow(
  tx: StoreWriter,
  scope: string,
  {
    nowMs,
    windowMs,
    maximum,
  }: { readonly nowMs: number; readonly windowMs: number; readonly maximum: number },
): void {
  const startMs = Math.floor(nowMs / windowMs) * windowMs;
  const count = (tx.get(SEND_COUNTS, [scope, startMs])?.value.count ?? 0) + 1;
  if (count > maximum)
    throw new AppError(
      'sign_in_unavailable',
      'enough of these for now; sign in another way, or later',
      { retryable: true, retryAfterMs: startMs + windowMs - nowMs },
    );
  tx.put(SEND_COUNTS, [scope, startMs], { count });
  if (count === 1) endAt(tx, startMs + windowMs, 'count', [scope, startMs]);
}
