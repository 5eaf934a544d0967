import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import type { PoolWorld } from './a-venue.ts';
import { listedPools, poolQuestion, startAmmChain, type AmmChain } from './an-amm-chain.ts';

describe('the pools of the venue over time', () => {
  let on: AmmChain;
  let world: PoolWorld;
  let folder: string;
  const foundedAtMs = Date.now();
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pools-'));
    on = await startAmmChain({ makers: true });
    world = await on.open({ dataDir: folder, foundedAtMs });
  });
  afterAll(async () => {
    await world.close();
    await on.close();
    rmSync(folder, { recursive: true });
  });

  it('brings a pool that was moved back, by its traders, to what its market is worth', async () => {
    const market = await poolQuestion(world, 1);
    const user = await world.user('2000');
    await on.allow(user, market.address);
    await on.trade(user, market.address, 'buy', [2_000_000_000n, 1n, 0n]);
    const pushed = (await poolQuestion(world, 1)).prices[0];
    await world.call('GET', `/markets/${market.slug}`);
    await eventually(async () => {
      const [yes] = (await poolQuestion(world, 1)).prices;
      expect(yes).toBeGreaterThan(pushed + 0.05);
    });
    await eventually(async () => {
      const { body } = await world.call('GET', `/markets/${market.slug}/events`);
      expect(body.events[0].profile.account).not.toBe(user.account);
    });
  });

  it('finds pools, trades and positions again after a restart, and what ended meanwhile is paid', async () => {
    const market = await poolQuestion(world);
    const [window] = (await listedPools(world)).filter(({ slug }) => slug.startsWith('eth-'));
    const user = await world.user('100');
    await on.allow(user, market.address);
    await on.trade(user, market.address, 'buy', [50_000_000n, 1n, 0n]);
    const headers = { identity: `Bearer ${user.identityToken}` };
    const before = await world.call('GET', '/portfolio/positions', { headers });
    expect(before.body.amm).toHaveLength(1);
    await world.close();
    world = await on.open({ dataDir: folder, foundedAtMs });
    const after = await world.call('GET', `/portfolio/${user.account}/positions`);
    expect(after.body.amm).toMatchObject([
      {
        outcomeIndex: 1,
        totalBuysCost: '50.000000',
        market: { address: market.address },
        outcomeTokenAmount: before.body.amm[0].outcomeTokenAmount,
      },
    ]);
    // half a minute of this world's time is five minutes of the markets'
    await eventually(async () => {
      const { body } = await world.call('GET', `/markets/${window?.address}`);
      expect(body).toMatchObject({ status: 'RESOLVED', slug: window?.slug });
    });
  });
});
