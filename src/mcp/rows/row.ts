import type { z } from 'zod';
import type { JsonValue } from '../../domain/json-value.ts';
import type { Row } from '../tool.ts';

/** An object of JSON. */
export type Members = Readonly<Record<string, JsonValue>>;

/** Returns the members of an object; none of what is no object. */
export function membersOf(value: JsonValue): Members {
  return value === null || typeof value !== 'object' || Array.isArray(value)
    ? {}
    : // an object of JSON that is no list has named members
      (value as Members);
}

/** Returns the entries of a list; none of what is no list. */
export function entriesOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Returns what a dotted path leads to; null where it leads nowhere. */
export function at(value: JsonValue, path: string): JsonValue {
  return path.split('.').reduce<JsonValue>((found, name) => membersOf(found)[name] ?? null, value);
}

/** Creates a row of these members, each found by its own name or by the path in `from`. */
export function row(
  names: readonly string[],
  from: Readonly<Record<string, string>> = {},
): (entry: JsonValue) => Members {
  return (entry) => Object.fromEntries(names.map((name) => [name, at(entry, from[name] ?? name)]));
}

/** Creates the row of a shape: its members, and no others. */
export function shapedRow(shape: z.ZodObject, from: Readonly<Record<string, string>> = {}): Row {
  return row(Object.keys(shape.shape), from);
}

/** Returns a value if it says something: zeros, false and their like decide nothing. */
export function unless(value: JsonValue, ...usual: readonly JsonValue[]): JsonValue {
  return usual.includes(value) ? null : value;
}

/** Leaves out what is null, at any depth: its absence says the same. */
export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      each === null ? [] : [[name, withoutNulls(each)] as const],
    ),
  );
}
