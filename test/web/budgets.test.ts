import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

/** What `npm test` has built; tests that compile nothing may find none. */
const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url));
const KB = 1_024;

function onWire(path: string): number {
  const file = join(BUILT, path);
  if (path.endsWith('.woff2')) return statSync(file).size;
  return existsSync(`${file}.gz`)
    ? statSync(`${file}.gz`).size
    : gzipSync(readFileSync(file)).length;
}

describe.skipIf(!existsSync(BUILT))('what the pages weigh, compressed by gzip', () => {
  const assets = existsSync(BUILT)
    ? readdirSync(join(BUILT, 'assets')).filter((name) => !/\.(gz|br)$/.test(name))
    : [];
  const page = existsSync(BUILT) ? readFileSync(join(BUILT, 'index.html'), 'utf8') : '';
  const first = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(
    ([, path = '']) => path,
  );
  const font = assets.filter((name) => name.includes('geist-latin-wght'));
  const sum = (paths: readonly string[]): number =>
    paths.reduce((total, path) => total + onWire(path), 0);

  it('is 150 KB at most before the first page shows, with its type', () => {
    const bytes = sum([...first, 'index.html', ...font.map((name) => `assets/${name}`)]);
    console.log(`first load ${(bytes / KB).toFixed(1)} KB`);
    expect(first.length).toBeGreaterThan(2);
    expect(font).toHaveLength(1);
    expect(bytes).toBeLessThan(150 * KB);
  });

  it('is 25 KB at most for each part that is loaded later, but 60 for what draws charts', () => {
    const later = assets.filter(
      (name) => name.endsWith('.js') && !first.includes(`/assets/${name}`),
    );
    expect(later.length).toBeGreaterThan(10);
    const heavy = later.filter(
      (name) => onWire(`assets/${name}`) > (name.startsWith('series-chart') ? 60 : 25) * KB,
    );
    expect(heavy).toEqual([]);
  });

  it('is 15 KB at most of all styles', () => {
    const styles = assets.filter((name) => name.endsWith('.css')).map((name) => `assets/${name}`);
    expect(sum(styles)).toBeLessThan(15 * KB);
  });
});
