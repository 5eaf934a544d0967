import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { NamedRecords } from '../../../src/adapters/memory/named-records.ts';
import { recordName } from '../../../src/adapters/memory/record-name.ts';
import { compareKeys, hasPrefix } from '../../../src/ports/store-rules.ts';
import type { Key, Range, Versioned } from '../../../src/ports/store.ts';

const aKey = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: 6 }));
const aRange: fc.Arbitrary<Range> = fc.record(
  {
    prefix: fc.constantFrom<Key>([], ['a'], ['b'], ['b', 3], ['d']),
    after: aKey,
    reverse: fc.boolean(),
    limit: fc.integer({ min: 0, max: 5 }),
  },
  { requiredKeys: [] },
);
const aStep = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    key: aKey,
    version: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({ kind: fc.constant('delete' as const), key: aKey }),
  fc.record({ kind: fc.constant('range' as const), range: aRange }),
);

const nameOf = (key: Key): string => recordName('notes', key);

it('gives by name and by range what a sorted list would, whenever a range is asked for first', () => {
  fc.assert(
    fc.property(fc.array(aStep, { maxLength: 40 }), (steps) => {
      const records = new NamedRecords();
      const model = new Map<string, Versioned<unknown>>();
      for (const step of steps) {
        if (step.kind === 'set') {
          const record = { key: step.key, version: step.version, value: null };
          records.set(nameOf(step.key), record);
          model.set(nameOf(step.key), record);
        } else if (step.kind === 'delete') {
          records.delete(nameOf(step.key));
          model.delete(nameOf(step.key));
        } else expect(records.range(step.range)).toEqual(rangeOf([...model.values()], step.range));
      }
      for (const [name, record] of model) expect(records.get(name)).toBe(record);
      const visited = new Map<string, Versioned<unknown>>();
      records.forEach((record, name) => visited.set(name, record));
      expect(visited).toEqual(model);
    }),
  );
});

it('copies its records apart from those it came from', () => {
  const records = new NamedRecords();
  records.set(nameOf(['a', 1]), { key: ['a', 1], version: 1, value: null });
  const copy = records.copy();
  records.delete(nameOf(['a', 1]));
  expect([copy.range({}).length, records.range({}).length]).toEqual([1, 0]);
});

function rangeOf(
  records: readonly Versioned<unknown>[],
  { prefix = [], after, reverse = false, limit = Number.POSITIVE_INFINITY }: Range,
): readonly Versioned<unknown>[] {
  const direction = reverse ? -1 : 1;
  return records
    .filter(
      ({ key }) =>
        hasPrefix(key, prefix) && (after === undefined || direction * compareKeys(key, after) > 0),
    )
    .sort((a, b) => direction * compareKeys(a.key, b.key))
    .slice(0, limit);
}
