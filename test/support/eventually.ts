import { vi } from 'vitest';

/**
 * Waits for something seen rather than for a time: generous, since it only runs out when the thing
 * never happens.
 */
export function eventually<T>(
  check: () => T | Promise<T>,
  options: { readonly interval?: number } = {},
): Promise<T> {
  return vi.waitFor(check, { timeout: 200_000, interval: 10, ...options });
}
