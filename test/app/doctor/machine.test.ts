import { describe, expect, it } from 'vitest';
import { MACHINE } from '../../../config/limits/doctor.ts';
import {
  machineChecks,
  machineFacts,
  type MachineFacts,
} from '../../../src/app/doctor/machine-checks.ts';
import {
  platformChecks,
  platformFacts,
  type PlatformFacts,
} from '../../../src/app/doctor/platform-checks.ts';
import { found, levelsOf } from './found.ts';

const GIB = 2 ** 30;
const MACHINE_FACTS: MachineFacts = {
  openFiles: MACHINE.openFilesLeast,
  of: 'the daemon (pid 7)',
  memoryBytes: 8 * GIB,
  groupBytes: null,
  heapBytes: 4 * GIB,
  swapBytes: 0,
  cores: 2,
};

const PLATFORM: PlatformFacts = {
  node: 'v20.12.0',
  engines: '^20.12.0 || ^22.0.0 || ^24.0.0',
  platform: 'linux-x64',
  kernel: '6.1.0',
  glibc: '2.28',
  addons: {
    lmdb: async () => true,
    secp256k1: async () => true,
    'uWebSockets.js': async () => true,
  },
};

describe('the machine', () => {
  it('is well with what the daemon wants', async () => {
    expect(await levelsOf(machineChecks(MACHINE_FACTS))).toEqual({
      'open files': 'ok',
      memory: 'ok',
      swap: 'ok',
      cores: 'ok',
    });
  });

  it.each<readonly [string, Partial<MachineFacts>, string, RegExp]>([
    ['open files', { openFiles: 1_024 }, 'warn', /pid 7\) may open 1024 files, and 65536/],
    ['open files', { openFiles: null }, 'skipped', /does not say/],
    ['open files', { openFiles: Number.POSITIVE_INFINITY }, 'ok', /Infinity/],
    ['memory', { memoryBytes: 4 * GIB }, 'fail', /ends the process before its heap is full/],
    ['memory', { groupBytes: 4 * GIB + 1 }, 'warn', /leave little/],
    ['swap', { swapBytes: GIB }, 'ok', /1024 MiB: a daemon that is swapped out/],
    ['swap', { swapBytes: null }, 'skipped', /does not say/],
    ['cores', { cores: 1 }, 'warn', /1 core, which/],
  ])('%s: %j is %s', async (name, facts, level, sentence) => {
    expect(await found(machineChecks({ ...MACHINE_FACTS, ...facts }), name)).toMatchObject({
      level,
      sentence: expect.stringMatching(sentence),
    });
  });

  it('is read of a daemon that runs, and of this shell without one', () => {
    expect(machineFacts(process.pid)).toMatchObject({
      of: process.platform === 'linux' ? `the daemon (pid ${process.pid})` : 'this shell',
    });
    expect(machineFacts(null)).toMatchObject({ of: 'this shell', cores: expect.any(Number) });
  });
});

describe('the platform', () => {
  it('is one that this version runs on', async () => {
    expect(await levelsOf(platformChecks(PLATFORM))).toEqual({
      node: 'ok',
      platform: 'ok',
      'addon lmdb': 'ok',
      'addon secp256k1': 'ok',
      'addon uWebSockets.js': 'ok',
    });
  });

  it.each<readonly [string, Partial<PlatformFacts>, string, RegExp]>([
    ['node', { node: 'v20.11.9' }, 'fail', /v20\.11\.9 is not in/],
    ['node', { node: 'v21.9.0' }, 'fail', /v21\.9\.0 is not in/],
    ['node', { node: 'v24.1.0' }, 'ok', /v24\.1\.0 is one/],
    ['platform', { platform: 'win32-x64' }, 'fail', /is not served/],
    ['platform', { glibc: '2.27' }, 'fail', /has glibc 2\.27/],
    ['platform', { glibc: null }, 'warn', /has no glibc/],
    ['platform', { platform: 'darwin-arm64', glibc: null }, 'ok', /darwin-arm64/],
    [
      'addon secp256k1',
      { addons: { ...PLATFORM.addons, secp256k1: async () => false } },
      'warn',
      /slower one in WebAssembly/,
    ],
    [
      'addon uWebSockets.js',
      { addons: { ...PLATFORM.addons, 'uWebSockets.js': async () => false } },
      'skipped',
      /server of Node\.js takes its place/,
    ],
  ])('%s: %o is %s', async (name, facts, level, sentence) => {
    expect(await found(platformChecks({ ...PLATFORM, ...facts }), name)).toMatchObject({
      level,
      sentence: expect.stringMatching(sentence),
    });
  });

  it('of this process is well, whose native packages load', async () => {
    const levels = await levelsOf(platformChecks(platformFacts(PLATFORM.engines)));
    expect([levels['node'], levels['platform'], levels['addon lmdb']]).toEqual(['ok', 'ok', 'ok']);
  });
});
