import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOG_FORMAT } from '../../src/adapters/lmdb/chain-anchor.ts';
import { killDaemons, membersOf, startDaemon, type Settings } from '../crash/support/daemon.ts';
import { sampled } from '../support/sampled.ts';

const KEY = 'a1'.repeat(32);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-start-'));
});
afterEach(async () => {
  await killDaemons();
  // The chains of a killed sandbox write their last state for a moment.
  rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

/** Starts a daemon that is to refuse, and gives how it ended and what it left. */
async function refusal(settings: Settings): Promise<{
  readonly exit: number | null;
  readonly sentence: string;
  readonly leftRunning: number;
}> {
  const daemon = startDaemon({ PREDICTD_DATA: folder, ...settings });
  const { code } = await daemon.ended;
  return { exit: code, sentence: daemon.complained(), leftRunning: membersOf(daemon.pid).length };
}

/** A refusal: exit code 2 and one line that holds both the fact and the remedy. */
function refused(fact: string, remedy: string): unknown {
  return {
    exit: 2,
    sentence: expect.stringMatching(new RegExp(`^predictd: .*${fact}.*${remedy}.*\\n$`)),
    leftRunning: 0,
  };
}

const put = (...path: readonly string[]) => join(folder, ...path);
const nothing = (): void => undefined;

type Refusal = readonly [name: string, settings: Settings, fact: string, remedy: string];
const SETTINGS: readonly Refusal[] = [
  [
    'an unknown variable',
    { PREDICTD_PROT: '8787' },
    'PREDICTD_PROT is not a setting of predictd, PREDICTD_PORT is',
    'in config/README.md',
  ],
  [
    'a port that is no number',
    { PREDICTD_PORT: '80x' },
    'PREDICTD_PORT must be',
    'a whole number from 0 to 65535',
  ],
  [
    'a speed out of range',
    { PREDICTD_SANDBOX_SPEED: '0' },
    'PREDICTD_SANDBOX_SPEED must be',
    'a whole number from 1 to 60',
  ],
  [
    'an unknown profile',
    { PREDICTD_PROFILE: 'prod' },
    'PREDICTD_PROFILE must be',
    'one of sandbox, live, test',
  ],
  [
    'an invalid address',
    { PREDICTD_CLOB_URL: 'clob' },
    'PREDICTD_CLOB_URL must be',
    'an address that begins with http',
  ],
  [
    'an empty data folder name',
    { PREDICTD_DATA: '' },
    'PREDICTD_DATA must be',
    'a text of 1 to 1000 characters',
  ],
  [
    'two malformed values',
    { PREDICTD_PORT: '-1', PREDICTD_LOG_LEVEL: 'loud' },
    'PREDICTD_PORT must be .*; PREDICTD_LOG_LEVEL must be',
    'one of debug',
  ],
  [
    'a host that is not ours',
    { PREDICTD_HOST: '192.0.2.1' },
    '192.0.2.1:0 is .*not an address of this machine',
    'set .*PREDICTD_HOST',
  ],
  [
    'the live profile without a master key',
    { PREDICTD_PROFILE: 'live' },
    'live profile needs PREDICTD_MASTER_KEY',
    'set it and start again',
  ],
  [
    'a certificate of a process that serves plain HTTP',
    { PREDICTD_TLS_CERT_FILE: 'a.pem', PREDICTD_TLS_KEY_FILE: 'a.key' },
    'PREDICTD_TLS_KEY_FILE are for PREDICTD_ROLE=gateway',
    'a proxy before it speaks HTTPS',
  ],
  [
    'a certificate of a gateway without its key',
    { PREDICTD_ROLE: 'gateway', PREDICTD_TLS_CERT_FILE: 'a.pem' },
    'PREDICTD_TLS_CERT_FILE and PREDICTD_TLS_KEY_FILE go together',
    'set both',
  ],
  [
    'a certificate of a gateway that is not there',
    {
      PREDICTD_ROLE: 'gateway',
      PREDICTD_TLS_CERT_FILE: 'missing.pem',
      PREDICTD_TLS_KEY_FILE: 'missing.key',
    },
    'missing.pem cannot be read',
    'no such file',
  ],
  [
    'a master key that is given twice',
    { PREDICTD_MASTER_KEY: KEY, PREDICTD_MASTER_KEY_FILE: 'a.key' },
    'PREDICTD_MASTER_KEY and PREDICTD_MASTER_KEY_FILE are both set',
    'set one of them',
  ],
  [
    'the live profile without an inference key',
    { PREDICTD_PROFILE: 'live', PREDICTD_MASTER_KEY: KEY },
    'live profile needs PREDICTD_INFERENCE_KEY',
    'set it and start again',
  ],
  [
    'half a credential',
    {
      PREDICTD_PROFILE: 'live',
      PREDICTD_MASTER_KEY: KEY,
      PREDICTD_INFERENCE_KEY: 'UP-x',
      PREDICTD_DATA_STREAMS_KEY: 'k',
    },
    'live profile needs PREDICTD_DATA_STREAMS_SECRET',
    'set it and start again',
  ],
  [
    'part of a credential',
    {
      PREDICTD_PROFILE: 'live',
      PREDICTD_MASTER_KEY: KEY,
      PREDICTD_INFERENCE_KEY: 'UP-x',
      PREDICTD_RELAYER_KEY: 'k',
      PREDICTD_RELAYER_SECRET: 's',
    },
    'live profile needs PREDICTD_RELAYER_PASSPHRASE',
    'set it and start again',
  ],
  [
    'the live profile without a node of its chain',
    { PREDICTD_PROFILE: 'live', PREDICTD_MASTER_KEY: KEY, PREDICTD_INFERENCE_KEY: 'UP-x' },
    'live profile needs PREDICTD_POLYGON_RPC_URL',
    'set it and start again',
  ],
  [
    'an unknown fault',
    { PREDICTD_SANDBOX_FAULTS: 'late-ack, earthquake' },
    'not a fault of the sandbox: earthquake',
    'the names are .*late-ack',
  ],
  [
    'recorded prices that are not there',
    { PREDICTD_SANDBOX_PRICES: '/nowhere/ticks.csv' },
    'recorded prices cannot be read .*/nowhere/ticks.csv',
    'set PREDICTD_SANDBOX_PRICES',
  ],
  [
    'recorded prices that are none',
    { PREDICTD_SANDBOX_PRICES: 'package.json' },
    'recorded prices cannot be read .line 2 of the recording is not a tick',
    'set PREDICTD_SANDBOX_PRICES',
  ],
  [
    'a fault counted in words',
    { PREDICTD_SANDBOX_FAULTS: 'late-ack:twice' },
    'not a fault of the sandbox: late-ack:twice',
    'written name or name:times',
  ],
];

type Damage = readonly [name: string, damage: () => void, fact: string, remedy: string];
const DAMAGES: readonly Damage[] = [
  [
    'a store that is no store',
    () => {
      mkdirSync(put('store'));
      writeFileSync(put('store', 'data.mdb'), 'not a database');
    },
    'the store in .* cannot be read',
    'restore the folder from a backup',
  ],
  [
    'a store that cannot be opened',
    () => mkdirSync(put('store', 'data.mdb'), { recursive: true }),
    'the store in .* cannot be read',
    'restore the folder from a backup',
  ],
  [
    'a store whose data file is gone',
    () => {
      mkdirSync(put('store'));
      writeFileSync(put('store', 'journal.head'), `3:${'0'.repeat(64)}\n`);
    },
    'the store in .* cannot be read .its journal ends at entry 0, .* went on to 3',
    'restore the folder from a backup',
  ],
  [
    'a log of a newer format',
    () => {
      mkdirSync(put('store'));
      writeFileSync(
        put('store', 'journal.head'),
        `3:${'0'.repeat(64)}\nformat ${LOG_FORMAT + 1}\n`,
      );
    },
    `the log in .* is written in format ${LOG_FORMAT + 1}, and this version reads formats up to ${LOG_FORMAT}`,
    'start the newer version again, or restore a backup',
  ],
  [
    'a file where the store belongs',
    () => writeFileSync(put('store'), ''),
    'the store in .* cannot be read',
    'restore the folder from a backup',
  ],
  [
    'a key file that is no key',
    () => writeFileSync(put('master.key'), 'secret words', { mode: 0o600 }),
    'master.key is not 64 hex digits',
    'restore it',
  ],
  [
    'a key file that others may read',
    () => writeFileSync(put('master.key'), KEY, { mode: 0o644 }),
    'master.key holds the master key and is open to others .mode 644.',
    'run .chmod 600',
  ],
  [
    'a key file that cannot be read',
    () => mkdirSync(put('master.key')),
    'master.key cannot be read',
    'restore it',
  ],
  [
    'a log that cannot be written',
    () => mkdirSync(put('predictd.log')),
    'predictd.log cannot be written',
    'PREDICTD_DATA',
  ],
  [
    'a damaged sandbox',
    () => {
      mkdirSync(put('sandbox'));
      writeFileSync(put('sandbox', 'world.json'), '{');
    },
    'world.json cannot be read',
    "remove the sandbox's folder",
  ],
  [
    'a damaged time',
    () => writeFileSync(put('sandbox-time.json'), '{}'),
    'sandbox-time.json holds no time',
    'remove the data folder',
  ],
];

const FILES: readonly (readonly [string, readonly string[]])[] = [
  ['a file', []],
  ['a folder below a file', ['below']],
];

/** What only a whole start comes to. */
const WHOLE_STARTS: readonly (readonly [string, () => Promise<void>])[] = [
  [
    'a port that is in use',
    async () => {
      const holder = createServer(nothing).listen(0, '127.0.0.1');
      await once(holder, 'listening');
      const { port } = holder.address() as AddressInfo; // a TCP server has one
      expect(await refusal({ PREDICTD_PORT: String(port) })).toEqual(
        refused(`127.0.0.1:${port} is in use`, 'set PREDICTD_PORT to a free port'),
      );
      holder.close();
    },
  ],
  [
    'a second daemon on the same data folder, while the first goes on',
    async () => {
      const first = startDaemon({ PREDICTD_DATA: folder });
      const url = await first.url();
      expect(await refusal({})).toEqual(
        refused('another process is using the data folder', 'stop it first, or choose another'),
      );
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      first.signal('SIGTERM');
      expect(await first.ended).toEqual({ code: 0, signal: null });
    },
  ],
  [
    'another master key than the one the data was sealed under',
    async () => {
      const first = startDaemon({ PREDICTD_DATA: folder });
      await first.saw(/demo user usr_\w+ is ready/);
      first.signal('SIGTERM');
      await first.ended;
      expect(await refusal({ PREDICTD_MASTER_KEY: KEY })).toEqual(
        refused(
          'sealed under master key',
          'start with the key the data was sealed under: PREDICTD_MASTER_KEY',
        ),
      );
      rmSync(put('master.key'));
      expect(await refusal({})).toEqual(
        refused(
          'sealed under master key',
          'start with the key the data was sealed under: PREDICTD_MASTER_KEY',
        ),
      );
    },
  ],
];

describe('a start is refused with one sentence that says what to do, and leaves nothing running', () => {
  it.each(sampled('settings', SETTINGS, 4))('%s', async (_, settings, fact, remedy) => {
    expect(await refusal(settings)).toEqual(refused(fact, remedy));
  });

  it.each(sampled('damages', DAMAGES, 2))('%s', async (_, damage, fact, remedy) => {
    damage();
    expect(await refusal({})).toEqual(refused(fact, remedy));
  });

  it.each(sampled('files', FILES, 1))('a data folder that is %s', async (_, below) => {
    writeFileSync(put('file'), '');
    expect(await refusal({ PREDICTD_DATA: put('file', ...below) })).toEqual(
      refused('the data folder .* cannot be made or opened', 'PREDICTD_DATA'),
    );
  });

  it.each(sampled('folders', ['/proc/x', '/proc/1/x/y'], 1))(
    'a data folder that can never be: %s',
    async (path) => {
      expect(await refusal({ PREDICTD_DATA: path })).toEqual(
        refused('the data folder .* cannot be made or opened', 'PREDICTD_DATA'),
      );
    },
  );

  it('a data folder that nothing can be put into', async () => {
    expect(await refusal({ PREDICTD_DATA: '/proc' })).toEqual(
      refused('the store in /proc/store .*the folder cannot be made', 'move it away'),
    );
  });

  it('L12: a malformed master key is not repeated', async () => {
    expect((await refusal({ PREDICTD_MASTER_KEY: 'deadbeefsecret' })).sentence).not.toContain(
      'deadbeefsecret',
    );
  });

  it.each(sampled('whole starts', WHOLE_STARTS, 1))('%s', async (_, expectRefusal) => {
    await expectRefusal();
  });
});
