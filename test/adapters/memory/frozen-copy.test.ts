import { describe, expect, it } from 'vitest';
import { frozenCopy, frozenInPlace } from '../../../src/adapters/memory/frozen-copy.ts';

describe('a copy of a record that cannot be changed', () => {
  it('keeps what was put when the object it was put from changes', () => {
    const given = { a: 1, parts: [{ b: 2 }] };
    const copy = frozenCopy(given);
    given.parts.push({ b: 3 });
    given.a = 4;
    expect(copy).toEqual({ a: 1, parts: [{ b: 2 }] });
    expect([
      Object.isFrozen(copy),
      Object.isFrozen(copy.parts),
      Object.isFrozen(copy.parts[0]),
    ]).toEqual([true, true, true]);
  });

  it('is shared by the next copy, and so are its parts', () => {
    const copy = frozenCopy({ parts: [1, 2], more: { c: 3 } });
    expect(frozenCopy(copy)).toBe(copy);
    const next = frozenCopy({ ...copy, more: { c: 4 } });
    expect([next.parts === copy.parts, next.more]).toEqual([true, { c: 4 }]);
  });

  it('is not what another caller froze, for its parts may still change, nor what was spread from a copy', () => {
    const inner = { b: 1 };
    const copy = frozenCopy(Object.freeze({ inner }));
    inner.b = 2;
    const spread = { ...frozenCopy({ a: 1 }) };
    const second = frozenCopy(spread);
    spread.a = 2;
    expect([copy, second]).toEqual([{ inner: { b: 1 } }, { a: 1 }]);
  });

  it('looks like any record: nothing of its mark is seen, serialized or compared', () => {
    const copy = frozenCopy({ a: [1] });
    expect(JSON.stringify(copy)).toBe('{"a":[1]}');
    expect([Reflect.ownKeys(copy), structuredClone(copy)]).toEqual([['a'], { a: [1] }]);
    expect(copy).toStrictEqual({ a: [1] });
  });
});

it('makes a record that no other caller holds such a copy without copying it', () => {
  const read = { a: [1, { b: 2 }] };
  const made = frozenInPlace(read);
  expect([
    made === read,
    Object.isFrozen(made),
    Object.isFrozen(made.a),
    Object.isFrozen(made.a[1]),
  ]).toEqual([true, true, true, true]);
  expect(frozenCopy(made)).toBe(made);
  expect(frozenCopy({ parts: made.a }).parts).toBe(made.a);
});
