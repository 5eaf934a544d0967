import { describe, expect, it } from 'vitest';
import { WALLET_VIEW } from '../../../config/limits/wallet-view.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../../src/domain/errors.ts';
import {
  asId,
  type Address,
  type MarketId,
  type SolanaAddress,
  type UserId,
} from '../../../src/domain/ids.ts';
import { web3Chain, type Web3ChainId } from '../../../src/domain/web3-chains.ts';
import type { EvmChain } from '../../../src/ports/evm.ts';
import type { Solana, SolanaTokenAccount } from '../../../src/ports/solana.ts';
import { viewWallets } from '../../../src/http/views/wallet.ts';
import { fakePrices } from '../../support/fakes/fake-token-data.ts';
import type { OwnToken } from '../../../src/services/web3/balances.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createAddedTokens, tokensAdded } from '../../../src/services/web3/added-tokens.ts';
import { createKeptBus, createKeptMetrics } from '../../support/quiet.ts';
import { VENUE_B } from '../../support/venue-ids.ts';
import type { IndexedTokens } from '../../../src/services/web3/indexed-tokens.ts';
import {
  createWalletViews,
  type WalletViewsDeps,
} from '../../../src/services/web3/wallet-views.ts';

const USER = asId<UserId>('usr_1');
const OWNER = asId<Address>('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A');
const SAFE = asId<Address>('0x75F00B003FBBBA193FABEB06284c3187a4C1232E');
const SOLANA_OWNER = asId<SolanaAddress>('GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB');
const USDC = web3Chain('SOLANA').tokens[0]?.address ?? '';
const SHITCOIN = '7woc3ajaGMMXczFYjxon4aQoHH3j126fMUR9c58eHRsK';
const NOW_MS = 1_800_000_000_000;
const down = new AppError('chain_unavailable', 'chain 8453 does not answer', { retryable: true });

/**
 * A chain on which each owner holds so much of each token; a token it does not know tells no
 * balance.
 */
function chainOf(
  given: Readonly<Record<string, Readonly<Record<string, bigint>>>>,
  deployed: readonly string[] = [],
): EvmChain & {
  readonly asked: string[];
  readonly holdings: Record<string, Readonly<Record<string, bigint>>>;
} {
  const asked: string[] = [];
  const holdings = { ...given };
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  return {
    asked,
    holdings,
    chainId: 137,
    head: unused,
    shares: unused,
    receipt: unused,
    hasBlock: unused,
    logs: unused,
    hasCode: async (address) => deployed.includes(address),
    codeHash: unused,
    async call(to) {
      if (to.endsWith('beef'))
        return '0x0000000000000000000000000000000000000000000000000000000000000002';
      throw new AppError('chain_reverted', 'no such function');
    },
    async balances(owner, tokens) {
      asked.push(owner);
      const held = holdings[owner] ?? {};
      return {
        wei: held['native'] ?? 0n,
        tokens: tokens.map((token) => {
          if (token.endsWith('dead'))
            throw new AppError('chain_reverted', `${token} tells no balance`);
          return held[token] ?? 0n;
        }),
      };
    },
  };
}

function solanaOf(accounts: readonly SolanaTokenAccount[]): Solana {
  const unused = (): never => {
    throw new Error('not asked for here');
  };
  return {
    lamports: async () => 2_000_000_000n,
    tokenAccounts: async () => accounts,
    tokenDecimals: async (mint) => (mint === SHITCOIN ? 9 : null),
    latestBlockhash: unused,
    blockHeight: unused,
    send: unused,
    status: unused,
    feePaid: unused,
  };
}

