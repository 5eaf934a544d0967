import {
  createWalletClient,
  defineChain,
  erc20Abi,
  http,
  publicActions,
  type Address,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createWallClock } from '../../../src/adapters/clock/wall-clock.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import {
  startingPrices,
  createPriceProcess,
} from '../../../src/sandbox/feeds/prices/price-process.ts';
import { startRouter } from '../../../src/sandbox/router/router-server.ts';
import { startSwapChains, type SwapChains } from '../../../src/sandbox/router/swap-chains.ts';
import { createTokenMarket } from '../../../src/sandbox/tokens/token-market.ts';
import type { Listening } from '../../../src/sandbox/wire/http-server.ts';

const SECOND = 1_780_880_400;
const clock = createWallClock();
const faults = createFaultBoard(createSeededRandom(1));
const account = privateKeyToAccount(`0x${'42'.repeat(32)}`);
const IDS = { ARBITRUM: 42_161, BSC: 56 } as const;
const ARBITRUM_USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const BSC_USDC = '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d';
const ZERO = '0x0000000000000000000000000000000000000000';
let chains: SwapChains;
let router: Listening;

beforeAll(async () => {
  const market = createTokenMarket(7, createPriceProcess(7, startingPrices(SECOND - 36_000)));
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
  router = await startRouter({ market, clock: marketClock, wallClock: clock, faults, chains });
});
afterAll(async () => {
  await router.close();
  await chains.close();
});

const clientOf = (chain: keyof typeof IDS) =>
  createWalletClient({
    account,
    transport: http(chains.rpcUrls[chain]),
    pollingInterval: 20,
    chain: defineChain({
      id: IDS[chain],
      name: chain,
      nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
      rpcUrls: { default: { http: [chains.rpcUrls[chain]] } },
    }),
  }).extend(publicActions);

interface Answered {
  readonly action: { readonly fromToken: Listed; readonly toToken: Listed };
  readonly estimate: {
    readonly approvalAddress: Address;
    readonly fromAmount: string;
    readonly toAmount: string;
    readonly toAmountUSD: string;
  };
  readonly transactionRequest: { readonly to: Address; readonly data: Hex; readonly value: Hex };
}
interface Listed {
  readonly address: Address;
}

const ask = async (path: string): Promise<Answered> =>
  (await fetch(`${router.url}${path}`)).json() as Promise<Answered>; // the router's own shape
const give = (chain: string, coins: number, dollars: number) =>
  fetch(`${router.url}/sandbox/faucet`, {
    method: 'POST',
    body: JSON.stringify({ chain, address: account.address, coins, dollars }),
  });

async function run(chain: keyof typeof IDS, query: string): Promise<{ hash: Hex; step: Answered }> {
  const step = await ask(`/v1/quote?${query}&fromAddress=${account.address}`);
  const client = clientOf(chain);
  const { to, data, value } = step.transactionRequest;
  const token = step.action.fromToken.address;
  if (token !== ZERO) {
    const approval = await client.writeContract({
      address: token,
      abi: erc20Abi,
      functionName: 'approve',
      args: [step.estimate.approvalAddress, BigInt(step.estimate.fromAmount)],
    });
    await client.waitForTransactionReceipt({ hash: approval });
  }
  const hash = await client.sendTransaction({ to, data, value: BigInt(value) });
  expect(await client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
  return { hash, step };
}

const held = (chain: keyof typeof IDS, token: Address) =>
  clientOf(chain).readContract({
    address: token,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [account.address],
  });

describe("the sandbox's router", () => {
  it('swaps through the pools at the price it quoted, and knows what became of it', async () => {
    await give('ARBITRUM', 1, 100);
    const { hash, step } = await run(
      'ARBITRUM',
      `fromChain=arb&toChain=arb&fromToken=${ARBITRUM_USDC}&toToken=ARB&fromAmount=50000000`,
    );
    const arb = step.action.toToken.address;
    expect(await held('ARBITRUM', arb)).toBe(BigInt(step.estimate.toAmount));
    expect(Number(step.estimate.toAmountUSD)).toBeGreaterThan(49.5);
    expect(await ask(`/v1/status?txHash=${hash}&fromChain=arb`)).toMatchObject({ status: 'DONE' });
  });

  it('bridges: takes on one chain, pays on another once, and says where', async () => {
    const { hash, step } = await run(
      'ARBITRUM',
      `fromChain=arb&toChain=bsc&fromToken=${ARBITRUM_USDC}&toToken=USDC&fromAmount=10000000`,
    );
    const status = `/v1/status?txHash=${hash}&fromChain=42161&toChain=56`;
    expect(await ask(status)).toMatchObject({ status: 'PENDING' });
    expect(await ask(status)).toMatchObject({ status: 'DONE', substatus: 'COMPLETED' });
    await ask(status);
    expect(await held('BSC', BSC_USDC)).toBe(BigInt(step.estimate.toAmount));
  });

  it('gives once by a name, however often it is asked', async () => {
    const named = (name: string) =>
      fetch(`${router.url}/sandbox/faucet`, {
        method: 'POST',
        body: JSON.stringify({ chain: 'ARBITRUM', address: account.address, dollars: 7, name }),
      });
    const before = await held('ARBITRUM', ARBITRUM_USDC);
    await Promise.all([named('first money'), named('first money')]);
    expect((await named('first money')).status).toBe(200);
    expect((await held('ARBITRUM', ARBITRUM_USDC)) - before).toBe(7_000_000n);
    await named('more');
    expect((await held('ARBITRUM', ARBITRUM_USDC)) - before).toBe(14_000_000n);
  });

  it('gives back where it came from what does not arrive', async () => {
    faults.arm('bridge-route-refunded', { times: 1 });
    const before = await held('ARBITRUM', ARBITRUM_USDC);
    const { hash } = await run(
      'ARBITRUM',
      `fromChain=arb&toChain=bsc&fromToken=${ARBITRUM_USDC}&toToken=BNB&fromAmount=10000000`,
    );
    await ask(`/v1/status?txHash=${hash}&fromChain=arb`);
    expect(await ask(`/v1/status?txHash=${hash}&fromChain=arb`)).toMatchObject({
      substatus: 'REFUNDED',
    });
    expect(await held('ARBITRUM', ARBITRUM_USDC)).toBe(before);
  });

  it('prints no money: a loop through every listed token of a chain loses by its fees', async () => {
    let amount = 20_000_000n;
    let token: string = ARBITRUM_USDC;
    for (const next of ['WETH', 'ARB', 'ETH', ARBITRUM_USDC]) {
      const step = await ask(
        `/v1/quote?fromChain=arb&toChain=arb&fromToken=${token}&toToken=${next}&fromAmount=${amount}&fromAddress=${account.address}`,
      );
      amount = BigInt(step.estimate.toAmount);
      token = step.action.toToken.address;
    }
    expect(amount).toBeGreaterThan(19_500_000n);
    expect(amount).toBeLessThan(20_000_000n);
  });

  it('has no route to a chain it was not given, and says so', async () => {
    const answer = await ask(
      `/v1/quote?fromChain=arb&toChain=sol&fromToken=ETH&toToken=SOL&fromAmount=1&fromAddress=${account.address}&toAddress=GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB`,
    );
    expect(answer).toMatchObject({ code: 1_002 });
  });
});
