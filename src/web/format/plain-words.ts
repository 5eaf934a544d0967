import { cents, spendable, usd } from './money.ts';
import { sentence } from './text.ts';

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

const CENTS_ALREADY = /whole cents(?:: | from [1-9])/i;
const PRICE_CODES: ReadonlySet<string> = new Set(['price_out_of_range', 'price_off_tick']);

/** A call of the interface with the word before it, as in "by PUT /api/user/profile". */
const CALL = /(?:[:,]|\s(?:with|by))?\s(?:GET|POST|PUT|PATCH|DELETE) \/[\w:/<>-]+/g;
/** Ids of tokens and markets, which say nothing to people and fit no screen. */
const LONG_ID = /\b(?:0x[0-9a-fA-F]{40,}|\d{24,})\b/g;

/** What an order would bring beyond a limit, and the agent whose limit it is, where it is one's. */
const BEYOND_LIMIT =
  /^(.+?)( of agent \S+)? would (?:come to ([\d.]+) USDC, the cap is|exceed the cap of) ([\d.]+)$/;
const NOT_FREE = /^([\d.]+) USDC are to leave and ([\d.]+) are free(: .+)?$/;

/**
 * Writes a whole sentence for people: without calls, headers and long ids, with prices in cents,
 * money in dollars, and what can be done.
 */
export function plainWords(code: string | null, text: string): string {
  const own = code === null ? undefined : SENTENCES[code];
  if (own !== undefined) return own;
  const plain = text.replace(CALL, '').replace(LONG_ID, (id) => `${id.slice(0, 6)}…`);
  const written = inCents(code, withRemedy(plain));
  return /(^|[.!?…:])$/.test(written) ? sentence(written) : `${sentence(written)}.`;
}

/** Reports whether a refusal is of a limit that its user may have set. */
export function isOwnLimit(text: string): boolean {
  const match = BEYOND_LIMIT.exec(text);
  return match !== null && match[2] === undefined;
}

function withRemedy(text: string): string {
  const [, what, agent, sum, limit = null] = BEYOND_LIMIT.exec(text) ?? [];
  if (limit !== null) {
    const beyond =
      sum === undefined
        ? `be more than the limit of ${limit}`
        : `come to ${usd(sum)}, and the limit is ${usd(limit)}`;
    const where =
      agent === undefined ? 'your own limits, in Settings' : 'the settings of the agent';
    return `${what} would ${beyond}. See ${where}.`;
  }
  const [, needed, free = null, why = ''] = NOT_FREE.exec(text) ?? [];
  return free === null || needed === undefined
    ? text
    : `${usd(needed)} are needed and ${spendable(free)} are free${why}. Take less, or deposit more.`;
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
