import type { KeyPart } from '../../ports/store.ts';
import { invalidCursor } from '../newest-page.ts';

/**
 * Writes the place behind an entry of a list as a cursor: opaque to callers, and of no use in
 * another list.
 */
export function cursorOf(list: string, parts: readonly KeyPart[]): string {
  return Buffer.from(JSON.stringify([list, ...parts])).toString('base64url');
}

/**
 * Reads a cursor of this list, null for the first page. Decoding is lenient, so a cursor is ours
 * only when writing what was read gives it again. Errors: `invalid_request` for one that was not
 * given out by this list.
 */
export function partsOf<Parts extends readonly KeyPart[]>(
  list: string,
  cursor: string | null,
  isParts: (parts: readonly unknown[]) => parts is Parts,
): Parts | null {
  if (cursor === null) return null;
  const [name, ...parts] = read(cursor);
  if (name === list && isParts(parts) && cursorOf(list, parts) === cursor) return parts;
  throw invalidCursor();
}

function read(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    // Not even JSON: the caller refuses it as it refuses every cursor that is not of this list.
    return [];
  }
}
