/** Shows one-time codes where no telephone service is. */
export interface CodePrinter {
  show(phone: string, code: string): Promise<void>;
  /** The last code shown for a phone; null without one. */
  codeFor(phone: string): string | null;
}

/** Codes remembered, for the demo user who reads its own. */
const REMEMBERED = 100;

/** Makes the printer. */
export function createCodePrinter(print: (line: string) => void): CodePrinter {
  const shown = new Map<string, string>();
  return {
    async show(phone, code) {
      shown.delete(phone);
      shown.set(phone, code);
      const oldest = shown.size > REMEMBERED ? shown.keys().next().value : undefined;
      if (oldest !== undefined) shown.delete(oldest);
      print(
        `sign-in   code for ${phone.slice(0, -4).replace(/\d/g, '•')}${phone.slice(-4)}: ${code}`,
      );
    },
    codeFor: (phone) => shown.get(phone) ?? null,
  };
}
