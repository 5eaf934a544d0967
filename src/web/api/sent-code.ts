/** A code on its way to a phone, which a call proves by its challenge. */
export interface SentCode {
  readonly phone: string;
  readonly challengeId: string;
  /** From when another can be sent. */
  readonly resendAtMs: number;
  readonly expiresAtMs: number;
}

const SENT = 'predictd.sent-code';

/** Keeps what was sent over a reload of this tab, until it is used; null once it is. */
export function keepSentCode(code: SentCode | null): void {
  if (code === null) sessionStorage.removeItem(SENT);
  else sessionStorage.setItem(SENT, JSON.stringify(code));
}

/** Returns the code that was sent in this tab; null where none was, or it has expired. */
export function sentCode(nowMs: number): SentCode | null {
  const stored = sessionStorage.getItem(SENT);
  if (stored === null) return null;
  const code = JSON.parse(stored) as SentCode; // what `keepSentCode` stored in this tab
  return code.expiresAtMs > nowMs ? code : null;
}
