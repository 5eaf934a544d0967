import { BoundedMap } from '../domain/bounded-map.ts';

/** Shows one-time codes where no telephone service is. */
export interface CodePrinter {
  show(phone: string, code: string): Promise<void>;
  /** The last code shown for a phone; null without one. */
  codeFor(phone: string): string | null;
}

/** Codes kept, for the demo user who reads its own. */
const SHOWN_MAXIMUM = 100;

/** Makes the printer. */
export function createCodePrinter(print: (line: string) => void): CodePrinter {
  const shown = new BoundedMap<string, string>(SHOWN_MAXIMUM);
  return {
    async show(phone, code) {
      shown.set(phone, code);
      print(
        `sign-in   code for ${phone.slice(0, -4).replace(/\d/g, '•')}${phone.slice(-4)}: ${code}`,
      );
    },
    codeFor: (phone) => shown.get(phone) ?? null,
  };
}
