import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Path of recorded data that lies beside the repository (`../shared/…`), or null when it is not
 * there. Prints one line when it is absent, so that a run without the data says what it left out.
 */
export function sharedData(relativePath: string): string | null {
  const path = fileURLToPath(new URL(`../../../../shared/${relativePath}`, import.meta.url));
  if (existsSync(path)) return path;
  console.info(`not run, because ../shared/${relativePath} is absent`);
  return null;
}
