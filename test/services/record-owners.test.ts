import { describe, expect, it } from 'vitest';
import { RECORD_OWNERS } from '../../src/services/record-owners.ts';
import { VENUES } from '../../src/venues/table.ts';
import { sourceFiles } from '../repository/source-files.ts';

/** A table as it is declared, with the text before it that says what its keys are. */
interface Declared {
  readonly name: string;
  /** Where in its keys the user is, as the comment says; none where it says of none. */
  readonly places: readonly number[];
}

const DECLARATION =
  /((?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?)(?:export )?const \w+: Table<[\s\S]*?> = \{\s*name: '([^']+)',?\s*\};/g;

/** Every table of the service; a file may declare several. */
function declared(): readonly Declared[] {
  return sourceFiles(['src'])
    .filter(({ path }) => !path.startsWith('src/web/'))
    .flatMap(({ text }) =>
      [...text.matchAll(DECLARATION)].map(([, comment = '', name = '']) => ({
        name,
        places: [...comment.matchAll(/\[([^\]]+)\]/g)]
          .map(([, parts = '']) => parts.split(/,[\s*]+/).indexOf('userId'))
          .filter((place) => place >= 0),
      })),
    );
}

/** Its keys are those of another table, which its comment names. */
const AS_ANOTHER = ['stop_sweeps'];
/** An adapter's own view of a table that is declared elsewhere. */
const SEEN_TWICE = ['users'];

describe('whose records are', () => {
  const tables = declared();
  const rules = new Map<string, unknown>([
    ...Object.entries(RECORD_OWNERS),
    ...VENUES.flatMap((row) => Object.entries(row.tables ?? {})),
  ]);

  it('is said of each table there is, and of no other', () => {
    const names = new Set(tables.map(({ name }) => name));
    expect([...names].toSorted()).toEqual([...rules.keys()].toSorted());
    const doubled = [...names].filter(
      (name) => tables.filter((table) => table.name === name).length > 1,
    );
    expect(doubled).toEqual(SEEN_TWICE);
  });

  it('is read from that part of a key where the table says that its user is', () => {
    const said = tables.flatMap(({ name, places }) =>
      places.map((place) => [name, place] as const),
    );
    expect(said.length).toBeGreaterThan(60);
    expect(said.filter(([name, place]) => rules.get(name) !== place)).toEqual([]);
    const byPlace = [...rules].filter(([, rule]) => typeof rule === 'number');
    const unsaid = byPlace.filter(([name]) => !said.some(([own]) => own === name));
    expect(unsaid.map(([name]) => name)).toEqual(AS_ANOTHER);
  });
});
