import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { importsOf, ROOT, sourceFiles } from './source-files.ts';

const manifest = z
  .object({
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
    optionalDependencies: z.record(z.string(), z.string()),
    allowScripts: z.record(z.string(), z.boolean()),
  })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const peers = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'test/peers/package.json'), 'utf8')));
const journeys = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'test/journeys/package.json'), 'utf8')));
const grafana = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'test/grafana/package.json'), 'utf8')));
const deploy = z
  .object({ dependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'test/deploy/package.json'), 'utf8')));
const postgres = z
  .object({ optionalDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'test/postgres/package.json'), 'utf8')));
const readme = readFileSync(join(ROOT, 'config/README.md'), 'utf8');
const section = readme.split('\n## Packages\n')[1]?.split('\n## ')[0] ?? '';
const rows = [...section.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, name = '', kind = '', reason = '']) => ({ name, kind, reason }),
);

function named(kind: string): readonly string[] {
  return rows
    .filter((row) => row.kind === kind)
    .map(({ name }) => name)
    .sort();
}

describe('the packages', () => {
  it('are listed in config/README.md, each with a reason, and no other', () => {
    expect(named('runs')).toEqual(Object.keys(manifest.dependencies).sort());
    expect([...named('builds'), ...named('development')].sort()).toEqual(
      Object.keys(manifest.devDependencies).sort(),
    );
    expect(named('tests, in `test/peers`')).toEqual(Object.keys(peers.dependencies).sort());
    expect(named('tests, in `test/journeys`')).toEqual(Object.keys(journeys.dependencies).sort());
    expect(named('tests, in `test/grafana`')).toEqual(Object.keys(grafana.dependencies).sort());
    expect(named('tests, in `test/deploy`')).toEqual(Object.keys(deploy.dependencies).sort());
    expect(named('tests, in `test/postgres`')).toEqual(
      Object.keys(postgres.optionalDependencies).sort(),
    );
    expect(named('runs, optional')).toEqual(Object.keys(manifest.optionalDependencies).sort());
    expect(rows.filter(({ reason }) => reason.length < 10)).toEqual([]);
  });

  it('pins every package to one version, and lets none run a script at its installation', () => {
    const { dependencies, devDependencies, optionalDependencies, allowScripts } = manifest;
    const versions = Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
      ...peers.dependencies,
      ...journeys.dependencies,
      ...grafana.dependencies,
      ...deploy.dependencies,
      ...postgres.optionalDependencies,
    });
    expect(
      versions.filter(
        ([, version]) => !/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
      ),
    ).toEqual([]);
    expect(Object.entries(allowScripts).filter(([, isAllowed]) => isAllowed)).toEqual([]);
  });

  it.each([
    'package-lock.json',
    'test/peers/package-lock.json',
    'test/bench/peers/package-lock.json',
    'test/journeys/package-lock.json',
    'test/grafana/package-lock.json',
    'test/deploy/package-lock.json',
    'test/postgres/package-lock.json',
    'test/mutation/package-lock.json',
    'test/node24/package-lock.json',
  ])('names no address to download from in %s', (lock) => {
    expect(readFileSync(join(ROOT, lock), 'utf8')).not.toContain('"resolved"');
  });

  it('are in an installed predictd for all that it loads; pages are built before, and research draws in a clone', () => {
    const runs = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    const missing = sourceFiles(['src', 'machines', 'streams', 'config'])
      .filter(({ path }) => !path.startsWith('src/web/'))
      .flatMap((file) =>
        importsOf(file)
          .filter(
            (name) =>
              !name.startsWith('.') &&
              !name.startsWith('node:') &&
              !runs.some((known) => name === known || name.startsWith(`${known}/`)),
          )
          .map((name) => `${file.path}: ${name}`),
      );
    expect([...new Set(missing)]).toEqual([
      'config/vite.config.ts: @vitejs/plugin-react',
      'config/vite.config.ts: vite',
      'config/vitest.config.ts: vitest/config',
      // where its package is absent its native file is taken from dist/data
      'src/http/listener/uws-listener.ts: uWebSockets.js',
      'src/tools/research/report/charts.ts: echarts',
    ]);
  });

  it('that may be left out are loaded by the sandbox alone', () => {
    const names = Object.keys(manifest.optionalDependencies);
    const loading = sourceFiles(['src', 'machines', 'streams', 'config']).filter((file) =>
      names.some((name) => new RegExp(`['"\`]${name}['"/]`).test(file.text)),
    );
    expect(
      loading.map(({ path }) => path).filter((path) => !path.startsWith('src/sandbox/')),
    ).toEqual([]);
    expect(loading.length).toBeGreaterThan(0);
  });

  it('that tests point at the sandbox are loaded from test/peers alone, where npm start installs nothing', () => {
    const names = Object.keys(peers.dependencies).filter((name) => name !== 'viem');
    const elsewhere = sourceFiles(['src', 'machines', 'streams', 'config', 'test']).filter(
      (file) =>
        !file.path.startsWith('test/peers/') &&
        importsOf(file).some((name) =>
          names.some((peer) => name === peer || name.startsWith(`${peer}/`)),
        ),
    );
    expect(elsewhere.map(({ path }) => path)).toEqual([]);
  });
});
