import { describe, expect, it } from 'vitest';
import { orderedPage } from '../../src/venues/listing-order.ts';

interface Row {
  readonly name: string;
  readonly figure: number;
}

const order = (ascending: boolean) => ({
  figureOf: ({ figure }: Row) => figure,
  nameOf: ({ name }: Row) => name,
  ascending,
});
const ROWS: readonly Row[] = [
  { name: 'B', figure: 2.5 },
  { name: 'A', figure: 2.5 },
  { name: 'C', figure: 0 },
  { name: 'D', figure: 9 },
];
const names = ({ data }: { readonly data: readonly Row[] }) => data.map(({ name }) => name);

describe('a page of an ordered list', () => {
  it.each([
    [true, ['C', 'A', 'B', 'D']],
    [false, ['D', 'A', 'B', 'C']],
  ])('is ordered by figure, ascending %s, and by name where figures are one', (ascending, all) => {
    const first = orderedPage(ROWS, { limit: 2, cursor: null }, order(ascending));
    const second = orderedPage(ROWS, { limit: 2, cursor: first.nextCursor }, order(ascending));
    expect([[...names(first), ...names(second)], second.nextCursor]).toEqual([all, null]);
  });

  it('is shifted by no row that came or went meanwhile', () => {
    const { nextCursor } = orderedPage(ROWS, { limit: 2, cursor: null }, order(true));
    const changed = [...ROWS.filter(({ name }) => name !== 'A'), { name: 'Z', figure: 1 }];
    const page = orderedPage(changed, { limit: 2, cursor: nextCursor }, order(true));
    expect(names(page)).toEqual(['B', 'D']);
  });

  it.each(['', '3', '~A', 'x~A'])('refuses "%s" as a cursor', (cursor) => {
    expect(() => orderedPage(ROWS, { limit: 2, cursor }, order(true))).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });
});
