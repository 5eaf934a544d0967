import { afterAll, beforeAll, expect, it } from 'vitest';
import { coinAddress, ROUTER_CHAINS } from '../../../src/sandbox/router/router-chains.ts';
import { routedTokens } from '../../../src/sandbox/router/routed-tokens.ts';
import { unitsOf, wholeOf } from '../../../src/sandbox/router/swap-chain.ts';
import { openSwapWorld, SECOND, WALLETS, type SwapWorld } from '../../support/worlds/swap-world.ts';

/** What a quote is asked for. */
const DOLLARS = 20;
const STEPS = 4;
/** Every chain but Solana, which each world has. */
const CHAINS = ['ARBITRUM', 'BASE', 'BSC', 'ETHEREUM', 'POLYGON'] as const;
let world: SwapWorld;

beforeAll(async () => {
  world = await openSwapWorld(CHAINS);
});
afterAll(() => world.close());

/** Every token the router routes there, coins among them. */
function listedTokens() {
  const options = {
    market: world.market,
    faults: world.faults,
    wallClock: world.clock,
    clock: { ...world.clock, nowMs: () => SECOND * 1_000 },
  };
  const chains = new Set<string>([...CHAINS, 'SOLANA']);
  return ROUTER_CHAINS.filter(({ chain }) => chains.has(chain)).flatMap((chain) =>
    routedTokens(options, chain),
  );
}

type Listed = ReturnType<typeof listedTokens>[number];

const walletOf = ({ chain }: Listed) => (chain.chain === 'SOLANA' ? WALLETS.solana : WALLETS.evm);

/** How many dollars of one token come of a dollar of another; 0 where nothing leads there. */
async function rateOf(from: Listed, to: Listed): Promise<number> {
  const amount = unitsOf(DOLLARS / from.priceUsd, from);
  const answer = await world.quote(
    new URLSearchParams({
      fromChain: from.chain.key,
      toChain: to.chain.key,
      fromToken: from.address,
      toToken: to.address,
      fromAmount: String(amount),
      fromAddress: walletOf(from),
      toAddress: walletOf(to),
    }),
  );
  if (answer.kind !== 'json' || answer.status !== 200) return 0;
  const { estimate } = answer.body as { estimate: { toAmount: string } };
  const out = wholeOf(BigInt(estimate.toAmount), to) * to.priceUsd;
  return out / (wholeOf(amount, from) * from.priceUsd);
}

it('prints money by no loop of swaps and bridges up to four steps over the listed tokens', async () => {
  const tokens = listedTokens();
  const rates: number[][] = [];
  for (const from of tokens) {
    const row: number[] = [];
    for (const to of tokens) row.push(from === to ? 0 : await rateOf(from, to));
    rates.push(row);
  }
  // the best that so many steps make of a dollar, from each token to each
  let best = rates;
  const loops: number[] = [];
  for (let steps = 2; steps <= STEPS; steps += 1) {
    best = best.map((row) =>
      tokens.map((_, to) => Math.max(...row.map((one, by) => one * (rates[by]?.[to] ?? 0)))),
    );
    loops.push(...best.map((row, from) => row[from] ?? 0));
  }
  expect(tokens.filter(({ chain, address }) => address === coinAddress(chain))).toHaveLength(
    CHAINS.length + 1,
  );
  expect(loops).toHaveLength(tokens.length * (STEPS - 1));
  expect(Math.max(...loops)).toBeLessThan(1);
  // and there are ways at all: each token comes back by some loop at the price of its fees
  expect(Math.min(...loops)).toBeGreaterThan(0.97);
});
