import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../support/recordings/shared-data.ts';
import { ROW_ALERTS } from '../alerts/row-alerts.ts';
import { ROWS } from './rows.ts';

const path = sharedData('reference/survival.md');

it('every row says what an operator hears of it, or why nothing', () => {
  expect(ROWS.map(({ name }) => name).filter((name) => ROW_ALERTS[name] === undefined)).toEqual([]);
});

describe.runIf(path !== null)('the rows', () => {
  it('hold every case of the reference, word for word, and may hold more', () => {
    const stated = readFileSync(path ?? '', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\|(?:-| name \|)/.test(line));
    const ours = new Set(ROWS.map(({ name, right }) => `${name}: ${right}`));
    const missing = stated
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map((cells) => `${cells[1]}: ${cells[3]?.replaceAll('`', '')}`);
    expect(missing.filter((row) => !ours.has(row))).toEqual(['lost-ack: same']);
    expect(stated.length).toBeGreaterThan(60);
  });
});

it('the README shows every row, in order, with ours right in each', () => {
  const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const shown = readme
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '')));
  expect(shown.slice(2, -1).map(([name, ours]) => [name, ours])).toEqual(
    ROWS.map(({ name }) => [name, '✓']),
  );
});
