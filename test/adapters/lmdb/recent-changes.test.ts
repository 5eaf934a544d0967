import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinRuns, REMOVED } from '../../../src/adapters/lmdb/recent-changes.ts';
import type { Versioned } from '../../../src/ports/store.ts';

const aRecord = (key: number, version: number, run: number): Versioned<unknown> => ({
  key: [key],
  version,
  value: `${key} of run ${run}`,
});
const runs = fc.array(
  fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 2 })), {
    selector: ([key]) => key,
  }),
  { maxLength: 4 },
);

it('joins runs as if each were written over those behind it, in either direction', () => {
  fc.assert(
    fc.property(runs, fc.boolean(), (given, reverse) => {
      const direction = reverse ? -1 : 1;
      const sorted = given.map((run, index) =>
        run
          .toSorted(([a], [b]) => direction * (a - b))
          .map(([key, version]) => aRecord(key, version, index)),
      );
      const written = new Map(
        sorted
          .toReversed()
          .flat()
          .map((record) => [record.key[0], record] as const),
      );
      const expected = [...written.values()]
        .filter(({ version }) => version !== REMOVED)
        .sort((a, b) => direction * (Number(a.key[0]) - Number(b.key[0])));
      expect([...joinRuns(sorted, reverse)]).toEqual(expected);
    }),
  );
});

it('reads a run no further than its reader goes', () => {
  let read = 0;
  function* endless(): Generator<Versioned<unknown>, void> {
    for (; ; read += 1) yield aRecord(read, 1, 0);
  }
  const joined = joinRuns([endless(), [aRecord(0, 1, 1)]], false);
  joined.next();
  joined.return();
  expect(read).toBeLessThanOrEqual(1);
});
