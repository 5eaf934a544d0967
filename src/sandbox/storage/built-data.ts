import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Path of a file that the build has written (`config/build-data.mjs`): beside the compiled daemon,
 * or in `dist` where sources run as they are.
 */
export function builtData(path: string): string {
  const beside = fileURLToPath(new URL(`../../../data/${path}`, import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL(`../../../dist/data/${path}`, import.meta.url));
}
