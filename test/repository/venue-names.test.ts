import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENT_PROFILES } from '../../src/domain/agent.ts';
import { VENUES } from '../../src/venues/table.ts';
import { ROOT, sourceFiles } from './source-files.ts';

/**
 * Where a venue is named: its folders, its limits, its rows; what the profiles know of it; the
 * agents' table; recordings of it.
 */
const MAY_NAME = [
  /^src\/(sandbox\/)?venues\/venue-[a-d]\//,
  /^src\/(sandbox\/)?venues\/table\.ts$/,
  /^config\/limits\/venue-[a-d]\.ts$/,
  /^config\/profiles\//,
  /^src\/domain\/(ids|agent)\.ts$/,
  /^src\/mcp\/(resource-table|tools\/[a-z]+)\.ts$/,
  /^src\/domain\/farming\/venues\.ts$/,
  // Pages call the interface by its own paths, which name venues.
  /^src\/web\//,
  // A replay and the research play what one venue's recordings hold, before that venue's own
  // sandbox.
  /^src\/tools\/(replay|research)\//,
];
/** Still to be moved into the venue's own; nothing may be added. */
const LEFT = ['src/sandbox/engine/allowances.ts'];
/** A source of facts, or a set of recordings, is cited by its name. */
const CITED = /venue_[a-d](\.md|-[a-z0-9-]+)/g;
const NAMED = /venue[-_][a-d](?![a-z])/;

describe('the names of venues', () => {
  it('stand nowhere but in what each venue brings, in the tables and in what is cited', () => {
    const naming = sourceFiles(['src', 'machines', 'streams', 'config'])
      .filter(({ path, text }) => NAMED.test(path) || NAMED.test(text.replace(CITED, '')))
      .map(({ path }) => path)
      .filter((path) => !MAY_NAME.some((place) => place.test(path)));
    expect(naming.filter((path) => !LEFT.includes(path))).toEqual([]);
  });

  it('are still in every file that is said to be left', () => {
    const isNamed = (path: string) => NAMED.test(readFileSync(join(ROOT, path), 'utf8'));
    expect(LEFT.filter((path) => !isNamed(path))).toEqual([]);
  });

  it('of agents are those of rows', () => {
    const rows = VENUES.map(({ id }) => id);
    expect(Object.values(AGENT_PROFILES).filter(({ venue }) => !rows.includes(venue))).toEqual([]);
  });
});
