import { createRequire } from 'node:module';

/** Returns the version of the package; "unknown" where its manifest has none. */
export function version(): string {
  const manifest = readManifest();
  return 'version' in manifest ? String(manifest.version) : 'unknown';
}

/** Returns the versions of Node that the package runs on, a range of npm; empty without one. */
export function nodeRange(): string {
  const { engines } = readManifest() as { readonly engines?: { readonly node?: unknown } };
  return typeof engines?.node === 'string' ? engines.node : '';
}

function readManifest(): object {
  const manifest: unknown = createRequire(import.meta.url)('../../../package.json');
  return typeof manifest === 'object' && manifest !== null ? manifest : {};
}
