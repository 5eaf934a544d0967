import { describe, expect, it } from 'vitest';
import type { Bar, Row } from './row.ts';
import { tableOf } from './table.ts';

const row = (ours: number, bar: Bar, peer: Row['peer'] = { name: 'a peer', figure: 10 }): Row => ({
  work: 'sign',
  ours,
  unit: 'µs',
  peer,
  bar,
});

describe('the table of figures', () => {
  it.each([
    ['holds a figure to a bar in its own unit', row(4, { atMost: 5 }), '≤ 5 | yes'],
    ['says by how much it is over', row(6, { atMost: 5 }), '≤ 5 | no: 20.0 % over'],
    ['holds a figure to a part of its peer', row(4, { timesPeer: 0.5 }), '≤ 0.5 × peer | yes'],
    [
      'says by how much it is over that part',
      row(6, { timesPeer: 0.5 }),
      '≤ 0.5 × peer | no: 20.0 % over',
    ],
    [
      'claims nothing beside a peer that did not run',
      row(6, { timesPeer: 0.5 }, null),
      '≤ 0.5 × peer | no peer ran',
    ],
  ])('%s', (_, figure, expected) => {
    expect(tableOf([figure]).replaceAll(/ +/g, ' ')).toContain(`| ${expected} |`);
  });
});
