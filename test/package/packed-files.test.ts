import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ROOT } from '../repository/source-files.ts';
import { nameAt, runningPackages } from './packed.ts';

const MEGABYTE = 1_000_000;
const answerSchema = z
  .array(z.object({ unpackedSize: z.number(), files: z.array(z.object({ path: z.string() })) }))
  .length(1);

/** What `npm pack` would take of the tree as it is built now. */
function packed() {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 16 * MEGABYTE,
  });
  const [{ unpackedSize, files } = { unpackedSize: 0, files: [] }] = answerSchema.parse(
    JSON.parse(text),
  );
  return { unpackedSize, paths: files.map(({ path }) => path) };
}

describe('the package', () => {
  it('is built before it is packed, so that a fresh clone packs a daemon', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(scripts.prepack).toBe('node config/prepare.mjs --start');
  });

  it('holds the compiled daemon, its pages and data with their licences, and what operators run it with', () => {
    const { paths, unpackedSize } = packed();
    for (const path of [
      'LICENSE',
      'README.md',
      'dist/src/main.js',
      'dist/src/sandbox/main.js',
      'dist/web/index.html',
      'dist/data/viewer/LICENSE',
      'dist/data/server/LICENSE',
      'dist/data/contracts/safe/LICENSE',
      'dist/data/contracts/uniswap/LICENSE',
      'dist/data/contracts/conditional-tokens/LICENSE',
      'config/deploy/predictd.service',
      'config/deploy/compose.yaml',
      'config/prometheus/prometheus.yml',
      'config/prometheus/runbook.md',
      'config/prometheus/rules/predictd.yml',
      'config/grafana/dashboards/overview.json',
    ])
      expect(paths).toContain(path);
    expect(
      paths.filter((path) => /^(test|src|dist\/test)\/|^config\/.*\.png$|\.tsx?$/.test(path)),
    ).toEqual([]);
    expect(unpackedSize).toBeLessThan(45 * MEGABYTE);
  });

  it('brings no telemetry, no compiler, no builder of pages and no second library of chains', () => {
    const names = new Set(Object.keys(runningPackages()).map(nameAt));
    const unwanted = ['@scarf/scarf', 'ethers', 'typescript', 'vite', 'react', 'swagger-ui-dist'];
    expect(unwanted.filter((name) => names.has(name))).toEqual([]);
    expect(
      [...names].filter((name) => /^@(ethersproject|uniswap|safe-global)\//.test(name)),
    ).toEqual([]);
    // what secp256k1 falls back to where it has no build; predictd takes tiny-secp256k1 there
    const asking = Object.entries(runningPackages()).filter(
      ([, { dependencies }]) => dependencies?.['elliptic'] !== undefined,
    );
    expect(asking.map(([path]) => nameAt(path))).toEqual(['secp256k1']);
  });
});
