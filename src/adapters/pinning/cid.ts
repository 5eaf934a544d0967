import { createHash } from 'node:crypto';

/** CID of version 1, codec raw, SHA-256 of 32 bytes (the tables of multiformats). */
const RAW_SHA_256 = Buffer.of(0x01, 0x55, 0x12, 0x20);
/** Multibase's letter of base32 in lower case without padding (RFC 4648 section 6). */
const BASE32 = 'b';
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Returns the name IPFS gives a file that is one raw block. */
export function rawCid(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest();
  return BASE32 + base32(Buffer.concat([RAW_SHA_256, digest]));
}

function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}
