import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ROOT } from './source-files.ts';

/** What is promised (README.md). */
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'] as const;
const NODES = { 20: '115', 22: '127', 24: '137' } as const;

const list = z.union([z.string(), z.array(z.string())]).transform((one) => [one].flat());
const lock = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        dev: z.boolean().optional(),
        os: list.optional(),
        cpu: list.optional(),
        libc: list.optional(),
        hasInstallScript: z.boolean().optional(),
        dependencies: z.record(z.string(), z.string()).optional(),
        optionalDependencies: z.record(z.string(), z.string()).optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
/** Packages whose builds a clone needs for its start, beside those that the daemon runs on. */
const BUILDERS = ['typescript', 'vite', 'uWebSockets.js'];
const building = new Set(BUILDERS.flatMap((name) => closureOf(`node_modules/${name}`)));
/** Packages that the daemon runs on or is built with, by path in node_modules. */
const running = Object.entries(lock.packages).filter(
  ([path, { dev }]) => path !== '' && (!dev || building.has(path)),
);
const table = (
  readFileSync(join(ROOT, 'config/README.md'), 'utf8').split('\n## Platforms\n')[1] ?? ''
)
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** A package and what it needs, by path in node_modules. */
function closureOf(path: string, found = new Set<string>()): readonly string[] {
  const entry = lock.packages[path];
  if (entry === undefined || found.has(path)) return [...found];
  found.add(path);
  for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
    const nested = `${path}/node_modules/${name}`;
    closureOf(nested in lock.packages ? nested : `node_modules/${name}`, found);
  }
  return [...found];
}

/** Name of a package whose builds are packages of their own: `lmdb` of `@lmdb/lmdb-linux-x64`. */
function familyOf(name: string): string {
  return name.replace(
    /-(linux|darwin|win32|freebsd|openbsd|netbsd|sunos|aix|android|openharmony|wasm).*$/,
    '',
  );
}

/** Platforms that have a build as a package of its own in the lock, by family. */
function buildsInLock(): ReadonlyMap<string, ReadonlySet<string>> {
  const builds = new Map<string, Set<string>>();
  for (const [path, { os, cpu, libc }] of running) {
    if (os === undefined || cpu === undefined) continue;
    const family = familyOf(path.replace(/^.*node_modules\//, ''));
    const known = builds.get(family) ?? new Set();
    builds.set(family, known);
    for (const platform of PLATFORMS) {
      const [system = '', processor = ''] = platform.split('-');
      const isForIt = os.includes(system) && cpu.includes(processor);
      if (isForIt && (libc === undefined || libc.includes('glibc'))) known.add(platform);
    }
  }
  return builds;
}

/** Platforms a package has builds for inside itself (prebuildify's folders). */
function buildsInside(name: string): ReadonlySet<string> {
  const folder = join(ROOT, 'node_modules', name, 'prebuilds');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return new Set(
    PLATFORMS.filter((platform) =>
      names.some((each) =>
        each.replace('darwin-x64+arm64', 'darwin-x64 darwin-arm64').split(' ').includes(platform),
      ),
    ),
  );
}

function row(name: string, builds: ReadonlySet<string>): readonly string[] {
  return [`\`${name}\``, ...PLATFORMS.map((platform) => (builds.has(platform) ? 'yes' : 'no'))];
}

describe('the platforms that are promised', () => {
  it('have the native builds that config/README.md says, and no other native package runs', () => {
    const inLock = [...buildsInLock()].map(([family, builds]) => row(family, builds));
    const inside = running
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
      .filter((name) => !buildsInLock().has(name) && name !== 'lmdb' && name !== 'msgpackr-extract')
      .map((name) => row(name, buildsInside(name)));
    const server = row('uWebSockets.js', serverBuilds(NODES[20]));
    const found = [
      ...new Map([...inLock, ...inside, server].map((each) => [each[0], each])).values(),
    ];
    expect(table?.map((cells) => cells.slice(0, 5)).sort()).toEqual(found.sort());
    expect(table?.filter((cells) => cells.includes('no') && (cells[5] ?? '').length < 10)).toEqual(
      [],
    );
  });

  it('have uWebSockets.js on Node 20 alone', () => {
    expect([serverBuilds(NODES[22]).size, serverBuilds(NODES[24]).size]).toEqual([0, 0]);
  });
});

/** Platforms that uWebSockets.js has a file for, by the version of Node's module interface. */
function serverBuilds(modules: string): ReadonlySet<string> {
  const files = readdirSync(join(ROOT, 'node_modules/uWebSockets.js/binaries'));
  return new Set(
    PLATFORMS.filter((platform) =>
      files.includes(`uws_${platform.replace('-', '_')}_${modules}.node`),
    ),
  );
}