function fixture({
  base,
  solana = solanaOf([]),
  own = {},
  indexed = null,
  routed = async () => [],
}: {
  readonly base?: EvmChain;
  readonly solana?: Solana;
  readonly own?: Readonly<Partial<Record<Web3ChainId, readonly OwnToken[]>>>;
  readonly indexed?: IndexedTokens | null;
  readonly routed?: WalletViewsDeps['routedOnSolana'];
} = {}) {
  const polygon = chainOf(
    {
      [OWNER]: {
        native: 5n * 10n ** 17n,
        '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359': 2_500_000n,
      },
      [SAFE]: { '0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB': 40_000_001n },
    },
    [SAFE],
  );
  const clock = createVirtualClock(NOW_MS);
  const store = createMemoryStore();
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  const views = createWalletViews({
    walletsOf: () => ({ evm: OWNER, safe: SAFE, solana: SOLANA_OWNER }),
    evm: { POLYGON: polygon, ...(base === undefined ? {} : { BASE: base }) },
    solana,
    clock,
    ownTokensOf: (userId, chain) => [...tokensAdded(store, userId, chain), ...(own[chain] ?? [])],
    added: createAddedTokens({ store, commit, clock }),
    cashAccountOf: ({ chain }) => (chain === 'SOLANA' ? 'usdc:solana' : null),
    indexed,
    routedOnSolana: routed,
    textsOf: async (chain) =>
      chain === 'SOLANA' ? { symbol: '', name: '' } : { symbol: 'UЅDC', name: 'USD Coin' },
    prices: fakePrices((chain, address) =>
      chain === 'SOLANA' && address === null
        ? { priceE18: 150n * 10n ** 18n, atMs: NOW_MS - 1 }
        : null,
    ),
  });
  return { views, polygon, clock };
}

