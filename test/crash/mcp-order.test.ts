import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { startWorld, type World } from '../../src/sandbox/world.ts';
import { callTool, connect } from '../mcp/mcp-client.ts';
import { WORLD_CREDENTIALS } from '../support/worlds/small-world.ts';
import { killDaemons, startDaemon, type Daemon } from './support/daemon.ts';
import { KILLER, killing, momentsIn } from './support/kills.ts';
import { contractSettings, quotedMarket } from './support/world-settings.ts';

/** Where the daemon dies: once the order is stored, and before its answer is. */
const KILLS = { after: /^order\.intended/, before: /^idempotency_keys of key / };

const folder = mkdtempSync(join(tmpdir(), 'predictd-mcp-'));
const done = join(folder, 'done');
let world: World;

beforeAll(async () => {
  world = await startWorld({
    seed: 7,
    clock: createWallClock(),
    wallClock: createWallClock(),
    dataDir: null,
    chains: false,
    credentials: WORLD_CREDENTIALS,
  });
});
afterAll(async () => {
  await killDaemons();
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

function live(): Daemon {
  return startDaemon(
    {
      ...contractSettings(world),
      PREDICTD_DATA: join(folder, 'data'),
      ...killing(KILLS, done),
    },
    { preload: KILLER },
  );
}

/** Calls the interface as a person. */
async function ask(daemon: Daemon, method: string, path: string, body: object, token = '') {
  const response = await fetch(`${await daemon.url()}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

async function anAssistant(daemon: Daemon): Promise<string> {
  const phone = '+12025550145';
  const { challengeId } = await ask(daemon, 'POST', '/api/auth/otp/request', { phone });
  const [, code] = await daemon.saw(/code for \S+: (\d{6})/);
  const { accessToken, user } = await ask(daemon, 'POST', '/api/auth/otp/verify', {
    challengeId,
    code,
  });
  await ask(daemon, 'PUT', '/api/user/profile', { username: 'ada' }, accessToken);
  const { solana: address } = user.wallets;
  await fetch(world.urls.venues.venue_b.endowmentUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, usdc: '100', lamports: '1000000000', verified: true }),
  });
  const { key } = await ask(
    daemon,
    'POST',
    '/api/user/keys/',
    { name: 'assistant', scopes: ['read', 'trade'] },
    accessToken,
  );
  // Money is booked once what brought it is final.
  const balance = () => ask(daemon, 'GET', '/api/venue_b/portfolio/balance', {}, accessToken);
  await expect
    .poll(async () => Number((await balance()).cash.available), { interval: 500 })
    .toBe(100);
  return String(key);
}

it('an order of an assistant is made once, killed after its intent and before its answer', async () => {
  const marketId = quotedMarket(world);
  let daemon = live();
  const key = await anAssistant(daemon);
  const order = { marketId, side: 'yes', amount: '5', orderType: 'market' };
  const call = async (name: string, given: Record<string, unknown>) =>
    callTool(await connect(await daemon.url(), key), name, given);
  const placing = () => call('orders_create', { ...order, clientRequestId: 'once' });
  for (let lives = 0; lives < 2; lives += 1) {
    // an order may be in doubt for a moment
    await expect
      .poll(() =>
        placing().then(
          () => 'answered',
          () => 'cut off',
        ),
      )
      .toBe('cut off');
    expect((await daemon.ended).signal).toBe('SIGKILL');
    daemon = live();
  }
  const placed = await placing();
  const again = await placing();
  const listed = await call('orders_list', { fields: 'all' });
  const held = await call('positions_list', {});
  expect(momentsIn(done).killedAt).toEqual([
    expect.stringMatching(/^after order\.intended/),
    expect.stringMatching(/^before idempotency_keys of key once/),
  ]);
  const { orderId } = Object(placed.value['result']);
  expect(placed.value).toMatchObject({ outcome: 'done', result: { state: 'filled' } });
  expect(again.value).toMatchObject({ outcome: 'done', replay: true, result: { orderId } });
  expect(listed.value['items']).toEqual([
    expect.objectContaining({ id: orderId, clientOrderId: 'once' }),
  ]);
  expect(held.value['items']).toEqual([expect.objectContaining({ marketId, shares: '9' })]);
});
