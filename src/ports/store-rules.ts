import { assert } from '../domain/errors.ts';
import type { Key, KeyPart, Range, Table } from './store.ts';

/** Rules every implementation of the store port shares. Breaking one is a programmer's error. */
const KEY_PARTS_MAXIMUM = 8;
const KEY_BYTES_MAXIMUM = 512;
/** What a number or the end of a text may take in a stored key. */
const PART_OVERHEAD_BYTES = 9;
/** Control characters mark the ends of parts in stored keys. */
const KEY_TEXT = /^[^\p{Cc}\p{Cs}]+$/u;
const [FIRST_PRINTABLE, LAST_PRINTABLE] = [0x20, 0x7e];
const TABLE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
/** Deeper records are a cycle or a mistake. */
const DEPTH_MAXIMUM = 32;

/**
 * Checks a table's name: a letter, then letters, digits, points and dashes, 64 characters at most.
 */
export function assertTable(table: Table<unknown>): void {
  if (!TABLE_NAME.test(table.name)) broken(`a table name of letters and digits, not ${table.name}`);
}

/**
 * Checks a key: 1 to 8 parts, each a safe integer or text without control characters, 512 bytes in
 * all.
 */
export function assertKey(key: Key): void {
  if (key.length < 1 || key.length > KEY_PARTS_MAXIMUM)
    broken(`a key of 1 to ${KEY_PARTS_MAXIMUM} parts, not ${key.length}`);
  let bytes = 0;
  for (const part of key) {
    bytes += PART_OVERHEAD_BYTES;
    if (typeof part === 'number') {
      if (!Number.isSafeInteger(part) || Object.is(part, -0))
        broken(`a whole number in a key, not ${part}`);
    } else if (isPlainText(part)) bytes += part.length;
    else {
      if (!KEY_TEXT.test(part)) broken('key text without control characters, and not empty');
      bytes += Buffer.byteLength(part);
    }
  }
  if (bytes > KEY_BYTES_MAXIMUM)
    broken(`a key of at most ${KEY_BYTES_MAXIMUM} bytes, not ${bytes}`);
}

/**
 * True for printable ASCII, which nearly every key is and which takes a byte each: every read
 * checks its key.
 */
function isPlainText(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < FIRST_PRINTABLE || code > LAST_PRINTABLE) return false;
  }
  return text.length > 0;
}

/** Checks what a range asks for. An empty prefix is no prefix. */
export function assertRange(range: Range): void {
  if (range.prefix !== undefined && range.prefix.length > 0) assertKey(range.prefix);
  if (range.after !== undefined) assertKey(range.after);
  if (range.limit !== undefined && (!Number.isInteger(range.limit) || range.limit < 0))
    broken(`a limit of records, not ${range.limit}`);
}

/** Checks a version to compare with. */
export function assertExpectedVersion(version: number | undefined): void {
  if (version !== undefined && (!Number.isSafeInteger(version) || version < 0))
    broken(`a version, not ${version}`);
}

/**
 * Compares keys part by part: numbers before text, text by code point, a shorter key before its
 * extensions.
 */
export function compareKeys(a: Key, b: Key): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const left = a[index];
    const right = b[index];
    if (left === undefined || right === undefined || left === right) continue;
    return compareParts(left, right);
  }
  return a.length - b.length;
}

/** True when the key's leading parts are `prefix`. */
export function hasPrefix(key: Key, prefix: Key): boolean {
  return key.length >= prefix.length && prefix.every((part, index) => key[index] === part);
}

/**
 * Checks that a part of a record, its members aside, is what every engine can hold: null, booleans,
 * finite numbers, text, and arrays and plain objects, `depth` of them around it. A bigint, a date,
 * bytes or an undefined member would come back changed, so they are refused.
 */
export function assertPart(value: unknown, depth: number): void {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) broken(`finite numbers in records, not ${value}`);
    return;
  }
  if (typeof value !== 'object') broken(`plain data in records, not ${typeof value}`);
  if (depth >= DEPTH_MAXIMUM) broken(`records at most ${DEPTH_MAXIMUM} levels deep`);
  if (Array.isArray(value)) return;
  const prototype: unknown = Object.getPrototypeOf(value);
  assert(prototype === Object.prototype || prototype === null, 'plain objects in records');
}

/** Checks that a change did its work before it returned: an atomic change cannot wait. */
export function assertSynchronous(result: unknown): void {
  // The result of the promise is not used: the change is refused either way.
  if (result instanceof Promise) result.catch(() => undefined);
  const isPromise = typeof result === 'object' && result !== null && 'then' in result;
  assert(!isPromise, 'a change of the store is synchronous');
}

/**
 * These rules are checked for every part of every record: the sentence is made only where one is
 * broken.
 */
function broken(rule: string): never {
  assert(false, rule);
}

function compareParts(left: KeyPart, right: KeyPart): number {
  if (typeof left === 'number') return typeof right === 'number' ? left - right : -1;
  if (typeof right === 'number') return 1;
  return compareText(left, right);
}

/**
 * UTF-16 order differs from code-point order only where a surrogate meets a character above them.
 */
function compareText(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    const isSurrogateA = a >= 0xd800 && a < 0xe000;
    const isSurrogateB = b >= 0xd800 && b < 0xe000;
    return isSurrogateA === isSurrogateB ? a - b : isSurrogateA ? 1 : -1;
  }
  return left.length - right.length;
}
