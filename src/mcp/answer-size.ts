import type { JsonValue } from '../domain/json-value.ts';
import { membersOf } from './rows/row.ts';

/** A list or a text within an answer. */
interface Part {
  /** Names and numbers that lead to it. */
  readonly path: readonly (string | number)[];
  readonly chars: number;
  readonly value: readonly JsonValue[] | string;
}

/**
 * Shortens an answer to `maximumChars` characters of JSON: the longest lists lose their ends, and
 * without lists the longest texts do. `cut` says of each list how much of it is kept. A page
 * keeps all its entries, for a cursor goes on behind the last of them.
 */
export function fitted(
  answer: Readonly<Record<string, JsonValue>>,
  maximumChars: number,
  isPage = false,
): Readonly<Record<string, JsonValue>> {
  const cut: Record<string, string> = {};
  const whole = new Map<string, number>();
  const noted = (value: JsonValue): Readonly<Record<string, JsonValue>> => ({
    ...membersOf(value),
    ...(Object.keys(cut).length === 0 ? {} : { cut }),
  });
  let left: JsonValue = answer;
  while (JSON.stringify(noted(left)).length > maximumChars) {
    const found = longest(left, isPage);
    if (found === null) break;
    const { path, value } = found;
    const kept = value.slice(0, Math.floor(value.length / 2));
    if (typeof value !== 'string') {
      const name = `/${path.join('/')}`;
      if (!whole.has(name)) whole.set(name, value.length);
      cut[name] = `the first ${kept.length} of ${whole.get(name)}`;
    }
    left = replaced(left, path, kept);
  }
  return noted(left);
}

/** The longest list of more than one entry; without one, the longest text that can be shortened. */
function longest(answer: JsonValue, isPage: boolean): Part | null {
  const lists: Part[] = [];
  const texts: Part[] = [];
  const visit = (value: JsonValue, path: Part['path']): void => {
    if (typeof value === 'string') {
      if (value.length > TEXT_KEPT_CHARS) texts.push({ path, chars: value.length, value });
    } else if (isList(value)) {
      if (value.length > 1 && !(isPage && path.length === 1 && path[0] === 'items'))
        lists.push({ path, chars: JSON.stringify(value).length, value });
      value.forEach((each, index) => visit(each, [...path, index]));
    } else Object.entries(membersOf(value)).forEach(([name, each]) => visit(each, [...path, name]));
  };
  visit(answer, []);
  const [first = null] = [...lists].sort((a, b) => b.chars - a.chars);
  const [text = null] = [...texts].sort((a, b) => b.chars - a.chars);
  return first ?? text;
}

/** Shorter texts are ids and names: cut they would be of no use. */
const TEXT_KEPT_CHARS = 200;

function replaced(value: JsonValue, path: Part['path'], by: JsonValue): JsonValue {
  const [first, ...rest] = path;
  if (first === undefined) return by;
  if (isList(value))
    return value.map((each, index) => (index === first ? replaced(each, rest, by) : each));
  const { [first]: inner = null, ...others } = membersOf(value);
  return { ...others, [first]: replaced(inner, rest, by) };
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
