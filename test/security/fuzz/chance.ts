import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';

/** Choices that a seed determines wholly: the same seed and case make the same bytes. */
export interface Chance {
  /** A whole number from 0 up to but not including `bound`. */
  below(bound: number): number;
  /** True `percent` times in a hundred. */
  often(percent: number): boolean;
  pick<T>(items: readonly T[]): T;
  bytes(count: number): Buffer;
}

/** The chance of one case of a run. */
export function chanceOf(seed: number, target: string, number: number): Chance {
  const random = createSeededRandom(`${seed}:${target}:${number}`);
  return {
    below: (bound) => random.integer(bound),
    often: (percent) => random.integer(100) < percent,
    pick(items) {
      const item = items[random.integer(items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
    bytes: (count) => Buffer.from(random.bytes(count)),
  };
}

/**
 * Changes bytes as a broken line or a hostile hand would: flips, cuts, repeats, swaps and
 * insertions.
 */
export function mangle(chance: Chance, whole: Buffer): Buffer {
  let bytes = Buffer.from(whole);
  for (let changes = 1 + chance.below(4); changes > 0 && bytes.length > 0; changes -= 1) {
    const at = chance.below(bytes.length);
    const length = 1 + chance.below(Math.min(32, bytes.length));
    switch (chance.below(6)) {
      case 0:
        bytes[at] = chance.below(256);
        break;
      case 1:
        bytes = bytes.subarray(0, at);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
        break;
      case 3:
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          bytes.subarray(at, at + length),
          bytes.subarray(at),
        ]);
        break;
      case 4:
        bytes = Buffer.concat([bytes.subarray(0, at), chance.bytes(length), bytes.subarray(at)]);
        break;
      default:
        bytes = Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from(chance.pick(TOKENS), 'latin1'),
          bytes.subarray(at),
        ]);
    }
  }
  return bytes;
}

/** Pieces that parsers of text and JSON trip over. */
const TOKENS = [
  '\0',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '-',
  '-0',
  '1e400',
  '1e-400',
  'null',
  'NaN',
  'Infinity',
  '0x10',
  '\xff\xfe',
  '\xc0\x80',
  '\xed\xa0\x80',
  '%00',
  '%',
  '../',
  ' ',
  '\t',
];
