import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf, sourceFiles, type SourceFile } from './source-files.ts';

const TABLE = 'src/sandbox/venues/table.ts';
const FOLDER = /^src\/sandbox\/venues\/(venue-[a-d])\//;
/** A venue's name however it is written: venue_a, venue-a, venueA. */
const NAME = /venue[-_]?([a-d])(?![a-z])/gi;
const files = sourceFiles(['src']);
const sandbox = files.filter(({ path }) => path.startsWith('src/sandbox/'));
const byPath = new Map(files.map((file) => [file.path, file]));

/** Files of the project that a file imports, relative to the root. */
function importedBy(file: SourceFile): readonly string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file.path), specifier)));
}

/** The same, and all that those import. */
function reachedFrom(roots: readonly SourceFile[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...roots];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const path of importedBy(file)) {
      const next = byPath.get(path);
      if (reached.has(path) || next === undefined) continue;
      reached.add(path);
      open.push(next);
    }
  }
  return reached;
}

describe('the sandbox', () => {
  it('names a venue only in its own folder and in its row of the table', () => {
    const broken = sandbox
      .filter(({ path }) => path !== TABLE && !/^src\/sandbox\/(engine|calibration)\//.test(path))
      .flatMap(({ path, text }) => {
        const own = FOLDER.exec(path)?.[1];
        const foreign = [...text.matchAll(NAME)].filter(
          ([, letter = '']) => `venue-${letter.toLowerCase()}` !== own,
        );
        return foreign.map(([name]) => `${path} names ${name}`);
      });
    expect(broken).toEqual([]);
  });

  it('shares no codec with the venues of the service, on any way of imports, nor they with it', () => {
    const isVenue = (path: string) => /^src\/(venues\/|adapters\/venue-)/.test(path);
    expect([...reachedFrom(sandbox)].filter(isVenue)).toEqual([]);
    const venues = files.filter(({ path }) => isVenue(path));
    expect(venues).not.toEqual([]);
    expect([...reachedFrom(venues)].filter((path) => path.startsWith('src/sandbox/'))).toEqual([]);
  });

  it('opens its venues from the world alone: no venue and no other part knows the table', () => {
    const readers = files.filter((file) => importedBy(file).includes(TABLE));
    expect(readers.map(({ path }) => path)).toEqual([
      'src/sandbox/world-settings.ts',
      'src/sandbox/world.ts',
    ]);
  });
});
