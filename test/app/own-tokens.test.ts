import { expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { ownTokens } from '../../src/app/own-tokens.ts';
import { asId, type LaunchId, type TokenId, type UserId } from '../../src/domain/ids.ts';
import { foldMove } from '../../src/domain/position-fold.ts';
import { POSITIONS, TRADED_MARKETS } from '../../src/services/books/tables.ts';
import { UNKNOWN_TOKENS } from '../../src/services/funding/tables.ts';
import { LAUNCHES } from '../../src/services/launches/tables.ts';
import { SWAPS } from '../../src/services/swaps/tables.ts';
import type { AddedToken } from '../../src/services/web3/added-tokens.ts';
import { ADDED_TOKENS } from '../../src/services/web3/tables.ts';
import { aMarket } from '../support/builders.ts';
import { aLaunch } from '../support/fakes/fake-launches.ts';
import { aSwap } from '../support/fakes/fake-swaps.ts';

const USER = asId<UserId>('usr_1');
const MINT = '7woc3ajaGMMXczFYjxon4aQoHH3j126fMUR9c58eHRsK';
const ATOM = '0x1111111111111111111111111111111111111111';

it("a user's own tokens are those launched, added and swapped that our list lacks, judged by their names", async () => {
  const store = createMemoryStore();
  const launched = aLaunch({ userId: USER, mint: MINT, symbol: 'USDС' });
  const failed = aLaunch({ userId: USER, launchId: asId<LaunchId>('lnc_2'), state: 'failed' });
  const swap = aSwap({
    userId: USER,
    buy: { chain: 'BASE', address: ATOM, symbol: 'ATOM', decimals: 8 },
  });
  const added: AddedToken = {
    chain: 'BASE',
    address: '0x2222222222222222222222222222222222222222',
    symbol: 'AAA',
    decimals: 3,
    warnings: [],
    addedAtMs: 1,
  };
  await store.write((tx) => {
    for (const each of [launched, failed]) tx.put(LAUNCHES, [USER, each.launchId], each);
    tx.put(ADDED_TOKENS, [USER, 'BASE', added.address], added);
    tx.put(SWAPS, [USER, swap.swapId], swap);
  });
  expect(ownTokens(store, USER, 'SOLANA')).toEqual([
    {
      address: MINT,
      symbol: 'USDС',
      decimals: 6,
      origin: 'launched',
      warnings: ['look_alike'],
    },
  ]);
  expect(ownTokens(store, USER, 'BASE')).toEqual([
    { address: added.address, symbol: 'AAA', decimals: 3, origin: 'added', warnings: [] },
    { address: ATOM, symbol: 'ATOM', decimals: 8, origin: 'traded', warnings: [] },
  ]);
  expect(ownTokens(store, USER, 'POLYGON')).toEqual([]);
});

it('outcomes of positions that a wallet holds as tokens are named by market and label', async () => {
  const store = createMemoryStore();
  const market = aMarket(1);
  const [{ tokenId, label }] = market.outcomes;
  const place = {
    userId: USER,
    marketId: market.marketId,
    outcome: 0,
    shares: 5,
    atMs: 1,
  } as const;
  const other = asId<TokenId>('123');
  await store.write((tx) => {
    tx.put(TRADED_MARKETS, [market.marketId], market);
    for (const at of [
      { tokenId, cashAccount: 'usdc:solana' },
      { tokenId: other, cashAccount: 'usdc:safe' },
    ] as const)
      tx.put(POSITIONS, [USER, at.tokenId], foldMove(null, { ...place, ...at }, market));
  });
  expect(ownTokens(store, USER, 'SOLANA')).toEqual([
    {
      address: tokenId,
      symbol: null,
      decimals: 6,
      origin: 'outcome',
      warnings: [],
      outcome: {
        venue: market.venue,
        marketId: market.marketId,
        question: market.question,
        label,
      },
    },
  ]);
  expect(ownTokens(store, USER, 'POLYGON')).toEqual([]);
});

it('tokens that are unverified and that just came are shown without a name, unless they were chosen', async () => {
  const store = createMemoryStore();
  const said = { symbol: 'FREE', decimals: 9, warnings: ['odd_name' as const] };
  await store.write((tx) => {
    tx.put(UNKNOWN_TOKENS, [USER, 'BASE', ATOM], said);
    tx.put(UNKNOWN_TOKENS, [USER, 'BASE', '0x2222222222222222222222222222222222222222'], said);
    tx.put(ADDED_TOKENS, [USER, 'BASE', ATOM], {
      chain: 'BASE',
      address: ATOM,
      symbol: 'ATOM',
      decimals: 8,
      warnings: [],
      addedAtMs: 1,
    });
  });
  expect(ownTokens(store, USER, 'BASE').map(({ symbol, origin }) => [symbol, origin])).toEqual([
    ['ATOM', 'added'],
    [null, 'unknown'],
  ]);
});
