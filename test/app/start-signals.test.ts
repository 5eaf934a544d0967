import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  familyOf,
  killDaemons,
  startDaemon,
  until,
  untilGone,
  untilGroupGone,
  type Daemon,
} from '../crash/support/daemon.ts';
import { sampled } from '../support/sampled.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-signals-'));
});
afterEach(async () => {
  await killDaemons();
  // The chains of a killed sandbox write their last state for a moment.
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

const CLEAN = { code: 0, signal: null };
const start = (): Daemon => startDaemon({ PREDICTD_DATA: folder });
/** Sockets that died with the world: the daemon has to be gone from them before. */
const losses = (): readonly string[] =>
  readFileSync(join(folder, 'predictd.log'), 'utf8')
    .split('\n')
    .filter((line) => /closed with code|ECONNREFUSED/.test(line));
const errors = (): readonly string[] =>
  readFileSync(join(folder, 'predictd.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));

const MOMENTS = [
  ['SIGINT', 'the store is being opened', ['store', 'data.mdb']],
  ['SIGTERM', 'the store is being opened', ['store', 'data.mdb']],
  ['SIGINT', 'the keys have been made', ['master.key']],
  ['SIGTERM', 'the keys have been made', ['master.key']],
  ['SIGINT', 'the world is being made', ['sandbox', 'world.json']],
  ['SIGTERM', 'the world is being made', ['sandbox', 'world.json']],
  ['SIGINT', 'a chain is being made', ['sandbox', 'polygon.json.pid']],
  ['SIGTERM', 'a chain is being made', ['sandbox', 'polygon.json.pid']],
] as const;

/** Ends of a daemon that has come up, each a whole start. */
const ENDS: readonly (readonly [string, () => Promise<void>])[] = [
  ...(['SIGINT', 'SIGTERM'] as const).map(
    (name) =>
      [
        `with exit code 0, no error and no lost socket in its log, and its world gone: ${name}`,
        async () => {
          const daemon = start();
          await daemon.saw(/demo user usr_\w+ is ready/);
          daemon.signal(name);
          expect(await daemon.ended).toEqual(CLEAN);
          await untilGroupGone(daemon);
          expect(daemon.complained()).toBe('');
          expect([errors(), losses()]).toEqual([[], []]);
        },
      ] as const,
  ),
  [
    'when a terminal sends Ctrl-C to the daemon and its world alike',
    async () => {
      const daemon = start();
      await daemon.saw(/demo user usr_\w+ is ready/);
      daemon.signalGroup('SIGINT');
      expect(await daemon.ended).toEqual(CLEAN);
      await untilGroupGone(daemon);
      expect(errors()).toEqual([]);
    },
  ],
  [
    'while the demo user is signing in',
    async () => {
      const daemon = start();
      await daemon.saw(/sign-in {3}code for/);
      daemon.signal('SIGTERM');
      expect(await daemon.ended).toEqual(CLEAN);
      await untilGroupGone(daemon);
      expect(errors()).toEqual([]);
    },
  ],
  // Without its scripts: `npm test` has compiled already, and a compiler at work would disturb the
  // other tests.
  [
    'under npm start, where Ctrl-C comes from the terminal and from npm',
    async () => {
      const npm = startDaemon(
        { PREDICTD_DATA: folder },
        { command: ['npm', 'start', '--ignore-scripts'] },
      );
      await npm.saw(/demo user usr_\w+ is ready/);
      npm.signalGroup('SIGINT');
      expect(await npm.ended).toEqual(CLEAN);
      await untilGroupGone(npm);
      expect(errors()).toEqual([]);
    },
  ],
];

describe('the daemon ends as asked', () => {
  it.each(sampled('ends', ENDS, 1))('%s', async (_, expectEnd) => {
    await expectEnd();
  });

  it.each(sampled('moments of a start', MOMENTS, 2))(
    'when %s reaches it and its world while it is still starting and %s',
    async (name, _, path) => {
      const daemon = start();
      await until(() => existsSync(join(folder, ...path)));
      const family = familyOf(daemon.pid);
      daemon.signalGroup(name);
      expect(await daemon.ended).toEqual(CLEAN);
      await untilGone(family);
      expect(daemon.complained()).toBe('');
      expect(daemon.printed()).not.toContain('demo user');
    },
  );
});
