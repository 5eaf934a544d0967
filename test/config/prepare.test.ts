import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, describe, it } from 'vitest';
import { ROOT } from '../repository/source-files.ts';

const WRONG_TYPES = 'export const port: number = String(8787);\n';
const RIGHT_TYPES = 'export const port: number = 8787;\n';
const PAGES_TSCONFIG = `{
  "extends": "../../tsconfig.json",
  "compilerOptions": { "noEmit": true, "incremental": false, "tsBuildInfoFile": null },
  "include": ["."],
  "exclude": []
}`;
const PAGES_BUILDER = `import { mkdirSync, writeFileSync } from 'node:fs';
export function build() {
  const folder = new URL('../../dist/web.next/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL('index.html', folder), 'page');
}
`;
/** What the build takes of other packages, as it says itself. */
const { BUILT_DATA }: { readonly BUILT_DATA: readonly (readonly [from: string, to: string])[] } =
  await import(new URL('../../config/build-data.mjs', import.meta.url).href);
let clone: string;

/**
 * A clone with a source or two, an npm that notes what it is asked for and installs nothing, and a
 * builder of pages that writes one.
 */
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'predictd-clone-'));
  for (const folder of [
    'src/web',
    'src/domain',
    'machines',
    'streams',
    'config',
    'test/peers',
    'test/bench/peers',
    'test/journeys',
    'test/grafana',
    'test/deploy',
    'test/postgres',
    'node_modules/vite',
    'bin',
  ])
    mkdirSync(join(clone, folder), { recursive: true });
  for (const file of [
    'config/prepare.mjs',
    'config/build-data.mjs',
    'config/build-web.mjs',
    'config/tsconfig.start.json',
    'tsconfig.json',
  ])
    cpSync(join(ROOT, file), join(clone, file));
  for (const folder of [
    '.',
    'test/peers',
    'test/bench/peers',
    'test/journeys',
    'test/grafana',
    'test/deploy',
    'test/postgres',
  ]) {
    write(join(folder, 'package.json'), '{ "type": "module" }');
    write(join(folder, 'package-lock.json'), '{}');
  }
  for (const folder of ['machines', 'streams', 'config', 'test'])
    write(`${folder}/empty.ts`, 'export {};\n');
  write('src/main.ts', RIGHT_TYPES);
  write('config/vite.config.ts', 'export {};\n');
  write('src/web/main.ts', 'export {};\n');
  write('src/web/tsconfig.json', PAGES_TSCONFIG);
  write('node_modules/vite/package.json', '{ "type": "module", "exports": "./vite.js" }');
  write('node_modules/vite/vite.js', PAGES_BUILDER);
  for (const [from] of BUILT_DATA) {
    mkdirSync(join(clone, 'node_modules', dirname(from)), { recursive: true });
    write(join('node_modules', from), '{ "bytecode": "0x00", "sourceMap": "x" }');
  }
  for (const name of ['typescript', '@typescript', '@types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(clone, 'node_modules', name));
  write(
    'bin/npm',
    `#!/bin/sh\necho "$(pwd | sed "s#^$(cd '${clone}' && pwd -P)##") $*" >> '${join(clone, 'asked')}'\n`,
  );
  chmodSync(join(clone, 'bin/npm'), 0o755);
});
afterEach(() => rmSync(clone, { recursive: true }));

function write(path: string, text: string): void {
  writeFileSync(join(clone, path), text);
}

