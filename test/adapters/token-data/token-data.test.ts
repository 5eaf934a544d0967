import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createRouter } from '../../../src/adapters/router/router.ts';
import { createDexScreener } from '../../../src/adapters/token-data/dex-screener.ts';
import { createGeckoTerminal } from '../../../src/adapters/token-data/gecko-terminal.ts';
import { createFaultBoard, type FaultBoard } from '../../../src/sandbox/faults.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../src/sandbox/feeds/prices/price-process.ts';
import { startRouter } from '../../../src/sandbox/router/router-server.ts';
import { startDexScreener } from '../../../src/sandbox/tokens/dex-screener.ts';
import { startGeckoTerminal } from '../../../src/sandbox/tokens/gecko-terminal.ts';
import { createTokenMarket } from '../../../src/sandbox/tokens/token-market.ts';
import type { Listening } from '../../../src/sandbox/wire/http-server.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { startStubServer } from '../../support/fixtures/stub-server.ts';

const NOW_MS = 1_780_880_400_000;
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const BONK = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
const metrics = createCountingMetrics();
let clock: VirtualClock;
let faults: FaultBoard;
let servers: readonly Listening[];
let gecko: ReturnType<typeof createGeckoTerminal>;
let pairs: ReturnType<typeof createDexScreener>;
let router: ReturnType<typeof createRouter>;
const prices = createPriceProcess(7, startingPrices(NOW_MS / 1000 - 36_000));

beforeAll(async () => {
  clock = createVirtualClock(NOW_MS);
  faults = createFaultBoard(createSeededRandom(1));
  const options = { market: createTokenMarket(7, prices), clock, wallClock: clock, faults };
  servers = await Promise.all([
    startGeckoTerminal(options),
    startDexScreener(options),
    startRouter({ ...options, chains: null }),
  ]);
  const [rankings = '', screener = '', routes = ''] = servers.map(({ url }) => url);
  gecko = createGeckoTerminal({ baseUrl: `${rankings}/api/v2`, key: null, clock, metrics });
  pairs = createDexScreener({ baseUrl: screener, clock, metrics });
  router = createRouter({ baseUrl: `${routes}/v1`, key: null, clock, metrics });
});

afterAll(async () => {
  await Promise.all([gecko.close(), pairs.close(), router.close()]);
  await Promise.all(servers.map((server) => server.close()));
});

