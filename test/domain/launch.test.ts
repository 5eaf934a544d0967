import { describe, expect, it } from 'vitest';
import { imageTypeOf } from '../../src/domain/launch.ts';

const HEADS = [
  ['image/png', '89504e470d0a1a0a0000000d49484452'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '474946383761'],
  ['image/gif', '474946383961'],
  ['image/webp', '524946461000000057454250'],
] as const;
/** Bytes that say how long something is. */
const LENGTHS: Readonly<Record<string, readonly [number, number]>> = {
  'image/png': [8, 12],
  'image/webp': [4, 8],
};

describe('what a picture is', () => {
  it.each(HEADS)('is known by its first bytes: %s by %s', (type, hex) => {
    const head = Buffer.from(hex, 'hex');
    expect(imageTypeOf(head)).toBe(type);
    expect(imageTypeOf(Buffer.concat([head, Buffer.alloc(9)]))).toBe(type);
    expect(imageTypeOf(head.subarray(0, -1))).toBeNull();
  });

  it.each(HEADS)('is not known where any of them differs: %s by %s', (type, hex) => {
    const [from, to] = LENGTHS[type] ?? [0, 0];
    for (const [index, byte] of Buffer.from(hex, 'hex').entries()) {
      const other = Buffer.from(hex, 'hex');
      other[index] = byte ^ 0x40;
      expect(imageTypeOf(other)).toBe(index >= from && index < to ? type : null);
    }
  });
});
