import { expect, it } from 'vitest';
import type { SwapRecord } from '../../../src/domain/swap.ts';
import { viewSwap } from '../../../src/http/views/swap.ts';
import { aSwap } from '../../support/fakes/fake-swaps.ts';

const DOLLAR = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const UNLISTED = '0x532f27101965dd16442E59d40670FaF5eBB142E4';

/** 25 USDC of Polygon for ETH on Base, that ended in some way. */
function shown(parts: Partial<SwapRecord>): unknown {
  const facts = { explorerOf: () => 'https://', gas: undefined, coinPrice: () => null };
  const { received, receivedSide, receivedToken } = viewSwap(aSwap(parts), facts);
  return [received, receivedSide, receivedToken];
}

it('a swap states what arrived with its token and chain, however it ended', () => {
  expect([
    shown({}),
    shown({ state: 'refunded', received: '25000000' }),
    shown({ state: 'partial', received: '12000000000000000' }),
    shown({ state: 'partial', received: '24100000', receivedToken: DOLLAR }),
    shown({ state: 'partial', received: '1500', receivedToken: UNLISTED, receivedDecimals: 3 }),
  ]).toEqual([
    ['0.0124625', { chain: 'BASE', token: null, symbol: 'ETH', decimals: 18 }, null],
    ['25', { chain: 'POLYGON', token: aSwap().sell.address, symbol: 'USDC', decimals: 6 }, null],
    ['0.012', { chain: 'BASE', token: null, symbol: 'ETH', decimals: 18 }, null],
    ['24.1', { chain: 'BASE', token: DOLLAR, symbol: 'USDC', decimals: 6 }, DOLLAR],
    ['1.5', { chain: 'BASE', token: UNLISTED, symbol: '0x532f27', decimals: 3 }, UNLISTED],
  ]);
});

it('a swap whose coin came instead of the token names the coin', () => {
  const { buy } = aSwap();
  const bought = { ...buy, address: UNLISTED, symbol: 'BRETT' };
  expect(
    shown({ state: 'partial', buy: bought, received: '10', receivedToken: 'ETH' }),
  ).toMatchObject([
    '0.00000000000000001',
    { chain: 'BASE', token: null, symbol: 'ETH', decimals: 18 },
    'ETH',
  ]);
});

it('a swap states no amount before anything arrived, nor of a token whose decimals are unknown', () => {
  expect(shown({ state: 'following', received: null })).toEqual([null, null, null]);
  expect(shown({ state: 'partial', received: '1500', receivedToken: UNLISTED })).toEqual([
    null,
    null,
    UNLISTED,
  ]);
});
