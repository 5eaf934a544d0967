/**
 * What a code turned out to be. `spent`: no more tries are taken; `expired`: used, replaced, too
 * old, or never sent.
 */
export type CodeCheck = 'right' | 'wrong' | 'spent' | 'expired';

/** A code a user typed, for the phone and the reference it was sent under. */
interface TypedCode {
  readonly phone: string;
  readonly reference: string;
  readonly code: string;
}

/**
 * Proves that a user holds a phone: sends six-digit codes and judges them. Counting tries, ending
 * codes and using each once is the caller's work; an implementation may be stricter.
 */
export interface PhoneVerifier {
  /**
   * Sends a fresh code to a number in E.164 form and gives the reference to judge it by, which
   * tells nothing of the code. `earlier` is the reference of the code it replaces. Errors:
   * `invalid_request` for numbers the service does not take, `country_not_supported` for places it
   * does not reach, `too_many_attempts`, `sign_in_unavailable` (retryable unless the service does
   * not know us).
   */
  send(phone: string, earlier: string | null): Promise<string>;
  /** Judges a code. Errors: `sign_in_unavailable` (retryable) when it could not be judged. */
  check(typed: TypedCode): Promise<CodeCheck>;
}
