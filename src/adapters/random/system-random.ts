import { randomFillSync } from 'node:crypto';
import type { Random } from '../../ports/random.ts';
import { boundedInteger } from './bounded-integer.ts';

/** One system call fetches this much entropy for integers. */
const POOL_BYTES = 4_096;

/** Gives the operating system's entropy. */
export function createSystemRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;

  function word(): number {
    if (used === POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const drawn = pool.readUInt32LE(used);
    used += 4;
    return drawn;
  }

  return {
    integer: (bound) => boundedInteger(bound, word),
    bytes: (count) => randomFillSync(new Uint8Array(count)),
  };
}
