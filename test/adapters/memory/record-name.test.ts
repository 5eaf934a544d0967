import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordName } from '../../../src/adapters/memory/record-name.ts';
import { compareKeys } from '../../../src/ports/store-rules.ts';

it('names neither tables alike, nor numbers and their texts, nor keys that read alike when joined', () => {
  const names = [
    recordName('notes', ['a', 1]),
    recordName('other', ['a', 1]),
    recordName('notes', ['a', '1']),
    recordName('notes', ['a#1']),
    recordName('notes', ['a', '#1']),
    recordName('notes', ['a']),
  ];
  expect(new Set(names).size).toBe(names.length);
});

it('names two keys alike only where they are the same', () => {
  // Few letters, those of names among them, so that keys are often nearly the same.
  const part = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.string({ unit: fc.constantFrom('a', '#', '=', '1'), minLength: 1, maxLength: 3 }),
  );
  const key = fc.array(part, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(key, key, (a, b) => {
      expect(recordName('t', a) === recordName('t', b)).toBe(compareKeys(a, b) === 0);
    }),
  );
});
