import type { JsonValue } from '../../src/domain/json-value.ts';

/** How much of everything an answer holds. */
export interface Size {
  /** Characters of a title. */
  readonly titleChars: number;
  /** Characters of the rules of a market. */
  readonly rulesChars: number;
  /** Entries of a list within an entry, such as levels of a book. */
  readonly inner: number;
  /** Tokens in each wallet. */
  readonly tokens: number;
  /** Entries of a list that comes whole, such as agents. */
  readonly whole: number;
}

/** As recorded at the venues: titles of some 70 characters, rules of 542 at the median. */
export const TYPICAL: Size = { titleChars: 70, rulesChars: 542, inner: 12, tokens: 3, whole: 6 };
/** More than was ever seen. */
export const HUGE: Size = {
  titleChars: 2_000,
  rulesChars: 8_000,
  inner: 30,
  tokens: 300,
  whole: 100,
};

const TITLES = new Set([
  'question',
  'title',
  'eventTitle',
  'groupTitle',
  'name',
  'reason',
  'message',
]);
const LONG_IDS: Readonly<Record<string, number>> = {
  tokenId: 77,
  orderId: 66,
  transactionHash: 66,
};
/** Lists that have as many entries as they have names. */
const FIXED = new Set(['outcomes', 'wallets', 'degraded', 'missing']);

/** The same answer with as much in it as there may be: `entries` on a page. */
export function enlarged(answer: JsonValue, size: Size, entries: number): JsonValue {
  const large = (value: JsonValue, name: string): JsonValue => {
    if (typeof value === 'string') return longer(value, name, size);
    if (isList(value)) {
      const count =
        name === 'data' ? entries : FIXED.has(name) ? value.length : countOf(name, size);
      return Array.from({ length: value.length === 0 ? 0 : count }, (_, index) =>
        large(value[index % value.length] ?? null, name),
      );
    }
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, each]) => [member, large(each, member)]),
    );
  };
  return large(answer, '');
}

function longer(text: string, name: string, { titleChars, rulesChars }: Size): string {
  if (name === 'description')
    return 'The rules go on and on. '.repeat(rulesChars).slice(0, rulesChars);
  if (TITLES.has(name)) return `${text} ${'and so on '.repeat(titleChars)}`.slice(0, titleChars);
  const chars = LONG_IDS[name];
  return chars === undefined ? text : text.padEnd(chars, '7');
}

function countOf(name: string, { inner, tokens }: Size): number {
  return name === 'tokens' ? tokens : inner;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
