import { createRequire } from 'node:module';

/** Returns the version of the package; "unknown" where its manifest has none. */
export function version(): string {
  const manifest: unknown = createRequire(import.meta.url)('../../../package.json');
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
