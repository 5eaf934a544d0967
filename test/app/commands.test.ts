import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMMANDS, usageOf } from '../../src/app/commands.ts';
import { importsOf, ROOT } from '../repository/source-files.ts';

const empty = mkdtempSync(join(tmpdir(), 'predictd-commands-'));
afterAll(() => rmSync(empty, { recursive: true }));

/** Runs the compiled command in an empty folder. */
function predictd(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, 'dist/src/main.js'), ...words],
    { cwd: empty, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

/** Every module that a file loads as it is imported itself, built-in ones and packages by name. */
function loadedBy(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, path), 'utf8').replace(/import\('[^']+'\)/g, '');
  for (const name of importsOf({ path, text })) {
    const target = name.startsWith('.') ? join(dirname(path), name) : name;
    if (loaded.has(target)) continue;
    loaded.add(target);
    if (name.startsWith('.')) loadedBy(target, loaded);
  }
  return loaded;
}

describe('the commands of predictd', () => {
  it('have a name each, and the first one is start', () => {
    expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
    expect(COMMANDS[0]?.name).toBe('start');
  });

  it('are listed by --help, and each with its exit codes by its own', () => {
    const { status, stdout } = predictd('--help');
    expect([
      status,
      COMMANDS.filter(({ name }) => !stdout.includes(`  ${usageOf(name)}\n`)),
    ]).toEqual([0, []]);
    const replay = predictd('replay', '--help');
    expect(replay).toMatchObject({ status: 0, stderr: '' });
    expect(replay.stdout).toMatch(
      /^predictd replay <recording>.*\n[^]*1 a round did not end as rec/,
    );
  });

  it('end as they would, without a word, where their reader has gone', async () => {
    const child = spawn(process.execPath, [join(ROOT, 'dist/src/main.js'), '--help'], {
      cwd: empty,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let said = '';
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    const [code] = await once(child, 'close');
    expect([code, said]).toEqual([0, '']);
  });

  it('have the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(predictd('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('help and version load their own few files and no package', () => {
    const loaded = ['src/main.ts', 'src/app/help.ts', 'src/app/version.ts'].flatMap((path) => [
      ...loadedBy(path),
    ]);
    expect([...new Set(loaded)].sort()).toEqual([
      'node:module',
      'src/app/commands.ts',
      'src/domain/errors.ts',
    ]);
  });

  it.each([
    [['strat'], /^predictd: there is no command strat; the commands are start, /],
    [['strat', '--help'], /^predictd: there is no command strat; /],
    [['--helo'], /^predictd: start has no option --helo, only --addresses; /],
    [['start', 'now'], /^predictd: start has no option now, only --addresses; /],
    [['--version', 'please'], /^predictd: --version takes no words, not please; /],
    [['mcp', '--address', 'x'], /^predictd: predictd mcp: usage: --url /],
  ])('%j is refused by name with 2, and nothing is made', (words, sentence) => {
    const { status, stdout, stderr } = predictd(...words);
    expect([status, stdout, existsSync(join(empty, '.predictd'))]).toEqual([2, '', false]);
    expect(stderr).toMatch(sentence);
  });

  it.each([
    [['replay', 'a', '--fast', '1'], /--fast is not understood; use: predictd replay <recording>/],
    [['research', '--fast', '1'], /--fast is not understood; use: predictd research /],
    [['backup', '--fast', '1'], /--fast is not understood; use: predictd backup <folder> /],
    [['restore', '--fast', '1'], /are wanted; use: predictd restore <backup> <data folder>/],
    [['adopt', '--fast', '1'], /--fast is not understood; use: predictd adopt /],
    [['verify-journal', '--fast', '1'], /--fast is not understood; use: predictd verify-journal /],
  ])('%j is refused by name with 2', (words, sentence) => {
    const { status, stdout } = predictd(...words);
    expect([status, stdout]).toEqual([2, expect.stringMatching(sentence)]);
  });
});
