import { describe, expect, it } from 'vitest';
import type { Scenario } from './findings.ts';
import { ROWS, type Section } from './rows.ts';

/** Makes a test of every row of a section: its scenario finds nothing wrong. */
export function describeRows(
  section: Section,
  scenarios: Readonly<Record<string, Scenario>>,
): void {
  const rows = ROWS.filter((row) => row.section === section);
  describe(`survival, ${section}`, () => {
    it('every row has a scenario, and every scenario a row', () => {
      expect(Object.keys(scenarios).sort()).toEqual(rows.map(({ name }) => name).sort());
    });
    it.each(rows.map(({ name, right }) => [`${name}: ${right}`, name] as const))(
      '%s',
      async (_title, name) => {
        expect(await scenarios[name]?.()).toEqual([]);
      },
    );
  });
}
