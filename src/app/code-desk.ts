import { AppError } from '../domain/errors.ts';
import type { CodeSender } from '../ports/code-sender.ts';

/** Shows one-time codes where no telephone service is. */
export interface CodeDesk extends CodeSender {
  /** The last code shown for a phone; null when there was none. */
  codeFor(phone: string): string | null;
}

/** Codes remembered, for the demo user who reads its own. */
const REMEMBERED = 100;

/** Makes the desk. Without a `print` nobody would see the code: sending is then refused with `sign_in_unavailable`. */
export function createCodeDesk(print: ((line: string) => void) | null): CodeDesk {
  const shown = new Map<string, string>();
  return {
    async send(phone, code) {
      if (print === null) throw new AppError('sign_in_unavailable', 'this profile has no telephone service to send codes by');
      shown.delete(phone);
      shown.set(phone, code);
      const oldest = shown.size > REMEMBERED ? shown.keys().next().value : undefined;
      if (oldest !== undefined) shown.delete(oldest);
      print(`sign-in   code for ${phone.slice(0, -4).replace(/\d/g, '•')}${phone.slice(-4)}: ${code}`);
    },
    codeFor: (phone) => shown.get(phone) ?? null,
  };
}
