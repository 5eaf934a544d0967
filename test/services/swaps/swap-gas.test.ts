import { describe, expect, it } from 'vitest';
import { SWAP } from '../../../config/limits/tokens.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { aWorld, REQUEST, USER } from './swap-life.ts';

const GWEI = 1_000_000_000n;

async function quoted(world: ReturnType<typeof aWorld>) {
  const { swaps } = world.live();
  const answer = swaps.quote(USER, REQUEST);
  await world.clock.advance(SWAP.gasWaitMs);
  return { swaps, quote: await answer };
}

describe('what the network takes for a swap', () => {
  it('is stated in the coin of its chain and in dollars, approval and swap tried out together', async () => {
    const world = aWorld();
    const { swaps, quote } = await quoted(world);
    // a base fee of one gwei and a tip of one: two for each of 210,000
    expect(quote.gas).toEqual({
      coin: { chain: 'BASE', address: null, symbol: 'ETH', decimals: 18 },
      amount: 210_000n * 2n * GWEI,
      maximum: 252_000n * 3n * GWEI,
      micros: 840_000,
      source: 'trial',
    });
    const { gas } = await swaps.estimate(USER, { quoteId: quote.quoteId, isFresh: true });
    expect(gas).toEqual(quote.gas);
    swaps.stop();
  });

  it('is the statement of the router, with the approval, where nothing can be tried out', async () => {
    const world = aWorld();
    world.state.simulation = { kind: 'reverted', reason: 'too little' };
    const { quote } = await quoted(world);
    expect(quote.gas).toMatchObject({ source: 'router', amount: 460_000n * 2n * GWEI });
  });

  it('is unknown where the router says more than any block has', async () => {
    const world = aWorld();
    const { offer } = world.state;
    world.state.simulation = { kind: 'reverted', reason: 'too little' };
    world.state.offer = (request) => ({ ...offer(request), gas: 10n ** 12n });
    expect((await quoted(world)).quote.gas).toBeNull();
  });

  it.each([
    ['is silent', () => new Promise<never>(() => undefined)],
    ['fails', () => Promise.reject(new AppError('chain_unavailable', 'no node'))],
  ])('keeps nothing from being quoted where its chain %s', async (_name, fees) => {
    const world = aWorld();
    world.state.fees = fees;
    expect((await quoted(world)).quote.gas).toBeNull();
  });
});
