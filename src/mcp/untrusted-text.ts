import { MCP } from '../../config/limits/mcp.ts';
import type { JsonValue } from '../domain/json-value.ts';
import { plainParagraphs, plainText } from '../domain/plain-text.ts';

/** An answer as a model may see it, and where in it is text that others may have written. */
export interface PlainAnswer {
  readonly value: JsonValue;
  /** JSON pointers, `*` for every entry of a list; sorted. */
  readonly untrustedText: readonly string[];
}

/**
 * What machines write: ids, numbers, hashes, times. Anything else may be words of a third party.
 */
const MACHINE_TEXT = /^[A-Za-z0-9_.:+-]{0,100}$/;
/** What cursors are made of, of any length: they are ours, and stay whole. */
const CURSOR = /^[A-Za-z0-9_.~:=+/-]*$/;
/** Names of members that hold words of others even where they resemble an id. */
const WORDS =
  /^(category|description|detail|event|icon|image|label|message|name|outcome|question|reason|rules|series|slug|subtitle|symbol|tags?|text|ticker|title|url)$|(Name|Slug|Symbol|Ticker|Title|Url)$/;

/**
 * Returns text that may come from outside, on one line, with nothing hidden in it, at most
 * MCP.outsideTextChars characters.
 */
export function outsideText(text: string): string {
  return plainText(text, MCP.outsideTextChars);
}

/**
 * Cleans every text of an answer, and says which of them others may have written. The cursor of
 * a list stays whole, and members of these names keep their paragraphs, up to MCP.longTextChars.
 */
export function plainAnswer(answer: JsonValue, longText: readonly string[] = []): PlainAnswer {
  const untrusted = new Set<string>();
  const clean = (value: JsonValue, path: string, name: string): JsonValue => {
    if (typeof value === 'string') {
      if (name === 'nextCursor' && CURSOR.test(value)) return value;
      if (!MACHINE_TEXT.test(value) || WORDS.test(name)) untrusted.add(path);
      return longText.includes(name)
        ? plainParagraphs(value, MCP.longTextChars)
        : outsideText(value);
    }
    if (isList(value)) return value.map((each) => clean(each, `${path}/*`, name));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, each]) => {
        const shown = outsideText(member);
        return [shown, clean(each, `${path}/${shown}`, shown)];
      }),
    );
  };
  const value = clean(answer, '', '');
  return { value, untrustedText: [...untrusted].sort() };
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
