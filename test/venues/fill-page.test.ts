import { describe, expect, it } from 'vitest';
import { fillPage } from '../../src/venues/fill-page.ts';

/** A list of the numbers below `size`, in pages of at most `pageSize`. */
function numbersBelow(size: number, pageSize: number) {
  const reads: string[] = [];
  return {
    reads,
    async read(cursor: string | null, rowsWanted: number) {
      const from = Number(cursor ?? 0);
      const until = Math.min(size, from + Math.min(rowsWanted, pageSize));
      reads.push(`${from}-${until}`);
      return {
        rows: Array.from({ length: until - from }, (_, index) => from + index),
        nextCursor: until === size ? null : String(until),
      };
    },
  };
}

async function walk(
  limit: number,
  source: Parameters<typeof fillPage<number>>[1],
): Promise<readonly (readonly number[])[]> {
  const pages: (readonly number[])[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof fillPage<number>>> = await fillPage(
      { limit, cursor },
      source,
    );
    pages.push(page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return pages;
}

describe('a page that is filled', () => {
  it.each([
    [1, 3],
    [2, 3],
    [3, 3],
    [4, 3],
    [5, 100],
    [6, 2],
  ])(
    'of %i rows is full or the last, none is empty and no row is lost or twice, by pages of %i',
    async (limit, pageSize) => {
      const isEven = (row: number): boolean => row % 2 === 0;
      const source = { ...numbersBelow(24, pageSize), keep: isEven, readsMaximum: 50 };
      const pages = await walk(limit, source);
      expect(pages.flat()).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
      expect(pages.map(({ length }) => length)).toEqual(
        Array.from({ length: Math.ceil(12 / limit) }, (_, index) =>
          Math.min(limit, 12 - index * limit),
        ),
      );
    },
  );

  it('is one empty page where nothing is kept', async () => {
    const source = { ...numbersBelow(10, 3), keep: () => false, readsMaximum: 50 };
    expect(await fillPage({ limit: 5, cursor: null }, source)).toEqual({
      data: [],
      nextCursor: null,
    });
  });

  it('reads no more pages than it may, says so, and goes on where it stopped', async () => {
    const source = { ...numbersBelow(100, 10), keep: (row: number) => row > 45, readsMaximum: 3 };
    const first = await fillPage({ limit: 5, cursor: null }, source);
    expect(first).toEqual({ data: [], nextCursor: expect.any(String), incomplete: true });
    expect(source.reads).toHaveLength(3);
    const second = await fillPage({ limit: 5, cursor: first.nextCursor }, source);
    expect(second).toMatchObject({ data: [46, 47, 48, 49, 50] });
  });

  it('goes on at its place where the page is read shorter than it was', async () => {
    const keep = (): boolean => true;
    const whole = { ...numbersBelow(9, 9), keep, readsMaximum: 50 };
    const { nextCursor } = await fillPage({ limit: 5, cursor: null }, whole);
    const short = { ...numbersBelow(9, 2), keep, readsMaximum: 50 };
    expect(await fillPage({ limit: 5, cursor: nextCursor }, short)).toEqual({
      data: [5, 6, 7, 8],
      nextCursor: null,
    });
  });

  it.each(['', 'x', '1', '-1.', '1e3.'])('refuses "%s" as a cursor', async (cursor) => {
    const source = { ...numbersBelow(9, 9), keep: () => true, readsMaximum: 5 };
    await expect(fillPage({ limit: 5, cursor }, source)).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/cursor' }],
    });
  });
});