function prepare(...flags: readonly string[]): {
  readonly status: number | null;
  readonly installs: readonly string[];
} {
  rmSync(join(clone, 'asked'), { force: true });
  const path = `${join(clone, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const { status } = spawnSync(process.execPath, [join(clone, 'config/prepare.mjs'), ...flags], {
    env: { ...process.env, PATH: path },
    stdio: 'ignore',
  });
  const asked = existsSync(join(clone, 'asked'))
    ? readFileSync(join(clone, 'asked'), 'utf8').trim().split('\n')
    : [];
  return { status, installs: asked.map((line) => line.replace(/ --no-fund.*/, '').trim()) };
}

/** Prepares, which must go well, and reports whether anything was compiled for it. */
async function compiles(...flags: readonly string[]): Promise<boolean> {
  const path = `${join(clone, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const command = [join(clone, 'config/prepare.mjs'), ...flags];
  const { stderr } = await promisify(execFile)(process.execPath, command, {
    env: { ...process.env, PATH: path },
  });
  return stderr.includes('compiling');
}

function compiled(): string {
  return readFileSync(join(clone, 'dist/src/main.js'), 'utf8');
}

describe('npm start in a fresh clone', () => {
  it('installs its packages and no peers of tests, once for a lock', () => {
    expect(prepare('--start')).toEqual({ status: 0, installs: ['ci --include=dev'] });
    expect(prepare('--start')).toEqual({ status: 0, installs: [] });
    write('package-lock.json', '{ "changed": true }');
    expect(prepare('--start')).toEqual({ status: 0, installs: ['ci --include=dev'] });
  });

  it('compiles without looking at types, and leaves test/ alone', () => {
    write('src/main.ts', WRONG_TYPES);
    expect(prepare('--start').status).toBe(0);
    expect(compiled()).toContain('String(8787)');
    expect(existsSync(join(clone, 'dist/test'))).toBe(false);
  });
});

describe('what other packages hold', () => {
  const artifact = 'contracts/safe/Safe.sol/Safe.json';
  const kept = (): unknown => JSON.parse(readFileSync(join(clone, 'dist/data', artifact), 'utf8'));

  it('is written into dist once for a lock, without what is not read, its licences beside it', () => {
    prepare('--start');
    expect(kept()).toEqual({ bytecode: '0x00' });
    for (const [, to] of BUILT_DATA) expect(existsSync(join(clone, 'dist/data', to))).toBe(true);
    const folders = new Set(BUILT_DATA.map(([, to]) => to.split('/').slice(0, -1).join('/')));
    for (const folder of ['viewer', 'server', 'contracts/safe', 'contracts/uniswap'])
      expect([
        folders.has(folder),
        existsSync(join(clone, 'dist/data', folder, 'LICENSE')),
      ]).toEqual([true, true]);
    write(join('dist/data', artifact), '{}');
    prepare('--start');
    expect(kept()).toEqual({});
    write('package-lock.json', '{ "changed": true }');
    prepare('--build');
    expect(kept()).toEqual({ bytecode: '0x00' });
  });
});

describe('the pages', () => {
  const isBuilding = async (...flags: readonly string[]) => {
    const command = [join(clone, 'config/prepare.mjs'), ...flags];
    const path = `${join(clone, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
    const { stderr } = await promisify(execFile)(process.execPath, command, {
      env: { ...process.env, PATH: path },
    });
    return stderr.includes('building the pages');
  };

  it('are built once, and anew when their sources change', async () => {
    expect([await isBuilding('--start'), await isBuilding('--start')]).toEqual([true, false]);
    expect(readFileSync(join(clone, 'dist/web/index.html'), 'utf8')).toBe('page');
    write('src/web/main.ts', 'export const changed = true;\n');
    expect(await isBuilding('--start')).toBe(true);
  });

  it('are kept when the daemon is compiled anew', async () => {
    prepare('--start');
    write('src/main.ts', 'export const port = 1;\n');
    expect([await isBuilding('--start'), existsSync(join(clone, 'dist/web/index.html'))]).toEqual([
      false,
      true,
    ]);
  });

  it('have their types checked with those of the daemon', () => {
    write('src/web/main.ts', WRONG_TYPES);
    expect([prepare('--build').status, prepare('--start').status]).toEqual([1, 0]);
  });
});

describe('what is compiled already', () => {
  it.each(['--start', '--build'])('is not compiled again by %s until it changes', async (flag) => {
    expect([await compiles(flag), await compiles(flag), await compiles('--start')]).toEqual([
      true,
      false,
      false,
    ]);
    write('src/main.ts', 'export const port: number = 1;\n');
    expect([await compiles(flag), compiled().includes('port = 1'), await compiles(flag)]).toEqual([
      true,
      true,
      false,
    ]);
    write('package-lock.json', '{ "another": "compiler" }');
    expect(await compiles(flag)).toBe(true);
    rmSync(join(clone, 'dist'), { recursive: true });
    expect([await compiles(flag), compiled().includes('port = 1')]).toEqual([true, true]);
  });

  it('goes when its source goes', async () => {
    const module = join(clone, 'dist/src/gone.js');
    for (const flag of ['--start', '--build']) {
      write('src/gone.ts', 'export {};\n');
      expect([await compiles(flag), existsSync(module)]).toEqual([true, true]);
      rmSync(join(clone, 'src/gone.ts'));
      expect([await compiles(flag), existsSync(module), existsSync(`${module}.map`)]).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  it('counts for a test only where its types were checked and the tests are in it', async () => {
    expect([await compiles('--start'), await compiles('--build')]).toEqual([true, true]);
    write('test/empty.ts', 'export const more = 1;\n');
    expect([await compiles('--start'), await compiles('--build')]).toEqual([false, true]);
  });

  it('stays as it is when the next compile fails, which is tried again', async () => {
    await compiles('--build');
    const before = compiled();
    write('src/main.ts', WRONG_TYPES);
    expect([prepare('--build').status, prepare('--build').status]).toEqual([1, 1]);
    expect(compiled()).toBe(before);
    write('src/main.ts', RIGHT_TYPES);
    expect([await compiles('--build'), compiled()]).toEqual([false, before]);
  });

  it('takes nothing over from a compile that was cut off', async () => {
    mkdirSync(join(clone, 'dist.next/src'), { recursive: true });
    write('dist.next/src/half.js', 'export const');
    expect([await compiles('--start'), existsSync(join(clone, 'dist/src/half.js'))]).toEqual([
      true,
      false,
    ]);
  });

  it('is compiled once for several who start at once', async () => {
    const all = await Promise.all(['--start', '--start', '--start'].map((flag) => compiles(flag)));
    expect(all.filter((hasCompiled) => hasCompiled)).toEqual([true]);
  });
});

describe('npm run test:unit', () => {
  it('installs what a test needs, and waits for no compiler', () => {
    expect(prepare('--packages')).toEqual({
      status: 0,
      installs: ['ci --include=dev', '/test/peers ci', '/test/grafana ci', '/test/deploy ci'],
    });
    expect(prepare('--packages')).toEqual({ status: 0, installs: [] });
    expect(existsSync(join(clone, 'dist'))).toBe(false);
  });
});

describe('npm test', () => {
  it('adds the peers of the tests and their browser to what a start has installed, once', () => {
    prepare('--start');
    expect(prepare('--build')).toEqual({
      status: 0,
      installs: [
        '/test/peers ci',
        '/test/grafana ci',
        '/test/deploy ci',
        '/test/journeys ci',
        '/test/postgres ci',
      ],
    });
    expect(prepare('--build')).toEqual({ status: 0, installs: [] });
    expect(prepare('--start')).toEqual({ status: 0, installs: [] });
    expect(prepare('--build')).toEqual({ status: 0, installs: [] });
  });

  it('installs everything in a clone that was never started', () => {
    expect(prepare('--build')).toEqual({
      status: 0,
      installs: [
        'ci --include=dev',
        '/test/peers ci',
        '/test/grafana ci',
        '/test/deploy ci',
        '/test/journeys ci',
        '/test/postgres ci',
      ],
    });
  });

  it('fails where types are wrong', () => {
    write('src/main.ts', WRONG_TYPES);
    prepare('--start');
    expect(prepare('--build').status).not.toBe(0);
  });

  it('compiles anew what a start has compiled from other sources since', () => {
    prepare('--build');
    write('src/main.ts', 'export const port: number = 1;\n');
    prepare('--start');
    write('src/main.ts', RIGHT_TYPES);
    prepare('--build');
    expect(compiled()).toContain('8787');
  });

  it('leaves the peers where compiled tests find them', () => {
    mkdirSync(join(clone, 'test/peers/node_modules/a-client'), { recursive: true });
    prepare('--build');
    expect(existsSync(join(clone, 'dist/test/peers/node_modules/a-client'))).toBe(true);
  });
});
