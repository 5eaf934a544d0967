import { erc20Abi, type Address as HexAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPancakeSwap } from '../../../src/adapters/evm/pancake-swap.ts';
import { isSwapOver, receivedSide } from '../../../src/domain/swap.ts';
import { createBscReads } from '../../../src/services/web3/bsc.ts';
import type { QuoteRequest } from '../../../src/services/swaps/swap-quoting.ts';
import { aUserId } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';
import { fakePrices } from '../../support/fakes/fake-token-data.ts';
import { openSwapWorld, WALLETS, type SwapWorld } from '../../support/worlds/swap-world.ts';

const USER = aUserId(1);
const OWNER = WALLETS.evm;
const ARB = '0x912CE59144191C1204E64559FE8253a0e49E6548';
let world: SwapWorld;
let life: ReturnType<SwapWorld['live']>;

beforeAll(async () => {
  world = await openSwapWorld(['ARBITRUM', 'BSC']);
  life = world.live();
  await world.give('ARBITRUM', 1, 100);
  await world.give('SOLANA', 1, 100);
});

afterAll(async () => {
  life.stop();
  await world.close();
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
  const { swaps } = life;
  const { quoteId } = await swaps.quote(USER, { ...ask, ...request });
  const { swapId } = await swaps.execute(USER, { quoteId, isFresh: false });
  await eventually(() => expect(isSwapOver(swaps.get(USER, swapId)?.state ?? 'queued')).toBe(true));
  return swaps.get(USER, swapId) ?? expect.unreachable();
}

async function held(token: string, chain: 'ARBITRUM' | 'BSC' = 'ARBITRUM'): Promise<bigint> {
  const { local } = await world.chains.open(chain);
  return local.node.client.readContract({
    address: token as HexAddress, // addresses of an EVM chain
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [OWNER as HexAddress],
  });
}

describe('swaps on real local chains', () => {
  it.each([
    ['ARBITRUM', 'EVM', 'ETH'],
    ['SOLANA', 'SVM', 'SOL'],
  ] as const)(
    'tell before what the network of %s takes, as its node reckons it',
    async (chain, walletType, coin) => {
      const request = {
        ...ask,
        fromChain: chain,
        toChain: chain,
        walletType,
        buyTokenTicker: coin,
      };
      // a node that is slow is not waited for, and clocks go eight times as fast here
      const gas = await eventually(
        async () => (await life.swaps.quote(USER, request)).gas ?? expect.unreachable(),
      );
      expect(gas).toMatchObject({ coin: { symbol: coin }, source: 'trial' });
      // a signature, and the priority that its transaction offers
      if (chain === 'SOLANA') expect(gas.amount).toBe(5_400n);
      else expect(gas.amount).toBeGreaterThan(10n ** 12n);
      expect(gas.maximum).toBeGreaterThanOrEqual(gas.amount);
      expect(gas.micros).toBeGreaterThan(0);
    },
  );

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
    world.faults.arm('bridge-route-refunded', { times: 1 });
    const swap = await done({ toChain: 'BSC', buyTokenTicker: 'BNB', amount: '10' });
    expect([swap.state, swap.received, swap.reason]).toEqual([
      'refunded',
      '10000000',
      'the bridge gave the USDC back',
    ]);
  });

  it('end as partial where something else arrived, with its address', async () => {
    world.faults.arm('bridge-route-partial', { times: 1 });
    const swap = await done({ toChain: 'BSC', buyTokenTicker: 'BNB', amount: '10' });
    expect([swap.state, swap.receivedToken, swap.reason]).toEqual([
      'partial',
      '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
      'the bridge paid USDC instead of BNB',
    ]);
    // dollars have 18 decimals there
    expect(receivedSide(swap)).toMatchObject({ chain: 'BSC', symbol: 'USDC', decimals: 18 });
    expect(await held(swap.receivedToken ?? '', 'BSC')).toBe(BigInt(swap.received ?? 0));
  });
});

