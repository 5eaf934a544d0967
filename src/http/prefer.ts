/**
 * Returns how long a caller asks to wait by `Prefer: wait=<seconds>` (RFC 7240, section 4.3), in
 * ms; null where they do not. Of several the first counts, and what cannot be read is as if it were
 * not there (section 2).
 */
export function preferredWaitMs(header: string | null): number | null {
  for (const preference of (header ?? '').split(',')) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;.*)?$/i.exec(preference)?.[1];
    if (seconds !== undefined) return Number(seconds) * 1_000;
  }
  return null;
}
