import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VENUE_C_CHAIN } from '../../../../src/sandbox/venues/venue-c/chain-addresses.ts';
import { reportMarket } from '../../../../src/sandbox/venues/venue-c/chain/conditions.ts';
import { POOL_ABI } from '../../../../src/sandbox/venues/venue-c/chain/pool-abi.ts';
import {
  HttpClient,
  MarketFetcher,
  PortfolioFetcher,
  WebSocketClient,
} from '../../../peers/pool-sdk.ts';
import { eventually } from '../../../support/eventually.ts';
import type { PoolWorld } from './a-venue.ts';
import {
  listedPools,
  poolQuestion,
  startAmmChain,
  type AmmChain,
  type ListedPool,
} from './an-amm-chain.ts';

describe('the pools of the venue, on chain 8453', () => {
  let on: AmmChain;
  let world: PoolWorld;
  beforeAll(async () => {
    on = await startAmmChain({ makers: false });
    world = await on.open();
  });
  afterAll(async () => {
    await world.close();
    await on.close();
  });

  const question = (index = 0) => poolQuestion(world, index);
  const marketOf = ({ slug }: ListedPool) => {
    const market = world.open.exchange.market(slug);
    if (market === null) throw new Error('the venue does not know it');
    return market;
  };

  it('lists windows short and long and questions, each with a funded pool of the published contract', async () => {
    const markets = await listedPools(world);
    // The next to end first, which is another kind from one minute of the hour to the next.
    expect(markets.map(({ slug }) => slug.replace(/-\d+$/, '')).sort()).toEqual([
      'btc-up-or-down-hourly',
      'btc-up-or-down-hourly',
      'eth-up-or-down-5-min',
      'eth-up-or-down-5-min',
      'will-the-orchestra-play-the-lost-symphony',
      'will-the-tunnel-be-finished-this-season',
    ]);
    // a window of this world is over in half a minute
    for (const market of markets.filter(({ status }) => status === 'FUNDED')) {
      expect(market).toMatchObject({
        tradeType: 'amm',
        marketType: 'single',
        outcomeTokens: ['Yes', 'No'],
        volume: '0',
      });
      const pool = { address: market.address, abi: POOL_ABI } as const;
      expect(await on.node.client.readContract({ ...pool, functionName: 'fee' })).toBe(
        20_000_000_000_000_000n,
      );
      expect(
        await on.node.client.readContract({ ...pool, functionName: 'conditionalTokens' }),
      ).toBe(VENUE_C_CHAIN.conditionalTokens);
      const [yes, no] = await Promise.all(
        market.positionIds.map((tokenId) => on.shares(market.address, tokenId)),
      );
      expect([yes, no]).toContain(5_000_000_000n);
      expect(market.prices[0]).toBeCloseTo(Number(no) / (Number(yes) + Number(no)), 3);
      expect(BigInt(market.liquidity)).toBe(
        (2n * (yes ?? 0n) * (no ?? 0n)) / ((yes ?? 0n) + (no ?? 0n)),
      );
    }
    const books = await world.call('GET', '/markets/active?tradeType=clob&limit=25');
    const groups = await world.call('GET', '/markets/active?tradeType=group&limit=25');
    const all = await world.call('GET', '/markets/active?limit=25');
    expect(all.body.totalMarketsCount).toBe(
      books.body.totalMarketsCount + groups.body.totalMarketsCount + markets.length,
    );
  });

  it('shows a market by its slug and by the address of its pool, and has no book of it', async () => {
    const market = await question();
    const fetcher = new MarketFetcher(new HttpClient({ baseURL: world.open.urls.poolRest }));
    for (const name of [market.slug, market.address, market.address.toLowerCase()])
      expect((await fetcher.getMarket(name)).slug).toBe(market.slug);
    const book = await world.call('GET', `/markets/${market.slug}/orderbook`);
    expect(book.status).toBe(400);
    expect((await world.call('GET', `/markets/0x${'12'.repeat(20)}`)).status).toBe(404);
  });

  it('buys and sells at the price of the contract, with positions and trades to show for it', async () => {
    const market = await question();
    const user = await world.user('100');
    const pool = market.address;
    await on.allow(user, pool);
    const bought = await on.quote(pool, 'calcBuyAmount', 40_000_000n);
    const buy = await on.trade(user, pool, 'buy', [40_000_000n, 0n, bought]);
    expect(buy.status).toBe('success');
    expect(await on.shares(user.account, market.positionIds[0])).toBe(bought);
    const sold = await on.quote(pool, 'calcSellAmount', 10_000_000n);
    const sale = await on.trade(user, pool, 'sell', [10_000_000n, 0n, sold]);
    expect(sale.status).toBe('success');
    expect(await on.dollars(user.account)).toBe(70_000_000n);

    const { tokenId, secret } = user;
    const portfolio = new PortfolioFetcher(
      new HttpClient({ baseURL: world.open.urls.poolRest, hmacCredentials: { tokenId, secret } }),
    );
    const { amm } = await portfolio.getPositions();
    const held = bought - sold;
    expect(amm).toHaveLength(1);
    expect(amm[0]).toMatchObject({
      market: { slug: market.slug, address: pool, closed: false },
      account: user.account,
      outcomeIndex: 0,
      outcomeTokenAmount: decimals(held),
      totalBuysCost: '40.000000',
      totalSellsCost: '10.000000',
    });
    // what is held cost what the whole of it did, by its part
    expect(Number(amm[0]?.collateralAmount)).toBeCloseTo((40 * Number(held)) / Number(bought), 5);
    const [price] = (await question()).prices;
    expect(Number(amm[0]?.unrealizedPnl) + Number(amm[0]?.collateralAmount)).toBeCloseTo(
      (Number(held) / 1e6) * price,
      1,
    );
    const mine = await world.call('GET', '/portfolio/trades', {
      headers: { identity: `Bearer ${user.identityToken}` },
    });
    expect(mine.body).toMatchObject([
      {
        strategy: 'Sell',
        collateralAmount: '10.000000',
        outcomeTokenAmount: decimals(sold),
        transactionHash: sale.transactionHash,
        market: { slug: market.slug },
      },
      { strategy: 'Buy', collateralAmount: '40.000000', transactionHash: buy.transactionHash },
    ]);
    const events = await world.call('GET', `/markets/${market.slug}/events`);
    expect(events.body).toMatchObject({
      totalRows: 2,
      events: [{ side: 1 }, { side: 0, profile: { account: user.account } }],
    });
    expect((await question()).volume).toBe('50000000');
  });

  it('keeps to the worst price of a trade, and takes nothing without an allowance', async () => {
    const market = await question();
    const user = await world.user('100');
    const pool = market.address;
    const without = await on.trade(user, pool, 'buy', [10_000_000n, 1n, 0n]);
    expect(without.status).toBe('reverted');
    await on.allow(user, pool);
    const bought = await on.quote(pool, 'calcBuyAmount', 10_000_000n, 1n);
    const tooFew = await on.trade(user, pool, 'buy', [10_000_000n, 1n, bought + 1n]);
    expect(tooFew.status).toBe('reverted');
    await on.trade(user, pool, 'buy', [10_000_000n, 1n, bought]);
    const sold = await on.quote(pool, 'calcSellAmount', 5_000_000n, 1n);
    const tooMany = await on.trade(user, pool, 'sell', [5_000_000n, 1n, sold - 1n]);
    expect(tooMany.status).toBe('reverted');
    expect(await on.dollars(user.account)).toBe(90_000_000n);
  });

  it('tells prices of a pool by its address at once, and again when a trade moves them', async () => {
    const market = await question();
    const user = await world.user('500');
    const { tokenId, secret } = user;
    const socket = new WebSocketClient({
      url: world.open.urls.poolSocket,
      hmacCredentials: { tokenId, secret },
      autoReconnect: false,
    });
    await socket.connect();
    const prices: number[] = [];
    const blocks: number[] = [];
    const positions: unknown[] = [];
    socket.on('newPriceData', ({ marketAddress, updatedPrices: [price], blockNumber }) => {
      if (marketAddress !== market.address || price === undefined) return;
      expect(price.yesPrice + price.noPrice).toBeCloseTo(1, 3);
      prices.push(price.yesPrice);
      blocks.push(blockNumber);
    });
    socket.on('positions', (update) => positions.push(update));
    await socket.subscribe('subscribe_market_prices', { marketAddresses: [market.address] });
    await socket.subscribe('subscribe_positions', { marketAddresses: [market.address] });
    await eventually(() => expect(prices.length).toBeGreaterThan(0));
    const before = prices.at(-1) ?? 0;
    await on.allow(user, market.address);
    const { blockNumber } = await on.trade(user, market.address, 'buy', [500_000_000n, 0n, 0n]);
    await eventually(() => expect(Math.max(...blocks)).toBeGreaterThanOrEqual(Number(blockNumber)));
    // How far five hundred dollars move it depends on its odds, which are those of the hour.
    const [yes = 0n, no = 0n] = await Promise.all(
      market.positionIds.map((tokenId) => on.shares(market.address, tokenId)),
    );
    expect(prices.at(-1)).toBeGreaterThan(before);
    expect(prices.at(-1)).toBeCloseTo(Number(no) / Number(yes + no), 3);
    await eventually(async () =>
      expect(positions.at(-1)).toMatchObject({
        account: user.account,
        marketAddress: market.address,
        type: 'AMM',
        positions: [
          {
            outcomeIndex: 0,
            balance: String(await on.shares(user.account, market.positionIds[0])),
          },
          { outcomeIndex: 1, balance: '0' },
        ],
      }),
    );
    await socket.unsubscribe('subscribe_market_prices', { marketAddresses: [market.address] });
    await socket.disconnect();
  });

  it('says of which block a price is or of a later one, also where a trade comes meanwhile', async () => {
    const market = await question();
    const user = await world.user('500');
    await on.allow(user, market.address);
    const socket = new WebSocketClient({
      url: world.open.urls.poolSocket,
      hmacCredentials: { tokenId: user.tokenId, secret: user.secret },
      autoReconnect: false,
    });
    await socket.connect();
    const blocks: number[] = [];
    socket.on('newPriceData', ({ marketAddress, blockNumber }) => {
      if (marketAddress === market.address) blocks.push(blockNumber);
    });
    await socket.subscribe('subscribe_market_prices', { marketAddresses: [market.address] });
    const { client } = on.node;
    const { readContract } = client;
    let traded: bigint | null = null;
    const reads = vi.spyOn(client, 'readContract').mockImplementation(async (asked) => {
      if (asked.functionName === 'balanceOfBatch' && traded === null) {
        traded = 0n;
        const args = [50_000_000n, 0n, 0n] as const;
        traded = (await on.trade(user, market.address, 'buy', args)).blockNumber;
      }
      return readContract(asked as Parameters<typeof readContract>[0]); // the same call
    });
    await world.call('GET', `/markets/${market.slug}`);
    await world.call('GET', '/markets/active?tradeType=amm&limit=25');
    await eventually(() => expect(Math.max(...blocks)).toBeGreaterThanOrEqual(Number(traded)));
    reads.mockRestore();
    await socket.disconnect();
  });

  it('gives dollars once for each name, and coins with them', async () => {
    const user = await world.user('0');
    const give = (name: string) =>
      world.call('POST', '/sandbox/endowment', {
        body: { address: user.account, usdc: '25', name },
      });
    for (const name of ['first grant', 'first grant', 'second grant'])
      expect((await give(name)).status).toBe(200);
    expect(await on.dollars(user.account)).toBe(50_000_000n);
    expect(await on.node.client.getBalance({ address: user.account })).toBe(2n * 10n ** 18n);
  });

  it('pays who was right once the market has ended, and both sides by half where it was voided', async () => {
    for (const [index, payouts] of [
      [0, [1_000_000, 0]],
      [1, [500_000, 500_000]],
    ] as const) {
      const market = await question(index);
      const user = await world.user('100');
      await on.allow(user, market.address);
      for (const outcome of [0n, 1n])
        await on.trade(user, market.address, 'buy', [20_000_000n, outcome, 0n]);
      const [yes, no] = await Promise.all(
        market.positionIds.map((tokenId) => on.shares(user.account, tokenId)),
      );
      await reportMarket(on.chain, marketOf(market), payouts);
      await on.redeem(user, market);
      const paid = index === 0 ? yes : (yes ?? 0n) / 2n + (no ?? 0n) / 2n;
      expect(await on.dollars(user.account)).toBe(60_000_000n + (paid ?? 0n));
      for (const tokenId of market.positionIds)
        expect(await on.shares(user.account, tokenId)).toBe(0n);
    }
  });
});

/** Decimal text of micros. */
function decimals(micros: bigint): string {
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`;
}