describe('swaps from and to Solana', () => {
  it('cross to Solana, paid to the own wallet there, and proven in a final block of it', async () => {
    const swap = await done({ toChain: 'SOLANA', buyTokenTicker: 'SOL', amount: '15' });
    expect(swap).toMatchObject({ state: 'completed', reason: null });
    expect(BigInt(swap.received ?? 0)).toBeGreaterThanOrEqual(BigInt(swap.minimumOut));
    const landed = world.solanaRpc.chain.transaction(swap.receivedHash ?? '');
    expect(landed?.accountKeys).toContain(WALLETS.solana);
  });

  it('sell SOL for a token, and a token for SOL, through pools, fees not counted', async () => {
    const sol = { fromChain: 'SOLANA', toChain: 'SOLANA', walletType: 'SVM' } as const;
    const bought = await done({
      ...sol,
      sellTokenTicker: 'SOL',
      buyTokenTicker: 'USDC',
      amount: '0.1',
    });
    expect([bought.state, bought.received]).toEqual(['completed', bought.expectedOut]);
    const back = await done({
      ...sol,
      sellTokenTicker: 'USDC',
      buyTokenTicker: 'SOL',
      amount: '5',
    });
    expect([back.state, back.received]).toEqual(['completed', back.expectedOut]);
    const bonk = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
    const through = await done({
      ...sol,
      sellTokenTicker: 'SOL',
      buyTokenTicker: 'BONK',
      buyToken: bonk,
      amount: '0.05',
    });
    expect([through.state, through.received]).toEqual(['completed', through.expectedOut]);
    const accounts = await world.solana.tokenAccounts(WALLETS.solana);
    expect(accounts.find(({ mint }) => mint === bonk)?.amount).toBe(BigInt(through.expectedOut));
  });

  it.each([
    ['SOL', '0.1', 'USDC'],
    ['USDC', '10', 'ETH'],
  ])('cross from Solana: %s %s for %s on Arbitrum', async (sellTokenTicker, amount, ticker) => {
    const swap = await done({
      fromChain: 'SOLANA',
      walletType: 'SVM',
      sellTokenTicker,
      amount,
      buyTokenTicker: ticker,
    });
    expect(swap).toMatchObject({ state: 'completed', reason: null });
    expect(BigInt(swap.received ?? 0)).toBeGreaterThanOrEqual(BigInt(swap.minimumOut));
  });

  it.each([
    ['bridge-route-refunded', 'refunded', '5000000', null],
    ['bridge-route-partial', 'partial', null, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
  ] as const)('end by %s as %s', async (fault, state, received, receivedToken) => {
    world.faults.arm(fault, { times: 1 });
    const swap = await done({
      fromChain: 'SOLANA',
      walletType: 'SVM',
      buyTokenTicker: 'ETH',
      amount: '5',
    });
    expect([swap.state, swap.receivedToken]).toEqual([state, receivedToken]);
    if (received !== null) expect(swap.received).toBe(received);
  });

  it.each([
    ['SOLANA', 'ARBITRUM', 'SVM'],
    ['ARBITRUM', 'SOLANA', 'EVM'],
  ] as const)(
    'wait for a bridge that pays late, from %s to %s, and end once it has',
    async (fromChain, toChain, walletType) => {
      const { swaps } = life;
      world.faults.arm('bridge-route-late', { times: 4 });
      const request = { ...ask, fromChain, toChain, walletType, buyTokenTicker: 'USDC' };
      const { quoteId } = await swaps.quote(USER, { ...request, amount: '3' });
      const { swapId } = await swaps.execute(USER, { quoteId, isFresh: false });
      const now = () => swaps.get(USER, swapId) ?? expect.unreachable();
      await eventually(() => expect(now().state).toBe('following'));
      await eventually(() => expect(now().state).toBe('completed'));
      expect(world.faults.isArmed('bridge-route-late')).toBe(false);
      expect(BigInt(now().received ?? 0)).toBeGreaterThanOrEqual(BigInt(now().minimumOut));
    },
  );

  it('that would fail on the chain fail before anything is signed', async () => {
    await expect(
      done({ fromChain: 'SOLANA', walletType: 'SVM', buyTokenTicker: 'ETH', amount: '5000' }),
    ).rejects.toMatchObject({ code: 'insufficient_funds' });
    await expect(
      done({
        fromChain: 'SOLANA',
        toChain: 'SOLANA',
        walletType: 'SVM',
        sellTokenTicker: 'SOL',
        amount: '500',
        buyTokenTicker: 'USDC',
      }),
    ).rejects.toMatchObject({ code: 'insufficient_funds' });
  });
});

describe('the reads of BNB Smart Chain', () => {
  it('find the pools at their own addresses, the best way through them, and none where no pool exists', async () => {
    await world.chains.open('BSC');
    const nodes = world.nodes.get('BSC');
    if (nodes?.kind !== 'evm') return expect.unreachable();
    const { evm, accounts } = nodes;
    const bsc = createBscReads({
      nodes: { evm, accounts, exchange: createPancakeSwap(evm) },
      prices: fakePrices(() => null),
      clock: world.clock,
    });
    const quote = await bsc.quote('CAKE', 'BNB', '100').catch(() => null);
    expect(quote).toBeNull(); // CAKE is not a listed ticker
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
