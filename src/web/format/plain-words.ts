import { cents } from './money.ts';

/**
 * What people read in place of the interface's own sentence, by the code of a refusal: theirs
 * names calls and ids, which a program needs. The receipts and the interface keep theirs.
 */
const SENTENCES: Readonly<Record<string, string>> = {
  trading_stopped:
    'Buying is stopped. If you stopped it, resume it in the line at the top of the page. You can still sell and cancel.',
  market_fenced:
    'An order of yours in this market waits for the venue’s answer, and no second one is sent before it has come. Press again then.',
  agent_stopped: 'The agent is not enabled.',
  no_liquidity:
    'The book does not offer that much at your price now. Take less, or place a limit order.',
  code_required: 'Ask for a code first, and enter it here.',
  username_required: 'Choose a username first.',
  phone_required: 'This needs a phone in your account. Add one in the settings, under security.',
  unauthenticated: 'Sign in first.',
  idempotency_mismatch: 'This was asked for before with other figures. Begin it anew.',
  request_in_progress: 'The first press is still being worked on. Press again to ask.',
};

const CENTS_ALREADY = /whole cents(?:: | from [1-9])/;
const PRICE_CODES: ReadonlySet<string> = new Set(['price_out_of_range', 'price_off_tick']);

/** A call of the interface with the word before it, as in "by PUT /api/user/profile". */
const CALL = /(?:[:,]|\s(?:with|by))?\s(?:GET|POST|PUT|PATCH|DELETE) \/[\w:/<>-]+/g;
/** Ids of tokens and markets, which say nothing to people and fit no screen. */
const LONG_ID = /\b(?:0x[0-9a-fA-F]{40,}|\d{24,})\b/g;

/** Writes a sentence for people: without calls, headers and long ids, and prices in cents. */
export function plainWords(code: string | null, text: string): string {
  const own = code === null ? undefined : SENTENCES[code];
  return (
    own ??
    inCents(
      code,
      text.replace(CALL, '').replace(LONG_ID, (id) => `${id.slice(0, 6)}…`),
    )
  );
}

/** Writes the prices of a refused price in cents, as pages ask for them. */
export function inCents(code: string | null, text: string): string {
  if (code === null || !PRICE_CODES.has(code) || CENTS_ALREADY.test(text)) return text;
  return text
    .replace(/\b0\.\d+\b/g, cents)
    .replace(' dollars a share', '')
    .replace('at most four decimals', 'at most two decimals');
}

/**
 * That the price went beyond the worst one of an order. It names none: the ticket shows the newest.
 */
export const MOVED_WORDS =
  'The price moved beyond the worst that you saw, and nothing was traded. What the order would do now is shown above: press again to take it.';