describe('the view of wallets', () => {
  it('shows what its owner has traded and holds, and is not hidden by one that tells no balance', async () => {
    const token = (end: string): OwnToken => ({
      address: `0x${end.padStart(40, '0')}`,
      symbol: end.toUpperCase(),
      decimals: 6,
      origin: 'traded',
      warnings: [],
    });
    const { views, polygon } = fixture({
      own: { POLYGON: [token('dead'), token('beef'), token('cafe')] },
    });
    polygon.holdings[OWNER] = { ...polygon.holdings[OWNER], [token('beef').address]: 7n };
    const own = (await views.view(USER)).find(
      ({ chain, walletType }) => chain === 'POLYGON' && walletType === 'EVM',
    );
    expect(own?.balances?.tokens.map(({ symbol, raw }) => `${symbol} ${raw}`)).toEqual([
      'USDC 2500000',
      'USDC.e 0',
      'pUSD 0',
      'BEEF 7',
    ]);
  });

  it('shows what it knows as soon as any arrives, though no user traded it', async () => {
    const { views, polygon } = fixture();
    const weth = '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619';
    polygon.holdings[OWNER] = { ...polygon.holdings[OWNER], [weth]: 3n };
    const own = viewWallets(await views.view(USER)).wallets.find(
      ({ chain, walletType }) => chain === 'POLYGON' && walletType === 'EVM',
    );
    expect(own?.tokens.at(-1)).toMatchObject({
      address: weth,
      symbol: 'WETH',
      origin: 'known',
      priceUsd: null,
    });
    expect(own?.partial).toBe(true);
  });

  it('shows what an indexer tells of where the chain says that it is held, for nothing', async () => {
    const reported = (end: string): OwnToken => ({
      address: `0x${end.padStart(40, '0')}`,
      symbol: 'USDС',
      decimals: 6,
      origin: 'indexed',
      warnings: ['look_alike'],
    });
    const { views, polygon } = fixture({
      indexed: { of: async () => ({ tokens: [reported('beef'), reported('cafe')], error: null }) },
    });
    polygon.holdings[OWNER] = {
      ...polygon.holdings[OWNER],
      [reported('beef').address]: 7_000_000n,
    };
    const before = viewWallets(await fixture().views.view(USER));
    const after = viewWallets(await views.view(USER));
    expect(after.wallets.find(({ chain }) => chain === 'POLYGON')?.tokens.slice(3)).toMatchObject([
      {
        address: '0x000000000000000000000000000000000000bEEF',
        balance: '7',
        origin: 'indexed',
        warnings: ['look_alike'],
        valueUsd: null,
      },
    ]);
    expect([after.totalUsd, after.partial]).toEqual([before.totalUsd, before.partial]);
  });

  it('names the indexer where it does not answer, beside all that the chain shows', async () => {
    const error = 'the indexer did not answer in time';
    const { views } = fixture({ indexed: { of: async () => ({ tokens: [], error }) } });
    const { wallets, errors } = viewWallets(await views.view(USER));
    const own = wallets.find(({ chain }) => chain === 'POLYGON');
    expect([own?.errors, own?.tokens.length]).toEqual([[error], 3]);
    expect(errors).toContain(`POLYGON: ${error}`);
  });

  it('gives a token that lies in a Solana wallet the ticker it is routed by, and waits not long for it', async () => {
    const account = { account: 'a', mint: SHITCOIN, amount: 5n, decimals: 9 };
    const solana = solanaOf([account]);
    const symbolIn = async (routed: WalletViewsDeps['routedOnSolana']) => {
      const { views, clock } = fixture({ solana, routed });
      const view = views.view(USER);
      await clock.advance(WALLET_VIEW.namesWaitMs);
      const tokens = viewWallets(await view).wallets.at(-1)?.tokens ?? [];
      return tokens
        .filter(({ origin }) => origin === 'unknown')
        .map(({ symbol, warnings }) => [symbol, ...warnings]);
    };
    const listed = { address: SHITCOIN, symbol: 'USDС', warnings: ['look_alike'] } as const;
    expect(await symbolIn(async () => [listed])).toEqual([['USDС', 'look_alike']]);
    expect(await symbolIn(() => new Promise(() => undefined))).toEqual([[null]]);
    const down = new AppError('router_unavailable', 'down');
    expect(await symbolIn(() => Promise.reject(down))).toEqual([[null]]);
  });

  it('shows a launched token before any of it is held, by the name it was launched under', async () => {
    const launched: OwnToken = {
      address: SHITCOIN,
      symbol: 'USDС',
      decimals: 6,
      origin: 'launched',
      warnings: ['look_alike'],
    };
    const { views } = fixture({ own: { SOLANA: [launched] } });
    expect(viewWallets(await views.view(USER)).wallets.at(-1)?.tokens[1]).toMatchObject({
      address: SHITCOIN,
      balanceRaw: '0',
      origin: 'launched',
      warnings: ['look_alike'],
    });
  });

  it('is whole beside shares of a market, which are positions, and partial beside another token', async () => {
    const token = { address: SHITCOIN, symbol: 'YES', decimals: 6, warnings: [] } as const;
    const account = { account: 'a', mint: SHITCOIN, amount: 7n, decimals: 6 };
    const isPartial = async (own: OwnToken) => {
      const { views } = fixture({ own: { SOLANA: [own] }, solana: solanaOf([account]) });
      return viewWallets(await views.view(USER)).wallets.at(-1)?.partial;
    };
    const outcome = {
      venue: VENUE_B,
      marketId: asId<MarketId>('m'),
      question: 'Up?',
      label: 'Yes',
    };
    expect(await isPartial({ ...token, origin: 'outcome', outcome })).toBe(false);
    expect(await isPartial({ ...token, origin: 'traded' })).toBe(true);
  });

  it('answers without a chain that hangs, and names it', async () => {
    const hanging = { ...chainOf({}), balances: () => new Promise<never>(() => undefined) };
    const { views, clock } = fixture({ base: hanging });
    const view = views.view(USER);
    await clock.advance(2_000);
    expect((await view).find(({ chain }) => chain === 'BASE')).toMatchObject({
      balances: null,
      error: 'BASE did not answer in time',
    });
    expect(viewWallets(await view)).toMatchObject({ partial: true, totalUsd: '342.500001' });
  });

  it('shows every wallet on every connected chain, with dollars at par and coins at the price that is fresh', async () => {
    const { views } = fixture({ base: chainOf({}) });
    const seen = (await views.view(USER)).filter(({ balances }) => balances !== null);
    expect(
      seen.map(({ chain, walletType, address, balances }) => [
        chain,
        walletType,
        address,
        balances?.native.raw,
        balances?.native.worthMicros,
        balances?.tokens.map(({ symbol, worthMicros }) => `${symbol} ${worthMicros}`).join(),
      ]),
    ).toEqual([
      ['BASE', 'EVM', OWNER, 0n, null, 'USDC 0'],
      ['POLYGON', 'EVM', OWNER, 500_000_000_000_000_000n, null, 'USDC 2500000,USDC.e 0,pUSD 0'],
      ['POLYGON', 'SAFE', SAFE, 0n, null, 'USDC 0,USDC.e 0,pUSD 40000001'],
      ['SOLANA', 'SVM', SOLANA_OWNER, 2_000_000_000n, 300_000_000n, 'USDC 0'],
    ]);
  });

  it('says what the portfolio counts as cash, and what it does not', async () => {
    const { views } = fixture();
    const { wallets, totalUsd, uncountedUsd } = viewWallets(await views.view(USER));
    expect(
      wallets.map(({ chain, walletType, cashUsd }) => `${chain} ${walletType} ${cashUsd}`),
    ).toContain('POLYGON SAFE 40.000001');
    // dollars of the own wallet, which pay for no venue, and a coin of Solana
    expect([totalUsd, uncountedUsd]).toEqual(['342.500001', '302.5']);
  });

  it('names a chain that does not answer, or that there is no node of, and shows the others', async () => {
    const { views } = fixture({ base: { ...chainOf({}), balances: () => Promise.reject(down) } });
    const seen = await views.view(USER);
    expect(seen.map(({ chain, error }) => [chain, error])).toEqual([
      ['ETHEREUM', 'this service has no node of ETHEREUM'],
      ['BASE', 'chain 8453 does not answer'],
      ['POLYGON', null],
      ['POLYGON', null],
      ['BSC', 'this service has no node of BSC'],
      ['ARBITRUM', 'this service has no node of ARBITRUM'],
      ['SOLANA', null],
    ]);
    const shown = viewWallets(seen);
    expect([
      shown.partial,
      shown.errors.length,
      shown.wallets.find(({ chain }) => chain === 'BSC'),
    ]).toEqual([
      true,
      4,
      expect.objectContaining({
        address: OWNER,
        native: null,
        totalUsd: null,
        partial: true,
        errors: ['this service has no node of BSC'],
      }),
    ]);
  });

  it('adds up accounts of one token, trusts no name of an unknown one, and leaves collectibles out', async () => {
    const account = (mint: string, amount: bigint, decimals: number): SolanaTokenAccount => ({
      account: `a${amount}`,
      mint,
      amount,
      decimals,
    });
    const { views } = fixture({
      solana: solanaOf([
        account(SHITCOIN, 7n, 9),
        account(USDC, 1_000_000n, 6),
        account(USDC, 2_000_000n, 6),
        account(SOLANA_OWNER, 1n, 0),
      ]),
    });
    expect(
      (await views.view(USER))
        .at(-1)
        ?.balances?.tokens.map(({ address, symbol, raw, worthMicros }) => [
          address,
          symbol,
          raw,
          worthMicros,
        ]),
    ).toEqual([
      [USDC, 'USDC', 3_000_000n, 3_000_000n],
      [SHITCOIN, null, 7n, null],
    ]);
  });

  it('asks the chains once for questions that come together', async () => {
    const { views, polygon, clock } = fixture();
    await Promise.all([views.view(USER), views.view(USER)]);
    expect(polygon.asked).toEqual([OWNER, SAFE]);
    await clock.advance(1_000);
    await views.view(USER);
    expect(polygon.asked).toHaveLength(4);
  });

  it('shows the Safe with its dollars and whether it is deployed', async () => {
    expect(await fixture().views.safe(USER)).toMatchObject({
      address: SAFE,
      isDeployed: true,
      balances: {
        tokens: [
          { symbol: 'USDC', raw: 0n },
          { symbol: 'USDC.e', raw: 0n },
          { symbol: 'pUSD', raw: 40_000_001n },
        ],
      },
    });
  });
});

