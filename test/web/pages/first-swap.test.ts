import { describe, expect, it } from 'vitest';
import { firstSwap, soldOn } from '../../../src/web/pages/wallet/first-swap.ts';
import type { Chain, Holding } from '../../../src/web/pages/wallet/holdings.ts';

const held = (chain: Chain, token: string, valueUsd: string | null): Holding => ({
  chain,
  token,
  shown: token,
  balance: '1',
  valueUsd,
});
const NOTHING_ASKED = { toChain: null, buy: null };

describe('the form of a swap begins', () => {
  it('with what is held of most worth', () => {
    const holdings = [
      held('POLYGON', 'MATIC', '4'),
      held('SOLANA', 'USDC', '120.5'),
      held('BASE', '0xab', null),
      held('BASE', 'USDC', '99'),
    ];
    expect(firstSwap(holdings, NOTHING_ASKED)).toEqual({
      fromChain: 'SOLANA',
      sell: 'USDC',
      toChain: 'BASE',
      buy: 'ETH',
      amount: '',
    });
  });

  it('with USDC where nothing that is held has a price, else with what there is', () => {
    const unpriced = [held('BSC', '0xab', null), held('ARBITRUM', 'USDC', null)];
    expect(firstSwap(unpriced, NOTHING_ASKED)).toMatchObject({
      fromChain: 'ARBITRUM',
      sell: 'USDC',
    });
    expect(firstSwap(unpriced.slice(0, 1), NOTHING_ASKED)).toMatchObject({ sell: '0xab' });
  });

  it('with nothing to sell where nothing is held', () => {
    expect(firstSwap([], NOTHING_ASKED)).toMatchObject({ sell: '', buy: 'ETH' });
  });

  it('with what the address asks to buy, and never the same sold', () => {
    const holdings = [held('BASE', 'ETH', '900'), held('POLYGON', 'USDC', '5')];
    expect(firstSwap(holdings, { toChain: 'BASE', buy: 'ETH' })).toMatchObject({
      fromChain: 'POLYGON',
      sell: 'USDC',
      buy: 'ETH',
    });
    expect(firstSwap(holdings, NOTHING_ASKED)).toMatchObject({
      sell: 'ETH',
      fromChain: 'BASE',
      toChain: 'BASE',
      buy: 'USDC',
    });
    expect(firstSwap(holdings, { toChain: 'NOWHERE', buy: null }).toChain).toBe('BASE');
  });
});

it('another chain sells what is held there: the same token, else that of most worth', () => {
  const holdings = [
    held('BASE', 'ETH', '900'),
    held('SOLANA', 'USDC', '5'),
    held('SOLANA', 'SOL', '20'),
  ];
  expect([
    soldOn(holdings, 'SOLANA', 'ETH'),
    soldOn(holdings, 'SOLANA', 'USDC'),
    soldOn(holdings, 'BSC', 'ETH'),
  ]).toEqual(['SOL', 'USDC', '']);
});
