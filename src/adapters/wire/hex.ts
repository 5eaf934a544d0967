/** Writes bytes as lower-case hex with the 0x prefix. */
export function hexOf(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** Reads 0x-prefixed hex of exactly `length` bytes; null for anything else. */
export function bytesOfHex(text: string, length: number): Uint8Array | null {
  if (text.length !== 2 + length * 2 || !HEX.test(text)) return null;
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
}

const HEX = /^0x[0-9a-fA-F]*$/;
