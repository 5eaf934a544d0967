import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFiles } from './source-files.ts';

/** Interfaces of what a function is given, as they are named here; none with type arguments. */
const DECLARED = /^(?:export )?interface (\w*(?:Deps|Parts|Options))(?! *<)\b/gm;

/** As few as a reader can hold: a part takes the runtime, or its function says what it takes. */
const DECLARED_MAXIMUM = 120;

const files = sourceFiles(['src', 'test']);

/** How often a name is written, but where it is imported. */
function usesIn(text: string, name: string): number {
  const withoutImports = text.replace(/^import [^;]*;$/gm, '');
  return [...withoutImports.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length;
}

describe('the type of a parameter', () => {
  it('has a name of its own only where more than one place needs it', () => {
    const declared = files
      .filter(({ path }) => path.startsWith('src/'))
      .flatMap((file) =>
        [...file.text.matchAll(DECLARED)].map(([, name = '']) => ({ name, file })),
      );
    const single = declared.filter(({ name, file }) => {
      if (usesIn(file.text, name) > 2) return false;
      return !files.some(
        (other) =>
          usesIn(other.text, name) > 0 &&
          importsOf(other).some(
            (specifier) => posix.join(posix.dirname(other.path), specifier) === file.path,
          ),
      );
    });
    expect(declared.length).toBeGreaterThan(50);
    expect(declared.length).toBeLessThanOrEqual(DECLARED_MAXIMUM);
    expect(single.map(({ name, file }) => `${file.path}: ${name}`)).toEqual([]);
  });
});