describe('token data of the sandbox, through the adapters', () => {
  it('agrees on a price among rankings, pairs, prices and the router, and with the process behind every feed', async () => {
    const eth = prices.valueAt('ETH', NOW_MS / 1000) ?? 0;
    const reported = [
      (await gecko.prices('ETHEREUM', [WETH], 'asked')).get(WETH),
      (await gecko.pools({ chain: 'ETHEREUM', ranking: 'volume', page: 1, urgency: 'asked' })).find(
        ({ symbol }) => symbol === 'WETH',
      )?.priceUsd,
      (await pairs.poolsOf('ETHEREUM', WETH))[0]?.priceUsd,
      (await router.token('BASE', 'ETH'))?.priceUsd,
    ];
    expect(reported.map((price) => Math.abs(Number(price) / eth - 1) < 1e-9)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('ranks by what was asked for, with whole tokens', async () => {
    const pools = await gecko.pools({
      chain: 'SOLANA',
      ranking: 'volume',
      page: 1,
      urgency: 'asked',
    });
    expect(
      pools
        .map(({ symbol }) => symbol)
        .slice(0, 2)
        .sort(),
    ).toEqual(['USDC', 'wSOL']);
    expect(pools.find(({ symbol }) => symbol === 'wSOL')).toMatchObject({
      chain: 'SOLANA',
      decimals: 9,
    });
    expect(
      pools.every(
        ({ pairCreatedAtMs, liquidityUsd }) => pairCreatedAtMs !== null && liquidityUsd !== null,
      ),
    ).toBe(true);
    const trending = await gecko.pools({
      chain: 'SOLANA',
      ranking: 'trending',
      page: 1,
      urgency: 'asked',
    });
    expect(new Set(trending.map(({ address }) => address))).toEqual(
      new Set(pools.map(({ address }) => address)),
    );
  });

  it('tells details, searches all chains, and knows nothing of what is not there', async () => {
    expect(await gecko.details('SOLANA', BONK)).toMatchObject({
      holders: 184_003,
      freezeAuthority: 'no',
    });
    expect((await pairs.search('pepe')).map(({ chain }) => chain).sort()).toEqual([
      'BASE',
      'ETHEREUM',
    ]);
    expect(await gecko.details('BASE', BONK)).toBeNull();
    expect(await pairs.poolsOf('BASE', '0x0000000000000000000000000000000000000001')).toEqual([]);
    expect(await router.token('BASE', 'NOPE')).toBeNull();
  });

  it('is never asked more than thirty times in a minute, and those who wait go first', async () => {
    await clock.advance(600_000);
    const answers: Promise<string>[] = [];
    let refused = 0;
    const ask = (urgency: 'asked' | 'refresh') =>
      gecko.prices('ETHEREUM', [WETH], urgency).then(() => urgency);
    const before =
      metrics.counts['token_data_calls_total source=gecko_terminal outcome=answered'] ?? 0;
    for (let second = 0; second < 60; second += 1) {
      for (const urgency of ['refresh', 'asked'] as const)
        answers.push(
          ask(urgency).catch(() => {
            refused += 1;
            return 'refused';
          }),
        );
      await clock.advance(1_000);
    }
    await Promise.race([Promise.all(answers.slice(0, 10)), Promise.resolve()]);
    const after =
      metrics.counts['token_data_calls_total source=gecko_terminal outcome=answered'] ?? 0;
    expect(after - before).toBeLessThanOrEqual(30);
    expect(metrics.counts['token_data_calls_total source=gecko_terminal outcome=failed'] ?? 0).toBe(
      0,
    );
    expect(refused).toBeGreaterThan(0);
    await clock.advance(600_000);
    await Promise.all(answers);
  });

  it('says when the source asks for slower calls, or does not answer', async () => {
    faults.arm('token-data-busy');
    await expect(gecko.prices('BSC', [WETH], 'asked')).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterMs: 10_000,
    });
    faults.arm('token-data-down');
    await expect(pairs.search('pepe')).rejects.toMatchObject({ code: 'token_data_unavailable' });
    faults.arm('router-down');
    await expect(router.token('BASE', 'ETH')).rejects.toMatchObject({ code: 'router_unavailable' });
  });
});

describe('sources that answer otherwise', () => {
  it('are refused in another shape, and lose single figures that are none', async () => {
    const stub = await startStubServer({ answer: () => ({ body: { pairs: 'none' } }) });
    const reader = createDexScreener({ baseUrl: stub.httpUrl, clock, metrics });
    await expect(reader.search('x')).rejects.toMatchObject({ code: 'token_data_unavailable' });
    const pair = { chainId: 'base', pairAddress: '0x1', baseToken: { address: '0x2' } };
    stub.behaviour.answer = () => ({
      body: {
        pairs: [
          { ...pair, priceUsd: '-4', volume: { h24: 'NaN' }, liquidity: { usd: 1e3 } },
          { ...pair, chainId: 'dogechain' },
        ],
      },
    });
    expect(await reader.search('x')).toMatchObject([
      { chain: 'BASE', priceUsd: null, volume24hUsd: null, liquidityUsd: '1000', symbol: '' },
    ]);
    await reader.close();
    await stub.close();
  });

  it('are not believed about a token of another chain', async () => {
    const stub = await startStubServer({
      answer: () => ({ body: { address: WETH, chainId: 1, symbol: 'X', decimals: 18, name: 'X' } }),
    });
    const reader = createRouter({ baseUrl: stub.httpUrl, key: null, clock, metrics });
    await expect(reader.token('BASE', 'X')).rejects.toMatchObject({ code: 'router_unavailable' });
    await reader.close();
    await stub.close();
  });
});
