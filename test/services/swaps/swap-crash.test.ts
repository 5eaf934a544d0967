import { erc20Abi, type Address as HexAddress } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { isSwapOver } from '../../../src/domain/swap.ts';
import type { QuoteRequest } from '../../../src/services/swaps/swap-quoting.ts';
import { outSince } from '../../../src/services/transactions/daily-out.ts';
import { aUserId } from '../../support/builders.ts';
import { dyingAfter } from '../../support/dying-commit.ts';
import { eventually } from '../../support/eventually.ts';
import { sampled } from '../../support/sampled.ts';
import { openSwapWorld, WALLETS, type SwapWorld } from '../../support/worlds/swap-world.ts';

const USER = aUserId(1);
const ARBITRUM_USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
/** More durable steps than a bridge has; a run that ends before its kill is a whole one. */
const STEPS_MAXIMUM = 12;
let world: SwapWorld;

beforeAll(async () => {
  world = await openSwapWorld(['ARBITRUM']);
  await world.give('ARBITRUM', 1, 1_000);
  await world.give('SOLANA', 1, 1_000);
});
afterAll(() => world.close());

const ask = (fromChain: 'ARBITRUM' | 'SOLANA', toChain: 'ARBITRUM' | 'SOLANA'): QuoteRequest => ({
  fromChain,
  toChain,
  sellTokenTicker: 'USDC',
  buyTokenTicker: 'USDC',
  sellToken: null,
  buyToken: null,
  amount: '10',
  walletType: null,
  slippageBps: 50,
  acceptUnpriced: false,
});

/** Dollars on both chains, in their smallest unit. */
async function held() {
  const { local } = await world.chains.open('ARBITRUM');
  const [evm, accounts] = await Promise.all([
    local.node.client.readContract({
      address: ARBITRUM_USDC,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [WALLETS.evm as HexAddress], // an address of an EVM chain
    }),
    world.solana.tokenAccounts(WALLETS.solana),
  ]);
  return {
    ARBITRUM: evm,
    SOLANA: accounts.find(({ mint }) => mint === SOLANA_USDC)?.amount ?? 0n,
  };
}

async function killedAfter(step: number, request: QuoteRequest) {
  const store = createMemoryStore();
  const { wrap, isDead } = dyingAfter(step);
  const first = world.live(store, wrap);
  const { quoteId } = await first.swaps.quote(USER, request);
  void first.swaps.execute(USER, { quoteId, isFresh: true, key: 'once' }).catch(() => undefined);
  const latest = () => first.swaps.list(USER, { limit: 5, cursor: null }).data[0];
  await eventually(() => expect(isDead() || isSwapOver(latest()?.state ?? 'queued')).toBe(true));
  first.stop();
  const second = world.live(store);
  second.recover();
  const swaps = () => second.swaps.list(USER, { limit: 5, cursor: null }).data;
  await eventually(() => expect(swaps().map(({ state }) => isSwapOver(state))).toEqual([true]));
  second.stop();
  return { swap: swaps()[0] ?? expect.unreachable(), counted: outSince(store, USER, 0) };
}

describe('L1: a bridge on real chains, killed after a durable step', () => {
  it.each(
    sampled(
      'killed bridges',
      (['ARBITRUM', 'SOLANA'] as const).flatMap((from) =>
        Array.from({ length: STEPS_MAXIMUM }, (_, index) => [from, index + 1] as const),
      ),
      3,
    ),
  )('from %s after step %i leaves once, arrives once, and counts once', async (from, step) => {
    const to = from === 'ARBITRUM' ? 'SOLANA' : 'ARBITRUM';
    const before = await held();
    const { swap, counted } = await killedAfter(step, ask(from, to));
    const after = await held();
    expect(swap).toMatchObject({ state: 'completed', amount: '10000000', reason: null });
    expect(before[from] - after[from]).toBe(10_000_000n);
    expect(after[to] - before[to]).toBe(BigInt(swap.received ?? 0));
    expect(counted).toBe(10_000_000);
  });
});
