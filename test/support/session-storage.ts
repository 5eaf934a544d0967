import { vi } from 'vitest';

/** Gives a test an empty storage of a tab, until its globals are unstubbed. */
export function stubSessionStorage(): void {
  const stored = new Map<string, string>();
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
}
