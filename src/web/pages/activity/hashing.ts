/** SHA-256 over all parts, as 64 hex digits. */
export async function sha256(...parts: readonly ArrayLike<number>[]): Promise<string> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of an even number of hex digits. */
export function bytesIn(hex: string): readonly number[] {
  return Array.from({ length: hex.length / 2 }, (_each, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  );
}
