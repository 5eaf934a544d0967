import { createHash } from 'node:crypto';

/**
 * Names a master key without telling it: the first eight bytes of its SHA-256, as sixteen hex
 * digits.
 */
export function fingerprintOf(key: Uint8Array): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}
