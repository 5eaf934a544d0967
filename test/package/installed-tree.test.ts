import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DoctorReport } from '../../src/app/doctor/report.ts';
import { BOT_KEY, STRANGERS, TRADER, type PrintedWorld } from '../app/sandbox/strangers.ts';
import { killDaemons, startDaemon } from '../crash/support/daemon.ts';
import { ROOT } from '../repository/source-files.ts';
import { IS_WHOLE } from '../support/sampled.ts';
import { installPacked, lockIn, nameAt, runningPackages } from './packed.ts';

/** Packages that config/README.md says come in another version. */
const section =
  readFileSync(join(ROOT, 'config/README.md'), 'utf8').split('\n## As an installed package\n')[1] ??
  '';
const KNOWN = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \|/gm)].map(
  ([, name = '']) => name,
);

/** A clone is built and a package installed from the registry: minutes, so only for the whole. */
describe.runIf(IS_WHOLE)(
  'predictd, packed in a fresh clone and installed in an empty folder',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'predictd-packed-'));
    let home: string;

    beforeAll(() => {
      home = installPacked(folder);
    }, 1_200_000);
    afterAll(async () => {
      await killDaemons();
      // The chains of a killed sandbox write their last state for a moment.
      rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
    });

    it('answers --version and --help', () => {
      const run = (...words: readonly string[]): string =>
        execFileSync('npx', ['predictd', ...words], { cwd: home, encoding: 'utf8' });
      expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
      expect(run('--help')).toContain('predictd sandbox');
    });

    it('checks its own native packages, which load, before anything was started', () => {
      const { stdout } = spawnSync('npx', ['predictd', 'doctor', '--json'], {
        cwd: home,
        encoding: 'utf8',
      });
      const { checks }: DoctorReport = JSON.parse(stdout);
      expect(
        checks.filter(({ name }) => name.startsWith('addon')).map(({ level }) => level),
      ).toEqual(['ok', 'ok', 'ok']);
    });

    it('brings the packages of the lock, but for the versions that config/README.md names', () => {
      const locked = new Map<string, Set<string>>();
      for (const [path, { version = '' }] of Object.entries(runningPackages()))
        locked.set(nameAt(path), new Set(locked.get(nameAt(path))).add(version));
      const installed = Object.entries(lockIn(join(home, 'node_modules/.package-lock.json')));
      const others = installed
        .filter(([path]) => nameAt(path) !== 'predictd')
        .map(([path, { version = '' }]) => ({ name: nameAt(path), version }))
        .filter(({ name, version }) => locked.get(name)?.has(version) !== true);
      for (const { name, version } of others)
        console.log(
          `${name}: ${[...(locked.get(name) ?? ['none'])].join(', ')} in the lock, ${version} installed`,
        );
      expect(
        [...new Set(others.map(({ name }) => name))].filter((name) => !KNOWN.includes(name)),
      ).toEqual([]);
    });

    it('runs a sandbox that published clients of other people trade on', async () => {
      const { address } = privateKeyToAccount(BOT_KEY);
      const running = startDaemon(
        {},
        {
          command: [
            'sh',
            '-c',
            // npx ends by the signal itself, whatever it ran ended with
            `cd '${home}' && exec node_modules/.bin/predictd sandbox --json --fund ${address}`,
          ],
        },
      );
      const [line = ''] = await running.saw(/^\{.*\}$/m);
      const world: PrintedWorld = JSON.parse(line);
      for (const [, run] of [TRADER, ...STRANGERS]) await run(world);
      running.signalGroup('SIGINT');
      expect((await running.ended).code).toBe(0);
    });
  },
);
