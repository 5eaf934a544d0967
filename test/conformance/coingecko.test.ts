import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../src/adapters/clock/wall-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createFaultBoard } from '../../src/sandbox/faults.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import { startGeckoTerminal } from '../../src/sandbox/tokens/gecko-terminal.ts';
import { createTokenMarket } from '../../src/sandbox/tokens/token-market.ts';
import type { Listening } from '../../src/sandbox/wire/http-server.ts';
import { Coingecko } from '../peers/coingecko.ts';

const SECOND = 1_780_880_400;
const ARB = '0x912ce59144191c1204e64559fe8253a0e49e6548';
const clock = createWallClock();
let server: Listening;
let client: Coingecko;

beforeAll(async () => {
  server = await startGeckoTerminal({
    market: createTokenMarket(7, createPriceProcess(7, startingPrices(SECOND - 36_000))),
    clock: { ...clock, nowMs: () => SECOND * 1_000 },
    wallClock: clock,
    faults: createFaultBoard(createSeededRandom(1)),
  });
  client = new Coingecko({ demoAPIKey: 'demo', baseURL: `${server.url}/api/v3`, maxRetries: 0 });
});
afterAll(() => server.close());

describe("the token data's own client, unmodified", () => {
  it('reads rankings, pools, a token, its price and a search', async () => {
    const { onchain } = client;
    const trending = await onchain.networks.trendingPools.getNetwork('arbitrum', {});
    expect(trending.data?.length).toBeGreaterThan(0);
    const pools = await onchain.networks.pools.get('arbitrum', {});
    expect(pools.data?.[0]?.attributes?.reserve_in_usd).toMatch(/^\d/);
    const token = await onchain.networks.tokens.getAddress(ARB, { network: 'arbitrum' });
    expect(token.data?.attributes).toMatchObject({ symbol: 'ARB', decimals: 18 });
    const info = await onchain.networks.tokens.info.get(ARB, { network: 'arbitrum' });
    expect(info.data?.attributes?.symbol).toBe('ARB');
    const price = await onchain.simple.networks.tokenPrice.getAddresses(ARB, {
      network: 'arbitrum',
    });
    expect(Number(price.data?.attributes?.token_prices?.[ARB])).toBeGreaterThan(0);
    const found = await onchain.search.pools.get({ query: 'ARB' });
    expect(found.data?.length).toBeGreaterThan(0);
  });

  it('hears of too many calls in the way it knows', async () => {
    const calls = Array.from({ length: 200 }, () =>
      client.onchain.networks.pools.get('arbitrum', {}),
    );
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.filter(
      (outcome) =>
        outcome.status === 'rejected' && outcome.reason instanceof Coingecko.RateLimitError,
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(refused.length);
  });
});
