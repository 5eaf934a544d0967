import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { startWorld, type World } from '../../src/sandbox/world.ts';
import { NO_POSTGRES, startPostgres, type Postgres } from '../support/fixtures/postgres.ts';
import { WORLD_CREDENTIALS } from '../support/worlds/small-world.ts';
import { killDaemons, startDaemon, type Daemon } from './support/daemon.ts';
import { contractSettings, quotedMarket } from './support/world-settings.ts';

describe.skipIf(NO_POSTGRES !== null)('a daemon whose log several machines keep', () => {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-take-over-'));
  let postgres: Postgres;
  let world: World;
  let marketId = '';
  let token = '';

  beforeAll(async () => {
    postgres = await startPostgres();
    world = await startWorld({
      seed: 7,
      clock: createWallClock(),
      wallClock: createWallClock(),
      dataDir: null,
      chains: false,
      credentials: WORLD_CREDENTIALS,
    });
    marketId = quotedMarket(world);
  });
  afterAll(async () => {
    await killDaemons();
    await world.close();
    await postgres.end();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A machine with a folder of its own. */
  const machine = (name: string): Daemon =>
    startDaemon({
      ...contractSettings(world),
      PREDICTD_DATA: join(folder, name),
      PREDICTD_LOG_URLS: postgres.url,
      PREDICTD_LOG_DURABILITY: 'storage',
    });
  const ask = async (
    daemon: Daemon,
    method: string,
    path: string,
    { body, key }: { readonly body?: object; readonly key?: string } = {},
  ) => {
    const response = await fetch(`${await daemon.url()}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const signUp = async (daemon: Daemon): Promise<void> => {
    const phone = '+12025550145';
    const { challengeId } = await ask(daemon, 'POST', '/api/auth/otp/request', { body: { phone } });
    const [, code] = await daemon.saw(/code for \S+: (\d{6})/);
    const { accessToken, user } = await ask(daemon, 'POST', '/api/auth/otp/verify', {
      body: { challengeId, code },
    });
    token = accessToken;
    await ask(daemon, 'PUT', '/api/user/profile', { body: { username: 'ada' } });
    await fetch(world.urls.venues.venue_b.endowmentUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        address: user.wallets.solana,
        usdc: '100',
        lamports: '1000000000',
        verified: true,
      }),
    });
    const available = async () =>
      (await ask(daemon, 'GET', '/api/venue_b/portfolio/balance')).cash.available;
    await expect.poll(available, { interval: 300 }).toBe('100');
  };
  const buy = async (daemon: Daemon, key: string): Promise<string> => {
    const order = { marketId, side: 'yes', amount: '5', orderType: 'market' };
    const { id } = await ask(daemon, 'POST', '/api/venue_b/order/', { body: order, key });
    return String(id);
  };
  const ordersOf = async (daemon: Daemon): Promise<readonly string[]> =>
    (await ask(daemon, 'GET', '/api/venue_b/order/')).data.map(
      ({ id, state }: { readonly id: string; readonly state: string }) => `${id} ${state}`,
    );

  it('is followed by another one: killed, asked to end, and paused, with nothing lost or doubled', async () => {
    const first = machine('one');
    await signUp(first);
    const ordered = await buy(first, 'once');
    const second = machine('two');
    await second.saw(/owns shard 0; this process waits to take it over/);
    first.signalGroup('SIGKILL');

    // The same call is answered by what the former owner has made.
    expect(await buy(second, 'once')).toBe(ordered);
    const other = await buy(second, 'twice');
    await expect.poll(() => ordersOf(second)).toEqual([`${other} filled`, `${ordered} filled`]);

    const third = machine('one');
    await third.saw(/waits to take it over/);
    second.signal('SIGTERM');
    expect((await second.ended).code).toBe(0);
    expect(await ordersOf(third)).toEqual([`${other} filled`, `${ordered} filled`]);

    const fourth = machine('four');
    await fourth.saw(/waits to take it over/);
    third.signal('SIGSTOP');
    expect(await buy(fourth, 'once')).toBe(ordered);
    third.signal('SIGCONT');
    expect((await third.ended).code).toBe(75);
    expect(third.complained()).toContain('another process has taken shard 0');
    const last = await buy(fourth, 'thrice');
    expect((await ordersOf(fourth)).length).toBe(3);
    expect(last).not.toBe(other);
    fourth.signal('SIGTERM');
    expect((await fourth.ended).code).toBe(0);
  });
});
