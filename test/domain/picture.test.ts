import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imageTypeOf } from '../../src/domain/launch.ts';
import { sidesOf } from '../../src/domain/picture.ts';
import { PICTURES, pngOf } from '../support/pictures.ts';

const read = (bytes: Uint8Array, partsMaximum = 100) => {
  const type = imageTypeOf(bytes);
  return type === null ? null : sidesOf(type, bytes, partsMaximum);
};
const each = Object.entries(PICTURES);

describe('the sides of a picture', () => {
  it('are those of itself and of each frame', () => {
    expect(Object.fromEntries(each.map(([name, bytes]) => [name, read(bytes)]))).toEqual({
      png: [[3, 2]],
      jpeg: [[3, 2]],
      gif: [
        [1, 1],
        [1, 1],
      ],
      lossyWebp: [[3, 2]],
      losslessWebp: [[3, 2]],
      extendedWebp: [
        [3, 2],
        [3, 2],
      ],
    });
    expect(read(pngOf(60_000, 0))).toEqual([[60_000, 0]]);
  });

  it.each(each)('are not read of one that is cut off anywhere: %s', (_name, bytes) => {
    for (let length = 0; length < bytes.length; length += 1)
      expect([length, read(bytes.subarray(0, length))]).toEqual([length, null]);
  });

  it.each(each)('are not read of one that is nothing but its head: %s', (_name, bytes) => {
    expect(read(Buffer.concat([bytes.subarray(0, 20), Buffer.alloc(64, 7)]))).toBeNull();
  });

  it('are not read where a byte of a PNG differs, or something follows its end', () => {
    const { png, gif, lossyWebp, jpeg } = PICTURES;
    for (const [index, byte] of png.entries()) {
      const other = Buffer.from(png);
      other[index] = byte ^ 0x10;
      expect([index, read(other)]).toEqual([index, null]);
    }
    for (const bytes of [png, gif, lossyWebp])
      expect(read(Buffer.concat([bytes, Buffer.from('<script>')]))).toBeNull();
    // a camera's second picture
    expect(read(Buffer.concat([jpeg, jpeg]))).toEqual([[3, 2]]);
  });

  it.each(each)('are not read of one of more parts than are read: %s', (_name, bytes) => {
    const needed = Array.from({ length: 20 }, (_, parts) => parts).find(
      (parts) => read(bytes, parts) !== null,
    );
    expect(needed).toBeGreaterThan(0);
    expect(read(bytes, 20)).toEqual(read(bytes, needed));
  });

  it('are read through the scans, restarts and fill bytes of a JPEG', () => {
    const { jpeg } = PICTURES;
    const scan = Buffer.from('ffda0008010100003f0012ff0034ffd056', 'hex');
    const more = [jpeg.subarray(0, -2), scan, Buffer.from('ffffd9', 'hex')];
    expect(read(Buffer.concat(more))).toEqual([[3, 2]]);
    expect(read(Buffer.concat(more.slice(0, 2)))).toBeNull();
  });

  it('are those of every frame of an animation', () => {
    const { losslessWebp, extendedWebp, gif } = PICTURES;
    const frame = Buffer.alloc(24);
    frame.write('ANMF');
    frame.writeUInt32LE(16, 4);
    frame.writeUIntLE(60_000, 14, 3);
    const chunks = Buffer.concat([extendedWebp.subarray(12, 30), frame]);
    const webp = Buffer.concat([losslessWebp.subarray(0, 12), chunks]);
    webp.writeUInt32LE(webp.length - 8, 4);
    expect(read(webp)).toEqual([
      [3, 2],
      [60_001, 1],
    ]);
    const second = Buffer.from(gif.subarray(27, -1));
    second.writeUInt16LE(60_000, 5);
    expect(read(Buffer.concat([gif.subarray(0, -1), second, Buffer.from([0x3b])]))).toEqual([
      [1, 1],
      [1, 1],
      [60_000, 1],
    ]);
  });

  it('are read or not, and nothing is thrown, whatever the bytes are', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...each.map(([, bytes]) => bytes)),
        fc.array(fc.tuple(fc.nat(300), fc.nat(255)), { maxLength: 6 }),
        fc.uint8Array({ maxLength: 40 }),
        (bytes, changes, tail) => {
          const other = Buffer.concat([bytes, tail]);
          for (const [at, byte] of changes) if (at < other.length) other[at] = byte;
          const sides = read(other);
          expect(sides === null || sides.length > 0).toBe(true);
        },
      ),
    );
  });
});
