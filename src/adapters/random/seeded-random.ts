import type { Random } from '../../ports/random.ts';
import { boundedInteger } from './bounded-integer.ts';

/**
 * Makes a source of chance that a seed determines wholly (L10): xoshiro128** (Blackman and Vigna,
 * 2018) seeded by hashing the text. Different seed texts give unrelated runs, so a part of a world
 * takes `${seed}:${part}`. Not for keys.
 */
export function createSeededRandom(seed: string | number): Random {
  let [a, b, c, d] = stateFrom(String(seed));

  function word(): number {
    const drawn = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return drawn;
  }

  return {
    integer: (bound) => boundedInteger(bound, word),
    bytes(count) {
      const drawn = new Uint8Array(count);
      for (let index = 0; index < count; index += 1) drawn[index] = word() >>> 24;
      return drawn;
    },
  };
}

/**
 * Four words from text: FNV-1a over its UTF-16 units, then splitmix32 so that close seeds lie far
 * apart.
 */
function stateFrom(seed: string): [number, number, number, number] {
  let hash = 0x811c9dc5;
  for (let index = 0; index < seed.length; index += 1) {
    const unit = seed.charCodeAt(index);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  function next(): number {
    hash = (hash + 0x9e3779b9) | 0;
    let mixed = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  }
  const state: [number, number, number, number] = [next(), next(), next(), next()];
  // All zeros is the one state the generator never leaves.
  return state.every((part) => part === 0) ? [1, 2, 3, 4] : state;
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
