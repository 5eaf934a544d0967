import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import {
  createTokenLookups,
  type LaunchedToken,
} from '../../../src/services/tokens/token-lookups.ts';
import {
  aTokenListing,
  aRoutedToken,
  createFakeRouterTokens,
  createFakeTokenData,
} from '../../support/fakes/fake-token-data.ts';

const USER = asId<UserId>('usr_1');
const BRETT = aTokenListing().address;

function fixture(launched: readonly LaunchedToken[] = []) {
  const clock = createVirtualClock(1_700_000_000_000);
  const data = createFakeTokenData([
    aTokenListing(),
    aTokenListing({ address: '0xBad0000000000000000000000000000000000001', liquidityUsd: '400' }),
    aTokenListing({
      chain: 'SOLANA',
      address: 'So11111111111111111111111111111111111111112',
      symbol: 'wSOL',
      name: 'Wrapped SOL',
    }),
  ]);
  const router = createFakeRouterTokens([
    aRoutedToken(),
    aRoutedToken({ address: null, symbol: 'ETH', name: 'ETH' }),
    aRoutedToken({ address: '0xBad0000000000000000000000000000000000002' }),
  ]);
  return {
    clock,
    data,
    tokens: createTokenLookups({ data, router, launchedBy: () => launched, clock }),
  };
}

const BREW: LaunchedToken = {
  address: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
  symbol: 'BREW',
  name: 'Morning Coffee',
  decimals: 6,
};

describe('a token that a user has launched', () => {
  it('is found by its owner before anybody lists it, with no figures of its market', async () => {
    const { tokens } = fixture([BREW]);
    const chains = ['BASE', 'SOLANA'] as const;
    const { found } = await tokens.search(USER, { text: 'coffee', chains });
    expect(found.at(-1)).toMatchObject({
      ...BREW,
      chain: 'SOLANA',
      priceUsd: null,
      warnings: ['low_liquidity', 'fresh'],
    });
    const browsed = await tokens.browseRouted(USER, { text: 'brew', chains });
    expect(browsed.found[0]).toMatchObject({ ...BREW, isRouted: false, priceUsd: null });
    const place = { chain: 'SOLANA', token: BREW.address } as const;
    expect(await tokens.info(USER, place)).toMatchObject({
      token: BREW,
      pools: [],
      isPartial: true,
    });
    expect((await tokens.routed(USER, place)).found).toMatchObject({ ...BREW, isRouted: false });
  });

  it('is not found under other words, on other chains, or by others', async () => {
    const { tokens } = fixture([BREW]);
    const own = async (text: string, chain: 'BASE' | 'SOLANA') =>
      (await tokens.browseRouted(USER, { text, chains: [chain] })).found.some(
        ({ isRouted }) => !isRouted,
      );
    expect([
      await own('tea', 'SOLANA'),
      await own('brew', 'BASE'),
      await own('', 'SOLANA'),
    ]).toEqual([false, false, true]);
    const place = { chain: 'SOLANA', token: BREW.address } as const;
    await expect(fixture().tokens.routed(USER, place)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('tokens that users name', () => {
  it('are found on the chains asked for, the trusted first, and asked for once by all', async () => {
    const { data, tokens } = fixture();
    const search = () => tokens.search(USER, { text: 'brett', chains: ['BASE'] });
    const [one] = await Promise.all([search(), search()]);
    expect(one.found.map(({ address, warnings }) => [address, warnings])).toEqual([
      [BRETT, []],
      ['0xBad0000000000000000000000000000000000001', ['look_alike', 'low_liquidity']],
    ]);
    expect((await tokens.search(USER, { text: 'BRETT', chains: ['BSC'] })).found).toEqual([]);
    expect(data.calls).toEqual(['search brett']);
  });

  it('have the decimals the router knows where the source of a list tells none', async () => {
    const untold = { decimals: null };
    const data = createFakeTokenData([aTokenListing(untold)]);
    const routed = aRoutedToken({ address: BRETT, symbol: 'BRETT', decimals: 18 });
    const router = createFakeRouterTokens([routed]);
    const clock = createVirtualClock(1_700_000_000_000);
    const tokens = createTokenLookups({ data, router, launchedBy: () => [], clock });
    const { found } = await tokens.search(USER, { text: 'brett', chains: ['BASE'] });
    const info = await tokens.info(USER, { chain: 'BASE', token: BRETT });
    expect([found[0]?.decimals, info.token.decimals]).toEqual([18, 18]);
  });

  it('are found by address, and by a coin’s ticker for its wrapped form', async () => {
    const { tokens } = fixture();
    expect((await tokens.info(USER, { chain: 'BASE', token: BRETT })).details?.holders).toBe(10);
    expect((await tokens.info(USER, { chain: 'SOLANA', token: 'sol' })).token.symbol).toBe('wSOL');
  });

  it('must be named by address where the ticker is not listed: the service never guesses which BRETT is meant', async () => {
    const { data, tokens } = fixture();
    await expect(tokens.info(USER, { chain: 'BASE', token: 'BRETT' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(data.calls).toEqual([]);
  });

  it('keep their market where what lies beyond it does not come', async () => {
    const { data, tokens } = fixture();
    data.down.add('details');
    expect(await tokens.info(USER, { chain: 'BASE', token: BRETT })).toMatchObject({
      token: { symbol: 'BRETT' },
      details: null,
      isPartial: true,
    });
  });

  it('do not wait longer than that for it', async () => {
    const { clock, data, tokens } = fixture();
    data.hanging.add('details');
    const answer = tokens.info(USER, { chain: 'BASE', token: BRETT });
    await clock.advance(2_500);
    expect(await answer).toMatchObject({ details: null, isPartial: true });
  });

  it('are known at the router by our address of the ticker, never by its', async () => {
    const { tokens } = fixture();
    const { found } = await tokens.routed(USER, { chain: 'BASE', token: 'usdc' });
    expect([found.address, found.isKnown]).toEqual([aRoutedToken().address, true]);
    const all = await tokens.browseRouted(USER, { chains: ['BASE'], text: '' });
    expect(all.found.map(({ symbol, isKnown, warnings }) => [symbol, isKnown, warnings])).toEqual([
      ['USDC', true, []],
      ['ETH', true, []],
      ['USDC', false, ['look_alike']],
    ]);
  });
});
