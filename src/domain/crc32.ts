/** What each byte does to the sum. */
const BY_BYTE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1)
    sum = (sum & 1) === 1 ? (sum >>> 1) ^ 0xedb8_8320 : sum >>> 1;
  return sum;
});

/** Returns the CRC-32 (ISO 3309) of bytes, as an unsigned number. */
export function crc32(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) sum = (sum >>> 8) ^ (BY_BYTE[(sum ^ byte) & 0xff] ?? 0);
  return (sum ^ 0xffff_ffff) >>> 0;
}
