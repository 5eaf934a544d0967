import { TELEPHONE } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { CodeCheck } from '../../ports/phone-verifier.ts';
import type { HttpOutcome } from '../wire/http-calls.ts';
import { refusalSchema, verificationSchema, type Verification } from './schema.ts';

/** An answer of the service: a verification, or the number of its refusal. */
export type VerifyAnswer =
  | { readonly kind: 'verification'; readonly verification: Verification }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: number;
      readonly retryAfterMs: number | null;
    };

/** The service's numbers for its refusals (identity.md section 1.4, from its error pages). */
export const REFUSALS = {
  unknownAccount: 20_003,
  notFound: 20_404,
  tooManyRequests: 20_429,
  invalidParameter: 60_200,
  checksUsed: 60_202,
  sendsUsed: 60_203,
  landline: 60_205,
  serviceLimit: 60_207,
  blockedPrefix: 60_410,
} as const;

/**
 * Reads an answer. Errors: `sign_in_unavailable` (retryable) for no answer, a fault of the service,
 * and words without meaning.
 */
export function readAnswer(outcome: HttpOutcome): VerifyAnswer {
  if (outcome.kind !== 'answered') throw unavailable(`no answer: ${outcome.cause}`);
  const { status, text, retryAfterMs } = outcome;
  if (status >= 500) throw unavailable(`answered ${status}`, retryAfterMs);
  const body = readJson(text);
  if (status === 200 || status === 201) {
    const parsed = verificationSchema.safeParse(body);
    if (!parsed.success) throw unavailable('answered with a verification in an unexpected format');
    return { kind: 'verification', verification: parsed.data };
  }
  const refusal = refusalSchema.safeParse(body);
  if (!refusal.success) throw unavailable(`answered ${status} without its reason`, retryAfterMs);
  return { kind: 'refused', status, code: refusal.data.code, retryAfterMs };
}

/** What a checked code turned out to be. Errors: `sign_in_unavailable` when it was not judged. */
export function readVerdict(answer: VerifyAnswer): CodeCheck {
  if (answer.kind === 'refused') {
    if (answer.code === REFUSALS.notFound) return 'expired';
    if (answer.code === REFUSALS.checksUsed) return 'spent';
    throw refused(answer);
  }
  const { status, valid } = answer.verification;
  if (status === 'approved' && valid) return 'right';
  if (status === 'pending' && !valid) return 'wrong';
  if (status === 'max_attempts_reached') return 'spent';
  if (status === 'approved' || status === 'pending')
    throw unavailable(`contradicts itself: ${status} and ${valid ? 'valid' : 'not valid'}`);
  return 'expired';
}

/** The error a refused call becomes. */
export function refused({
  code,
  status,
  retryAfterMs,
}: Extract<VerifyAnswer, { kind: 'refused' }>): AppError {
  switch (code) {
    case REFUSALS.invalidParameter:
    case REFUSALS.landline: {
      const message = 'the telephone service sends no texts to this number';
      return new AppError('invalid_request', message, { fields: [{ path: '/phone', message }] });
    }
    case REFUSALS.blockedPrefix: {
      const message = 'codes are not sent to numbers of this range';
      return new AppError('country_not_supported', message, {
        fields: [{ path: '/phone', message }],
      });
    }
    case REFUSALS.sendsUsed:
      return new AppError('too_many_attempts', 'this phone was sent enough codes', {
        retryable: true,
        retryAfterMs: retryAfterMs ?? TELEPHONE.sendsForgottenAfterMs,
      });
    case REFUSALS.serviceLimit:
    case REFUSALS.tooManyRequests:
      return unavailable('asks for fewer calls', retryAfterMs);
    case REFUSALS.unknownAccount:
      return new AppError('sign_in_unavailable', 'the telephone service does not know us');
    default:
      return unavailable(`refused with ${status}, its number ${code}`, retryAfterMs);
  }
}

/**
 * The service could not be asked, or did not say. Nothing follows from that about the code (L2).
 */
export function unavailable(what: string, retryAfterMs: number | null = null): AppError {
  return new AppError('sign_in_unavailable', `the telephone service ${what}`, {
    retryable: true,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