describe('the balance of one token', () => {
  it.each([
    ['POLYGON', 'usdc', { symbol: 'USDC', raw: 2_500_000n, worthMicros: 2_500_000n }],
    ['POLYGON', '0x3C499C542CEF5E3811e1192ce70d8cC03d5c3359', { symbol: 'USDC' }],
    [
      'POLYGON',
      'POL',
      { symbol: 'MATIC', address: null, raw: 500_000_000_000_000_000n, price: null },
    ],
    ['POLYGON', 'matic', { symbol: 'MATIC' }],
    [
      'POLYGON',
      '0x000000000000000000000000000000000000bEEF',
      { symbol: null, decimals: 2, worthMicros: null },
    ],
    ['SOLANA', 'SOL', { symbol: 'SOL', raw: 2_000_000_000n }],
    ['SOLANA', SHITCOIN, { symbol: null, decimals: 9, raw: 0n }],
  ] as const)('on %s of %s', async (chain, token, balance) => {
    expect((await fixture().views.token(USER, { chain, token })).balance).toMatchObject(balance);
  });

  it.each([
    ['POLYGON', '0x000000000000000000000000000000000000dead'],
    ['POLYGON', '0x000000000000000000000000000000000000cafe'],
    ['POLYGON', 'DOGE'],
    ['BSC', 'BNB'],
    ['SOLANA', USDC.toLowerCase()],
  ] as const)('is not there on %s for %s', async (chain, token) => {
    await expect(fixture().views.token(USER, { chain, token })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is refused with its place where the chain finds no address in it', async () => {
    const { views } = fixture({
      solana: {
        ...solanaOf([]),
        tokenDecimals: async () =>
          Promise.reject(new AppError('invalid_request', 'not an address of Solana')),
      },
    });
    await expect(views.token(USER, { chain: 'SOLANA', token: 'abc' })).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/token' }],
    });
  });
});

