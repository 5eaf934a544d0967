import type { Key } from '../../ports/store.ts';

/**
 * One text for a table and a key. Names of tables and texts of keys hold no control characters, so
 * the line ends part them.
 */
export function recordName(table: string, key: Key): string {
  let name = table;
  for (const part of key) name += typeof part === 'number' ? `\n#${part}` : `\n=${part}`;
  return name;
}
