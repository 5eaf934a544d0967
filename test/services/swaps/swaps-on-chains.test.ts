import { erc20Abi, type Address as HexAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { createEvmAccounts } from '../../../src/adapters/evm/evm-account.ts';
import { createEvmChain } from '../../../src/adapters/evm/evm-chain.ts';
import { createPancakeSwap } from '../../../src/adapters/evm/pancake-swap.ts';
import { createEvmRail } from '../../../src/adapters/evm/evm-rail.ts';
import { signEvmDigest } from '../../../src/adapters/keys/evm-key.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createRouter } from '../../../src/adapters/router/router.ts';
import { asId, type Address, type SolanaAddress } from '../../../src/domain/ids.ts';
import { isSwapOver } from '../../../src/domain/swap.ts';
import type { EvmReceipt } from '../../../src/ports/evm.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../src/sandbox/feeds/prices/price-process.ts';
import { startRouter } from '../../../src/sandbox/router/router-server.ts';
import { startSwapChains, type SwapChains } from '../../../src/sandbox/router/swap-chains.ts';
import { createTokenMarket } from '../../../src/sandbox/tokens/token-market.ts';
import type { Listening } from '../../../src/sandbox/wire/http-server.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createBscReads } from '../../../src/services/web3/bsc.ts';
import type { QuoteRequest } from '../../../src/services/swaps/swap-quoting.ts';
import { createSwaps, type Swaps } from '../../../src/services/swaps/swaps.ts';
import {
  createTransactions,
  type Transactions,
} from '../../../src/services/transactions/transactions.ts';
import { aUserId } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { fakePrices } from '../../support/fakes/fake-token-data.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const SECOND = 1_780_880_400;
const USER = aUserId(1);
const KEY = new Uint8Array(32).fill(0x43);
const OWNER = privateKeyToAccount(`0x${'43'.repeat(32)}`).address;
const WALLET = asId<Address>(OWNER);
const ARB = '0x912CE59144191C1204E64559FE8253a0e49E6548';
const clock = createWallClock();
const faults = createFaultBoard(createSeededRandom(1));
const metrics = createKeptMetrics();
const market = createTokenMarket(7, createPriceProcess(7, startingPrices(SECOND - 36_000)));
let chains: SwapChains;
let server: Listening;
let router: ReturnType<typeof createRouter>;
let swaps: Swaps;
let transactions: Transactions;

beforeAll(async () => {
  chains = await startSwapChains({
    seed: 7,
    folder: null,
    clock,
    speed: 10,
    world: new Promise(() => undefined), // neither of the usual chains is used here
    market,
    second: () => SECOND,
  });
  const marketClock = { ...clock, nowMs: () => SECOND * 1_000 };
  server = await startRouter({ market, clock: marketClock, wallClock: clock, faults, chains });
  router = createRouter({ baseUrl: `${server.url}/v1`, key: null, clock, metrics });
  const nodes = Object.fromEntries(
    (
      [
        ['ARBITRUM', 42_161],
        ['BSC', 56],
      ] as const
    ).map(([chain, chainId]) => {
      const options = { chainId, rpcUrl: chains.rpcUrls[chain], metrics };
      return [chain, { evm: createEvmChain(options), accounts: createEvmAccounts(options) }];
    }),
  );
  const store = createMemoryStore();
  const commit = createCommit({ store, bus: createKeptBus(), metrics });
  const shared = {
    store,
    commit,
    clock,
    metrics,
    log: createKeptLog(),
    random: createSeededRandom(2),
  };
  const may = { loadKeys: async () => undefined, assertMayLeave: () => undefined };
  transactions = createTransactions<EvmReceipt>({
    ...shared,
    rails: (['ARBITRUM', 'BSC'] as const).map((chain) =>
      createEvmRail({
        chain,
        ...(nodes[chain] ?? expect.unreachable()),
        ...may,
        vault: { signDigest: (_userId, digest) => signEvmDigest(KEY, digest) },
      }),
    ),
    books: { verdict: () => ({ state: 'done', reason: null }), close: () => undefined },
  });
  swaps = createSwaps({
    ...shared,
    ...may,
    marketClock,
    transactions,
    router,
    sides: {
      evm: { ARBITRUM: nodes['ARBITRUM']?.evm ?? expect.unreachable() },
      router,
      search: async () => ({ found: [], readAtMs: 0 }),
    },
    prices: fakePrices((chain, address) => {
      const wanted =
        address ??
        (chain === 'BSC'
          ? '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c'
          : '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1');
      const token = market.tokens.find((row) => row.chain === chain && row.address === wanted);
      return token === undefined
        ? null
        : {
            priceE18: BigInt(Math.round(market.priceOf(token, SECOND) * 1e9)) * 10n ** 9n,
            atMs: 1,
          };
    }),
    walletsOf: () => ({ evm: WALLET, safe: WALLET, solana: asId<SolanaAddress>('s') }),
    nodesOf: (chain) => nodes[chain] ?? null,
    targets: ['0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'],
    cashAccountOf: () => null,
    dailyOutMicros: 1_000_000_000,
  });
  const given = await fetch(`${server.url}/sandbox/faucet`, {
    method: 'POST',
    body: JSON.stringify({ chain: 'ARBITRUM', address: OWNER, coins: 1, dollars: 100 }),
  });
  expect(given.status).toBe(200);
});

afterAll(async () => {
  swaps.stop();
  transactions.stop();
  await router.close();
  await server.close();
  await chains.close();
});

const ask: QuoteRequest = {
  fromChain: 'ARBITRUM',
  toChain: 'ARBITRUM',
  sellTokenTicker: 'USDC',
  buyTokenTicker: 'ETH',
  sellToken: null,
  buyToken: null,
  amount: '20',
  walletType: 'EVM',
  slippageBps: 50,
  acceptUnpriced: false,
};

async function done(request: Partial<QuoteRequest>) {
  const { quoteId } = await swaps.quote(USER, { ...ask, ...request });
  const { swapId } = await swaps.execute(USER, { quoteId, isFresh: false });
  await eventually(() => expect(isSwapOver(swaps.get(USER, swapId)?.state ?? 'queued')).toBe(true));
  return swaps.get(USER, swapId) ?? expect.unreachable();
}

async function held(token: string): Promise<bigint> {
  const { local } = await chains.open('ARBITRUM');
  return local.node.client.readContract({
    address: token as HexAddress, // addresses of an EVM chain
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [OWNER],
  });
}

describe('swaps on real local chains', () => {
  it('sell a token for the coin, and count what arrived without the fee of the transaction', async () => {
    const swap = await done({});
    expect([swap.state, swap.received]).toEqual(['completed', swap.expectedOut]);
  });

  it('sell the coin for a token that is named by its address, and leave no right behind', async () => {
    const swap = await done({
      sellTokenTicker: 'ETH',
      buyTokenTicker: 'ARB',
      buyToken: ARB,
      amount: '0.01',
    });
    expect([swap.state, swap.buy.symbol]).toEqual(['completed', 'ARB']);
    expect(await held(ARB)).toBe(BigInt(swap.received ?? 0));
  });

  it('bridge to the coin of another chain, proven on both', async () => {
    const swap = await done({ toChain: 'BSC', buyTokenTicker: 'BNB', amount: '30' });
    expect(swap).toMatchObject({ state: 'completed', reason: null });
    expect(swap.receivedHash).not.toBe(swap.sentHash);
    expect(BigInt(swap.received ?? 0)).toBeGreaterThanOrEqual(BigInt(swap.minimumOut));
  });

  it('end as given back where the money came back', async () => {
    faults.arm('bridge-route-refunded', { times: 1 });
    const swap = await done({ toChain: 'BSC', buyTokenTicker: 'BNB', amount: '10' });
    expect([swap.state, swap.received]).toEqual(['refunded', '10000000']);
  });

  it('end as partial where something else arrived, with its address', async () => {
    faults.arm('bridge-route-partial', { times: 1 });
    const swap = await done({ toChain: 'BSC', buyTokenTicker: 'BNB', amount: '10' });
    expect([swap.state, swap.receivedToken]).toEqual([
      'partial',
      '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
    ]);
  });
});

describe('the reads of BNB Smart Chain', () => {
  it('find the pools at their own addresses, the best way through them, and no pool where there is none', async () => {
    await chains.open('BSC');
    const evm = createEvmChain({ chainId: 56, rpcUrl: chains.rpcUrls.BSC, metrics });
    const accounts = createEvmAccounts({ chainId: 56, rpcUrl: chains.rpcUrls.BSC, metrics });
    const bsc = createBscReads({
      nodes: { evm, accounts, exchange: createPancakeSwap(evm) },
      prices: fakePrices(() => null),
      clock,
    });
    const quote = await bsc.quote('CAKE', 'BNB', '100').catch(() => null);
    expect(quote).toBeNull(); // CAKE is no ticker of ours
    const { best, others, impactBps } = await bsc.quote(
      '0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82',
      'BNB',
      '100',
    );
    expect([best.kind, best.path.length, others, best.out > 0n]).toEqual(['v2', 3, [], true]);
    expect(impactBps).toBeLessThan(10);
    const { pools } = await bsc.pools('USDC', 'USDT');
    expect(pools.map(({ kind, reserves }) => [kind, reserves !== null])).toEqual([['v2', true]]);
    expect(await bsc.token('USDC')).toMatchObject({ symbol: 'USDC', decimals: 18, isKnown: true });
    await expect(bsc.token(OWNER)).rejects.toMatchObject({ code: 'not_found' });
    expect((await bsc.gas()).blockNumber).toBeGreaterThan(0);
  });
});
