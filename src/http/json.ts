import { AppError } from '../domain/errors.ts';
import type { JsonValue } from '../domain/json-value.ts';

/** Deepest nesting taken: our own requests need three levels. */
const DEPTH_MAXIMUM = 16;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_TEXT = /[ !#-[\]-\u{10FFFF}]*/uy;
const BLANK = /[ \t\n\r]*/y;
/** Some programs begin a text with it; a reader may overlook it (RFC 8259, section 8.1). */
const BYTE_ORDER_MARK = '\uFEFF';
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads JSON strictly (RFC 8259): no duplicate names, no lone surrogates, at most 16 levels, and no
 * number that a float cannot hold with the very digits that were sent (0.1 is fine, 1e400 or twenty
 * digits are not; send those as text). Errors: `invalid_json` with the position and, where known,
 * the path.
 */
export function parseJson(text: string): JsonValue {
  const reader = new Reader(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  const value = reader.value('', 0);
  reader.skipBlank();
  if (!reader.isAtEnd) reader.fail('the end of the text', '');
  return value;
}

class Reader {
  position = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  fail(expected: string, path: string): never {
    const message = `${expected} expected at position ${this.position}`;
    throw new AppError('invalid_json', message, { fields: [{ path, message }] });
  }

  skipBlank(): void {
    this.match(BLANK);
  }

  value(path: string, depth: number): JsonValue {
    if (depth > DEPTH_MAXIMUM) this.fail(`at most ${DEPTH_MAXIMUM} levels`, path);
    this.skipBlank();
    switch (this.text[this.position]) {
      case '{':
        return this.object(path, depth);
      case '[':
        return this.array(path, depth);
      case '"':
        return this.string(path);
      case 't':
        return this.word('true', true, path);
      case 'f':
        return this.word('false', false, path);
      case 'n':
        return this.word('null', null, path);
      default:
        return this.number(path);
    }
  }

  private object(path: string, depth: number): JsonValue {
    const members = new Map<string, JsonValue>();
    this.position += 1;
    this.skipBlank();
    if (this.take('}')) return {};
    do {
      this.skipBlank();
      if (this.text[this.position] !== '"') this.fail('a member name in quotes', path);
      const name = this.string(path);
      const memberPath = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (members.has(name)) this.fail('each member name once', memberPath);
      this.skipBlank();
      if (!this.take(':')) this.fail('":"', memberPath);
      members.set(name, this.value(memberPath, depth + 1));
      this.skipBlank();
    } while (this.take(','));
    if (!this.take('}')) this.fail('"," or "}"', path);
    return Object.fromEntries(members);
  }

  private array(path: string, depth: number): JsonValue {
    const items: JsonValue[] = [];
    this.position += 1;
    this.skipBlank();
    if (this.take(']')) return items;
    do {
      items.push(this.value(`${path}/${items.length}`, depth + 1));
      this.skipBlank();
    } while (this.take(','));
    if (!this.take(']')) this.fail('"," or "]"', path);
    return items;
  }

  private string(path: string): string {
    const start = this.position;
    this.position += 1;
    for (;;) {
      this.match(PLAIN_TEXT);
      const next = this.text[this.position];
      if (next === '"') break;
      if (next !== '\\')
        this.fail(next === undefined ? 'a closing quote' : 'no control character in text', path);
      this.position += 2;
    }
    this.position += 1;
    const value = this.decode(this.text.slice(start, this.position), start, path);
    if (LONE_SURROGATE.test(value)) this.fail('whole characters', path);
    return value;
  }

  private decode(quoted: string, start: number, path: string): string {
    if (!quoted.includes('\\')) return quoted.slice(1, -1);
    try {
      const value: unknown = JSON.parse(quoted);
      return String(value);
    } catch {
      this.position = start;
      return this.fail('a valid escape in text', path);
    }
  }

  private number(path: string): number {
    const digits = this.match(NUMBER);
    if (digits === '') this.fail('a value', path);
    const value = Number(digits);
    if (!Number.isFinite(value) || !isExact(digits, value)) {
      this.position -= digits.length;
      this.fail('a number within range and precision (send longer ones as text)', path);
    }
    return value === 0 ? 0 : value;
  }

  private word<T>(word: string, value: T, path: string): T {
    if (!this.text.startsWith(word, this.position)) this.fail('a value', path);
    this.position += word.length;
    return value;
  }

  private take(character: string): boolean {
    if (this.text[this.position] !== character) return false;
    this.position += 1;
    return true;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.position += found.length;
    return found;
  }
}

/** True when the float prints the same decimal number that was sent. Fifteen digits always do. */
function isExact(digits: string, value: number): boolean {
  if (digits.length <= 15 && !/[eE]/.test(digits)) return true;
  return canonical(digits) === canonical(String(value));
}

function canonical(digits: string): string {
  const [mantissa = '', exponent = '0'] = digits.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = all.replace(/0+$/, '');
  return significant === ''
    ? '0'
    : `${significant}e${Number(exponent) - fraction.length + (all.length - significant.length)}`;
}
