// Builds the pages into dist/web when what they are made of has changed: their sources, what they import of the daemon's,
// the builder's settings and the lock. Each file lies beside itself compressed, so that serving it costs nothing.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist', 'web');
const fresh = join(root, 'dist', 'web.next');
const STAMP = '.built';
/** Smaller files do not shrink by as much as their headers cost. */
const COMPRESSED_FROM_BYTES = 1_024;
const COMPRESSIBLE = /\.(html|js|css|svg|json|webmanifest)$/;

/** True when the pages in dist/web are those of the sources. */
export function isWebBuilt() {
  const stamp = join(built, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest();
}

/** Builds the pages anew; the folder is replaced whole, with its stamp last. */
export async function buildWeb() {
  const { build } = await import('vite');
  process.env.NODE_ENV = 'production';
  mkdirSync(join(root, 'dist'), { recursive: true });
  await build({ configFile: join(root, 'config', 'vite.config.ts') });
  for (const file of filesBelow(fresh)) compress(join(fresh, file));
  writeFileSync(join(fresh, STAMP), digest());
  rmSync(built, { recursive: true, force: true });
  renameSync(fresh, built);
}

function compress(path) {
  if (!COMPRESSIBLE.test(path) || statSync(path).size < COMPRESSED_FROM_BYTES) return;
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  );
}

function digest() {
  const hash = createHash('sha256');
  const folders = ['src/web', 'src/domain'];
  const files = folders.flatMap((folder) => filesBelow(root, folder)).sort();
  for (const file of ['config/vite.config.ts', 'package-lock.json', ...files]) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function filesBelow(base, folder = '') {
  return readdirSync(join(base, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(base, path) : [path];
  });
}