describe('a token added to the view', () => {
  const BEEF = '0x000000000000000000000000000000000000bEEF';
  const shown = async (views: ReturnType<typeof fixture>['views'], chain: Web3ChainId) =>
    (await views.view(USER))
      .find((one) => one.chain === chain && one.walletType !== 'SAFE')
      ?.balances?.tokens.filter(({ origin }) => origin === 'added')
      .map(({ symbol, decimals, warnings }) => [symbol, decimals, ...warnings].join(' '));

  it('is shown at once with what it says of itself, marked where that is the name of another, until it is taken away', async () => {
    const { views } = fixture();
    await views.view(USER);
    expect(await views.addToken(USER, { chain: 'POLYGON', address: BEEF })).toMatchObject({
      address: BEEF.toLowerCase(),
      raw: 0n,
      price: null,
      origin: 'added',
    });
    expect(await shown(views, 'POLYGON')).toEqual(['UЅDC 2 look_alike']);
    await views.removeToken(USER, { chain: 'POLYGON', address: BEEF });
    expect(await shown(views, 'POLYGON')).toEqual([]);
  });

  it('has no ticker on Solana, where a mint tells none', async () => {
    const { views } = fixture();
    await views.addToken(USER, { chain: 'SOLANA', address: SHITCOIN });
    expect(await shown(views, 'SOLANA')).toEqual([' 9']);
  });

  it.each([
    ['of our list', 'POLYGON', web3Chain('POLYGON').tokens[0]?.address ?? '', 'invalid_request'],
    ['of another kind of chain', 'POLYGON', SHITCOIN, 'invalid_request'],
    ['of another kind of chain', 'SOLANA', BEEF, 'invalid_request'],
    ['of no token', 'POLYGON', '0x000000000000000000000000000000000000cafe', 'not_found'],
    ['that tells no balance', 'POLYGON', '0x000000000000000000000000000000000000dead', 'not_found'],
  ] as const)('is refused where its address is one %s on %s', async (_, chain, address, code) => {
    const { views } = fixture();
    await expect(views.addToken(USER, { chain, address })).rejects.toMatchObject({ code });
    expect(await shown(views, chain)).toEqual([]);
  });

  it('is refused beyond the bound, but for one that is there already', async () => {
    const { views } = fixture();
    const address = (at: number) => `0x${at.toString(16).padStart(36, '0')}beef`;
    for (let at = 0; at < WALLET_VIEW.addedMaximum; at += 1)
      await views.addToken(USER, { chain: 'POLYGON', address: address(at) });
    await views.addToken(USER, { chain: 'POLYGON', address: address(0) });
    await expect(
      views.addToken(USER, { chain: 'POLYGON', address: address(99) }),
    ).rejects.toMatchObject({ code: 'limit_reached' });
  });
});
