import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asId, type Address, type OrderId } from '../../src/domain/ids.ts';
import { priceTicks, usdcMicros } from '../../src/domain/units.ts';
import type { EngineOrder, ExchangeMarket } from '../../src/sandbox/engine/exchange-types.ts';
import type { World } from '../../src/sandbox/world.ts';
import {
  startSmallWorld,
  WORLD_CREDENTIALS,
  WORLD_START_MS,
} from '../support/worlds/small-world.ts';

const USER = asId<Address>('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
const RESTING = asId<OrderId>(`0x${'ab'.repeat(32)}`);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-world-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('world', () => {
  it('L10: gives the same prices, books and ids for the same seed and moment', async () => {
    const seen = [];
    for (let run = 0; run < 2; run += 1) {
      const { clock, world } = await startSmallWorld();
      await clock.advance(30_000);
      const market = roundIn(world, 'btc-updown-5m');
      seen.push([
        world.prices.at('SOL', WORLD_START_MS / 1000 + 30),
        market.marketId,
        world.venues.venue_a.exchange.book(market.tokens[0]),
      ]);
      await world.close();
    }
    expect(seen[0]).toEqual(seen[1]);
  });

  it('resolves its rounds by its own prices, round after round, and pays the winning side', async () => {
    const { clock, world } = await startSmallWorld();
    await clock.advance(30_000);
    const market = roundIn(world, 'btc-updown-5m');
    world.venues.venue_a.exchange.deposit(USER, usdcMicros(100_000_000));
    world.venues.venue_a.exchange.split(USER, market.marketId, 50_000_000);
    await clock.advance(400_000);
    const [start, end] = [WORLD_START_MS / 1000, WORLD_START_MS / 1000 + 300].map(
      (second) => world.prices.at('BTC', second) ?? 0n,
    );
    expect(world.venues.venue_a.exchange.payout(market.marketId)).toEqual(
      (end ?? 0n) >= (start ?? 0n) ? [10_000, 0] : [0, 10_000],
    );
    expect(world.venues.venue_a.exchange.balanceOf(USER)).toBe(100_000_000);
    await world.close();
  });

  it('leaves the books to its users when there are no makers', async () => {
    const { clock, world } = await startSmallWorld({ makers: false });
    await clock.advance(60_000);
    expect(world.venues.venue_a.exchange.book(roundIn(world, 'btc-updown-5m').tokens[0])).toEqual({
      bids: [],
      asks: [],
    });
    await world.close();
  });

  it('refuses a fault it does not know, and arms those it does', async () => {
    await expect(startSmallWorld({ faults: ['late-ack:2', 'earthquake'] })).rejects.toThrow(
      'not a fault of the sandbox: earthquake',
    );
    const { world } = await startSmallWorld({ faults: ['late-ack:2'] });
    expect(world.faults.armed()).toEqual(['late-ack']);
    await world.close();
  });

  it('runs both chains and the relayer beside the venue, unless it does without', async () => {
    const { world } = await startSmallWorld({ chains: true });
    const chainId = async (url = '') =>
      JSON.parse(
        await (
          await fetch(url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
          })
        ).text(),
      );
    expect(await chainId(world.urls.chains?.polygonRpc)).toMatchObject({ result: '0x89' });
    expect(await chainId(world.urls.chains?.baseRpc)).toMatchObject({ result: '0x2105' });
    expect(
      await (
        await fetch(`${world.urls.venues.venue_a.relayer}/nonce?type=SAFE&address=${USER}`)
      ).json(),
    ).toEqual({ nonce: '0' });
    await world.close();
    await expect(chainId(world.urls.chains?.polygonRpc)).rejects.toThrow('fetch failed');
    const without = await startSmallWorld();
    expect(without.world.urls.chains).toBeNull();
    await without.world.close();
  });

  it('arms and clears faults over its switchboard, unknown names and fields refused', async () => {
    const { world } = await startSmallWorld();
    const post = (body: unknown) =>
      fetch(`${world.urls.control}/faults`, { method: 'POST', body: JSON.stringify(body) }).then(
        ({ status }) => status,
      );
    expect(await post({ name: 'feed-stall', match: { path: '/rtds' } })).toBe(200);
    expect(world.faults.isArmed('feed-stall', { path: '/rtds' })).toBe(true);
    expect(await post({ name: 'earthquake' })).toBe(404);
    expect(await post({ name: 'gap', oftenness: 3 })).toBe(400);
    await fetch(`${world.urls.control}/faults/feed-stall`, { method: 'DELETE' });
    expect(world.faults.armed()).toEqual([]);
    await world.close();
  });
});

