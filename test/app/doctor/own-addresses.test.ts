import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../config/schema.ts';
import { isFolderLocked, lockFolder } from '../../../src/adapters/lmdb/folder-lock.ts';
import { daemonChecks, type DaemonParts } from '../../../src/app/doctor/daemon-checks.ts';
import { networkChecks, type NetworkParts } from '../../../src/app/doctor/network-checks.ts';
import { startStubServer, type StubServer } from '../../support/fixtures/stub-server.ts';
import { found } from './found.ts';

let stub: StubServer | null = null;
afterEach(async () => {
  await stub?.close();
  stub = null;
});

const networkOf = (settings: Readonly<Record<string, string>>, parts: Partial<NetworkParts> = {}) =>
  networkChecks({
    environment: readEnvironment(settings),
    daemon: null,
    addresses: [],
    isMoneyReal: true,
    ...parts,
  });

describe('the address that the daemon listens on', () => {
  it('is free, or has another program on it, or is the running daemon itself', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    // bound by the line above, so it is that of a socket
    const port = String((other.address() as AddressInfo).port);
    const settings = { PREDICTD_PORT: port };
    expect(await found(networkOf(settings), 'listen address')).toMatchObject({
      level: 'fail',
      sentence: `another program listens on 127.0.0.1:${port}`,
    });
    const daemon = { api: `http://127.0.0.1:${port}`, pid: 77 };
    expect(await found(networkOf(settings, { daemon }), 'listen address')).toMatchObject({
      level: 'ok',
      sentence: expect.stringContaining('pid 77'),
    });
    other.close();
    await once(other, 'close');
    expect(await found(networkOf(settings), 'listen address')).toEqual({
      level: 'ok',
      sentence: `127.0.0.1:${port} is free`,
    });
  });

  it('has to be one of this machine, and may be left to the start', async () => {
    const elsewhere = networkOf({ PREDICTD_HOST: '192.0.2.1', PREDICTD_PORT: '8787' });
    expect(await found(elsewhere, 'listen address')).toMatchObject({
      level: 'fail',
      sentence: expect.stringContaining('EADDRNOTAVAIL'),
    });
    expect(await found(networkOf({ PREDICTD_PORT: '0' }), 'listen address')).toMatchObject({
      level: 'ok',
    });
  });

  it.each([
    [{}, 'ok'],
    [{ PREDICTD_HOST: '0.0.0.0' }, 'warn'],
    [{ PREDICTD_HOST: '0.0.0.0', PREDICTD_TRUSTED_PROXIES: '10.0.0.7' }, 'ok'],
  ])('with %j in front is %s', async (settings, level) => {
    expect((await found(networkOf(settings), 'in front')).level).toBe(level);
  });

  it('names who may press stop, and IPv6 where there is any', async () => {
    const secret = { PREDICTD_INTERNAL_SECRET: 's'.repeat(32) };
    const level = async (checks: ReturnType<typeof networkOf>, name: string) =>
      (await found(checks, name)).level;
    expect([
      await level(networkOf({}), 'operator routes'),
      await level(networkOf({}, { isMoneyReal: false }), 'operator routes'),
      await level(networkOf(secret), 'operator routes'),
      await level(networkOf({}), 'IPv6'),
      await level(networkOf({}, { addresses: ['10.0.0.1', '2001:db8::1'] }), 'IPv6'),
    ]).toEqual(['warn', 'skipped', 'ok', 'skipped', 'ok']);
  });
});

const daemonOf = (parts: Partial<DaemonParts>) =>
  daemonChecks({
    folder: '/data',
    daemon: null,
    isLocked: false,
    profile: 'live',
    internalSecret: null,
    ...parts,
  });
const running = (api = 'http://127.0.0.1:1') => ({ api, pid: 77, profile: 'live' });

describe('the lock of a folder', () => {
  it('is seen without being taken', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'predictd-doctor-')), 'store');
    expect(await isFolderLocked(folder)).toBe(false);
    const lock = await lockFolder(folder);
    expect([await isFolderLocked(folder), await isFolderLocked(folder)]).toEqual([true, true]);
    await lock.release();
    expect(await isFolderLocked(folder)).toBe(false);
    await (await lockFolder(folder)).release();
    rmSync(folder, { recursive: true });
  });

  it.each<readonly [Partial<DaemonParts>, string, RegExp]>([
    [{}, 'ok', /no process has the store/],
    [{ isLocked: true }, 'warn', /does not answer/],
    [{ isLocked: true, daemon: running() }, 'ok', /one daemon has the store, pid 77/],
    [{ daemon: running() }, 'warn', /another network namespace/],
    [{ isLocked: true, daemon: running(), profile: 'sandbox' }, 'fail', /runs the live profile/],
  ])('%j is %s', async (parts, level, sentence) => {
    expect(await found(daemonOf(parts), 'second daemon')).toMatchObject({
      level,
      sentence: expect.stringMatching(sentence),
    });
  });
});

describe('a running daemon', () => {
  it('is asked whether it can do its work, and what is in its way is said', async () => {
    stub = await startStubServer({ answer: () => ({ body: { status: 'ready' } }) });
    expect(await found(daemonOf({ daemon: running(stub.httpUrl) }), 'ready')).toMatchObject({
      level: 'ok',
    });
    const errors = [{ path: '/checks/trading', message: 'buying is stopped for everybody' }];
    stub.behaviour.answer = () => ({ status: 503, body: { errors } });
    expect(await found(daemonOf({ daemon: running(stub.httpUrl) }), 'ready')).toMatchObject({
      level: 'fail',
      sentence: 'buying is stopped for everybody',
    });
    expect(await found(daemonOf({}), 'ready')).toMatchObject({ level: 'skipped' });
  });

  it('gives its metrics to who shows the secret', async () => {
    const body = '# TYPE predictd_orders_total counter\n# TYPE predictd_x gauge\n';
    stub = await startStubServer({
      answer: ({ headers }) =>
        headers['x-internal-secret'] === 'mine' ? { body } : { status: 401, body: '' },
    });
    const daemon = running(stub.httpUrl);
    expect(await found(daemonOf({ daemon, internalSecret: 'mine' }), 'metrics')).toEqual({
      level: 'ok',
      sentence: '/metrics answers with 2 families of predictd',
    });
    expect(await found(daemonOf({ daemon }), 'metrics')).toMatchObject({
      level: 'fail',
      sentence: '/metrics answers 401',
    });
    expect(await found(daemonOf({ daemon }), 'foreign orders')).toMatchObject({ level: 'skipped' });
  });

  it('shows orders on keys of users that are of no order of its store', async () => {
    let foreign = 0;
    stub = await startStubServer({
      answer: () => ({
        body: `predictd_foreign_orders_total{venue="one"} ${foreign}\npredictd_foreign_orders_total{venue="two"} 0\n`,
      }),
    });
    const daemon = running(stub.httpUrl);
    expect(await found(daemonOf({ daemon }), 'foreign orders')).toMatchObject({ level: 'ok' });
    foreign = 2;
    expect(await found(daemonOf({ daemon }), 'foreign orders')).toMatchObject({
      level: 'fail',
      sentence: expect.stringMatching(/^2 orders or fills/),
    });
  });
});
