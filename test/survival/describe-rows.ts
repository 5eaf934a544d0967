import { describe, expect, it } from 'vitest';
import { sampled } from '../support/sampled.ts';
import type { Scenario } from './findings.ts';
import { ROWS, type Section } from './rows.ts';

/**
 * Makes a test of every row of a section, or of a sample of so many: its scenario finds nothing
 * wrong.
 */
export function describeRows(
  section: Section,
  scenarios: Readonly<Record<string, Scenario>>,
  few = Infinity,
): void {
  const rows = ROWS.filter((row) => row.section === section);
  describe(`survival, ${section}`, () => {
    it('every row has a scenario, and every scenario a row', () => {
      expect(Object.keys(scenarios).sort()).toEqual(rows.map(({ name }) => name).sort());
    });
    it.each(
      sampled(section, rows, few).map(({ name, right }) => [`${name}: ${right}`, name] as const),
    )('%s', async (_title, name) => {
      expect(await scenarios[name]?.()).toEqual([]);
    });
  });
}