describe('world with a folder', () => {
  it('L9: goes on after a kill with balances, keys, open orders, rounds and prices as they were', async () => {
    const first = await startSmallWorld({ dataDir: folder });
    await first.clock.advance(20_000);
    const market = roundIn(first.world, 'btc-updown-15m');
    first.world.venues.venue_a.exchange.deposit(USER, usdcMicros(100_000_000));
    const key = first.world.venues.venue_a.exchange.keys.create(USER, '0');
    expect(
      first.world.venues.venue_a.exchange.place(restingBuy(market, key?.apiKey ?? '')),
    ).toEqual({
      kind: 'live',
    });
    const price = first.world.prices.at('BTC', WORLD_START_MS / 1000 + 10);
    // No close: the process is gone, and what was acknowledged is in the folder.
    const second = await startSmallWorld({ dataDir: folder }, WORLD_START_MS + 25_000);
    expect(second.world.venues.venue_a.exchange.balanceOf(USER)).toBe(100_000_000);
    expect(second.world.venues.venue_a.exchange.keys.find(key?.apiKey ?? '')).toEqual(key);
    expect(second.world.venues.venue_a.exchange.order(RESTING)).toMatchObject({
      status: 'LIVE',
      originalMicros: 10_000_000,
    });
    expect(second.world.prices.at('BTC', WORLD_START_MS / 1000 + 10)).toBe(price);
    await second.clock.advance(5_000);
    expect(second.world.venues.venue_a.exchange.book(market.tokens[0]).asks.length).toBeGreaterThan(
      5,
    );
    await second.world.close();
    await first.world.close();
  });

  it('L9: resolves rounds that ended while it was down', async () => {
    const first = await startSmallWorld({ dataDir: folder });
    const market = roundIn(first.world, 'btc-updown-5m');
    first.world.venues.venue_a.exchange.deposit(USER, usdcMicros(100_000_000));
    first.world.venues.venue_a.exchange.split(USER, market.marketId, 50_000_000);
    await first.world.close();
    const later = await startSmallWorld({ dataDir: folder }, WORLD_START_MS + 6 * 3_600_000);
    expect(later.world.venues.venue_a.exchange.payout(market.marketId)).not.toBeNull();
    expect(later.world.venues.venue_a.exchange.balanceOf(USER)).toBe(100_000_000);
    await later.world.close();
  });

  it("L9: pays a round by its prices though it was down for a week, as it is when its time is the wall's", async () => {
    const first = await startSmallWorld({ dataDir: folder });
    const market = roundIn(first.world, 'btc-updown-5m');
    await first.clock.advance(30_000);
    await first.world.close();
    const later = await startSmallWorld({ dataDir: folder }, WORLD_START_MS + 7 * 86_400_000);
    expect(later.world.venues.venue_a.exchange.payout(market.marketId)).toContain(10_000);
    await later.clock.advance(30_000);
    expect(
      later.world.venues.venue_a.exchange.book(
        roundIn(later.world, 'btc-updown-5m', WORLD_START_MS + 7 * 86_400_000).tokens[0],
      ).bids.length,
    ).toBeGreaterThan(5);
    await later.world.close();
  });

  it('folds its log into the snapshot on an orderly end, and drops a last line that was cut', async () => {
    const first = await startSmallWorld({ dataDir: folder });
    first.world.venues.venue_a.exchange.deposit(USER, usdcMicros(5_000_000));
    const [log = ''] = readdirSync(folder).filter((name) => name.endsWith('.log'));
    const whole = readFileSync(join(folder, log), 'utf8');
    writeFileSync(join(folder, log), `${whole}[{"kind":"holding","hol`);
    const second = await startSmallWorld({ dataDir: folder });
    expect(second.world.venues.venue_a.exchange.balanceOf(USER)).toBe(5_000_000);
    await second.world.close();
    const [kept = ''] = readdirSync(folder).filter((name) => name.endsWith('.log'));
    expect(readFileSync(join(folder, kept), 'utf8')).toBe('');
    await first.world.close();
  });

  it('refuses a folder of another seed and one it cannot read, with what to do', async () => {
    const first = await startSmallWorld({ dataDir: folder });
    await first.world.close();
    await expect(startSmallWorld({ dataDir: folder, seed: 8 })).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('holds the sandbox of seed 7, not 8'),
    });
    writeFileSync(join(folder, 'world.json'), '{"version":1,');
    await expect(startSmallWorld({ dataDir: folder })).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('remove the sandbox'),
    });
  });
});

describe('credentials of the world', () => {
  it('are asked for on the wire', async () => {
    const { world } = await startSmallWorld();
    expect((await fetch(`${world.urls.inference}/allora/allora-testnet-1/topics`)).status).toBe(
      401,
    );
    expect(
      (
        await fetch(`${world.urls.inference}/allora/allora-testnet-1/topics`, {
          headers: { 'x-api-key': WORLD_CREDENTIALS.inferenceKey },
        })
      ).status,
    ).toBe(200);
    expect((await fetch(`${world.urls.dataStreamsRest}/api/v1/feeds`)).status).toBe(400);
    await world.close();
  });
});

function roundIn(world: World, prefix: string, startsAtMs = WORLD_START_MS): ExchangeMarket {
  const market = world.venues.venue_a.exchange
    .markets()
    .find(({ slug }) => slug === `${prefix}-${startsAtMs / 1000}`);
  if (market === undefined) throw new Error(`no round ${prefix}`);
  return market;
}

function restingBuy(market: ExchangeMarket, owner: string): EngineOrder {
  return {
    orderId: RESTING,
    maker: USER,
    owner,
    tokenId: market.tokens[0],
    side: 'buy',
    timeInForce: 'GTC',
    price: priceTicks(100),
    makerMicros: 100_000,
    takerMicros: 10_000_000,
    expiresAtMs: null,
    postOnly: false,
  };
}
