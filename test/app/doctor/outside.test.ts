import { domainSeparator } from 'viem';
import { describe, expect, it } from 'vitest';
import { OUTSIDE_TEST } from '../../../config/limits/doctor.ts';
import { POLYGON_CHAIN } from '../../../config/profiles/profile.ts';
import { POLYGON_MONEY } from '../../../config/profiles/venue-a-contracts.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import {
  chainChecks,
  contractChecks,
  type ChainParts,
} from '../../../src/app/doctor/chain-checks.ts';
import { feedChecks, type FeedParts } from '../../../src/app/doctor/feed-checks.ts';
import { moneyChecks, type MoneyParts } from '../../../src/app/doctor/money-checks.ts';
import { createSecretFilter } from '../../../src/app/doctor/report.ts';
import { venueChecks, viewChecks } from '../../../src/app/doctor/venue-checks.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type Address, type Asset, type VenueId } from '../../../src/domain/ids.ts';
import type { Hex } from '../../../src/ports/evm.ts';
import type { PriceFeed } from '../../../src/ports/price-feed.ts';
import { createFakeView } from '../../support/fakes/fake-view.ts';
import { found, levelsOf } from './found.ts';

const NOW = 1_800_000_000_000;
const ID = asId<VenueId>('example');

/** A port of which the test uses what is given: anything else that is called fails by its name. */
function only<T>(given: object): T {
  return given as T;
}

type Checked = Parameters<typeof venueChecks>[0][number];

function venue({ open = 2, hasBook = true, isBlocked = false, says = 'book' } = {}): Checked {
  const outcomes = [{ tokenId: 'yes' }, { tokenId: 'no' }];
  return only<Checked>({
    id: ID,
    browsing: {
      directory: {
        markets: async () => ({
          data: Array.from({ length: open }, () => ({ market: { outcomes } })),
          nextCursor: null,
        }),
      },
      books: { snapshot: async () => (hasBook ? {} : null) },
    },
    books: {
      watch(
        _tokens: unknown,
        listener: { next(change: object): void; error(cause: unknown): void },
      ) {
        if (says === 'error') listener.error(new AppError('venue_unavailable', 'socket lost'));
        else {
          listener.next({ kind: 'book', epoch: 0 });
          listener.next({ kind: 'book', epoch: 1 });
        }
        return { stop: () => undefined };
      },
    },
    access: { isBlocked: async () => isBlocked },
    prices: null,
  });
}

describe('a view-only venue', () => {
  it('is well where it answers with the positions of an account, and else a warning', async () => {
    const view = createFakeView(ID);
    expect(await levelsOf(viewChecks([view]))).toEqual({ 'example portfolio': 'ok' });
    expect(view.asked).toEqual([`0x${'0'.repeat(40)}`]);
    view.answer = async () => {
      throw new AppError('venue_unavailable', 'it is away');
    };
    const [check] = viewChecks([view]);
    await expect(check?.run()).rejects.toThrow('it is away');
    expect(check?.otherwise.level).toBe('warn');
  });
});

describe('a venue', () => {
  it('is well where it lists markets, sends a book and takes orders from here', async () => {
    expect(await levelsOf(venueChecks([venue()], []))).toEqual({
      'example markets': 'ok',
      'example live book': 'ok',
      'example region': 'ok',
      'example sponsor': 'skipped',
    });
  });

  it('that has no book, or takes no orders from here, or is not opened, says so', async () => {
    const bare = venueChecks([venue({ hasBook: false })], []);
    expect(await found(bare, 'example markets')).toMatchObject({
      level: 'warn',
      sentence: 'it lists 2 open markets, none of which has a book',
    });
    expect(await found(bare, 'example live book')).toMatchObject({ level: 'skipped' });
    expect(
      await found(venueChecks([venue({ isBlocked: true })], []), 'example region'),
    ).toMatchObject({
      level: 'fail',
      remedy: expect.stringContaining('never send orders through a proxy'),
    });
    const closed = venueChecks([], [{ id: ID, reason: 'set PREDICTD_VENUE_X_KEY' }]);
    expect(await found(closed, 'example')).toMatchObject({
      level: 'warn',
      sentence: 'it is not opened: set PREDICTD_VENUE_X_KEY',
    });
  });

  it.each([
    [1_000_000_000n, 'ok'],
    [999_999_999n, 'warn'],
  ])('whose sponsor holds %i lamports for a day of 1,000,000,000 is %s', async (held, level) => {
    const sponsor = {
      address: 'payer',
      dailyLamports: 1_000_000_000,
      lamports: async () => held,
    };
    const checks = venueChecks([{ ...venue(), sponsor }], []);
    expect((await found(checks, 'example sponsor')).level).toBe(level);
  });

  it('whose socket is lost fails by its error', async () => {
    const lost = venueChecks([venue({ says: 'error' })], []);
    await expect(found(lost, 'example live book')).rejects.toThrow('socket lost');
  });
});

function chains(ageMs: number, parts: Partial<ChainParts> = {}) {
  return chainChecks({
    evm: {
      POLYGON: {
        chainId: 137,
        head: async () => ({ blockNumber: 9, atMs: NOW - ageMs, hash: '0x00' as Hex }),
      },
    },
    solana: {
      latestBlockhash: async () => ({ blockhash: 'hash', lastValidBlockHeight: 300 }),
    },
    node: { ask: async (method) => ({ kind: 'result', result: method === 'getSlot' ? 7 : 'ok' }) },
    makesBlocks: true,
    nowMs: () => NOW,
    ...parts,
  });
}

describe('the node of a chain', () => {
  it('is well where its newest block is young, and left out where none is set', async () => {
    expect(await levelsOf(chains(2_000))).toEqual({
      'node of Ethereum': 'skipped',
      'node of Base': 'skipped',
      'node of Polygon': 'ok',
      'node of BNB Smart Chain': 'skipped',
      'node of Arbitrum': 'skipped',
      'node of Solana': 'ok',
    });
  });

  it('that stays behind its chain fails, unless the chain itself rests', async () => {
    const lateMs = OUTSIDE_TEST.headAgeMaximumMs + 1;
    expect(await found(chains(lateMs), 'node of Polygon')).toMatchObject({
      level: 'fail',
      sentence: 'serves chain 137; block 9 is 60.0 s old',
    });
    expect(await found(chains(lateMs, { makesBlocks: false }), 'node of Polygon')).toMatchObject({
      level: 'ok',
    });
  });

  it('of Solana that says it is not well fails with its own words', async () => {
    const node: ChainParts['node'] = {
      ask: async () => ({
        kind: 'error',
        code: -32_005,
        message: 'behind by 42 slots',
        data: null,
      }),
    };
    expect(await found(chains(0, { node }), 'node of Solana')).toMatchObject({
      level: 'fail',
      sentence: 'it is not well: behind by 42 slots',
    });
  });
});

describe('the contracts', () => {
  const { domainName: name, domainVersion: version, chainId, exchange } = POLYGON_CHAIN;
  const HASH = `0x12345678${'c0'.repeat(24)}9abcdef0` as const;
  const SHOWN = '0x12345678…9abcdef0';
  const contracts = ({
    missing = '',
    shown = exchange as string | null,
    domain = version,
    codeHashes = {} as Readonly<Record<Hex, Hex>>,
  } = {}) =>
    contractChecks({
      chain: { ...POLYGON_CHAIN, codeHashes },
      money: POLYGON_MONEY,
      polygon: {
        codeHash: async (address: Address) => (address === asId<Address>(missing) ? null : HASH),
        async call(to: Address) {
          if (shown === null) throw new AppError('chain_reverted', 'no such function');
          return domainSeparator({
            domain: { name, version: domain, chainId, verifyingContract: to as unknown as Hex },
          });
        },
      },
    });

  it('are there, and sign by the domain that orders are signed for', async () => {
    expect(await levelsOf(contracts())).toEqual({
      contracts: 'ok',
      'code of exchange': 'ok',
      'code of negRiskExchange': 'ok',
      'code of collateral': 'ok',
      'code of conditionalTokens': 'ok',
      'signing domain': 'ok',
      'signing domain, neg-risk': 'ok',
    });
  });

  it('have the code that is recorded, fail with any other, and show it where none is recorded', async () => {
    const name = 'code of exchange';
    expect(await found(contracts(), name)).toEqual({
      level: 'ok',
      sentence: `its hash is ${SHOWN}; none is recorded to compare it with`,
    });
    expect(await found(contracts({ codeHashes: { [exchange]: HASH } }), name)).toEqual({
      level: 'ok',
      sentence: `its hash is ${SHOWN}, as recorded`,
    });
    const other = `0x${'ab'.repeat(32)}` as const;
    expect(await found(contracts({ codeHashes: { [exchange]: other } }), name)).toMatchObject({
      level: 'fail',
      sentence: `its hash is ${SHOWN}, and 0xabababab…abababab is recorded`,
    });
  });

  it('show of the hash of their code what no filter of secrets takes out, whatever came of it', async () => {
    const filter = createSecretFilter({});
    const other = `0x${'ab'.repeat(32)}` as const;
    for (const recorded of [{}, { [exchange]: HASH }, { [exchange]: other }]) {
      const { sentence } = await found(contracts({ codeHashes: recorded }), 'code of exchange');
      expect(sentence).toContain(SHOWN);
      expect(filter(sentence)).toBe(sentence);
    }
    expect(filter(HASH)).not.toContain('1234');
  });

  it('that are missing are named, and another domain stops trading before it starts', async () => {
    expect(await found(contracts({ missing: POLYGON_MONEY.offramp }), 'contracts')).toMatchObject({
      level: 'fail',
      sentence: `no code is at offramp ${POLYGON_MONEY.offramp}`,
    });
    expect(await found(contracts({ domain: '3' }), 'signing domain')).toMatchObject({
      level: 'fail',
      remedy: expect.stringContaining('start no trading'),
    });
    expect(await found(contracts({ shown: null }), 'signing domain')).toMatchObject({
      level: 'warn',
      sentence: expect.stringContaining('does not tell its signing domain'),
    });
  });
});

const feed = (isThere: boolean): PriceFeed =>
  only<PriceFeed>({
    watch(_assets: unknown, listener: { next(tick: object): void; error(cause: unknown): void }) {
      if (isThere) listener.next({ asset: 'BTC' });
      else listener.error(new AppError('venue_unavailable', 'socket lost'));
      return () => undefined;
    },
    priceAt: async () => (isThere ? { asset: 'BTC' as Asset } : null),
  });

const feedsOf = (ageMs: number, parts: Partial<FeedParts> = {}, speed = 1) => {
  const clock = createVirtualClock(NOW, { speed });
  return feedChecks({
    exchange: feed(true),
    oracle: null,
    inference: only<FeedParts['inference']>({
      latest: async () => ({ sourceAtMs: NOW - ageMs }),
    }),
    clock,
    ...parts,
  });
};

describe('the feeds', () => {
  it('are well where values come, and the oracle without a key is left out in words', async () => {
    const checks = feedsOf(20_000);
    expect(await levelsOf(checks)).toEqual({
      'exchange, live': 'ok',
      'exchange, asked': 'ok',
      oracle: 'skipped',
      inference: 'ok',
    });
    expect((await found(checks, 'oracle')).sentence).toContain('PREDICTD_DATA_STREAMS_KEY');
  });

  it('that are lost fail, and a prediction that is old is a warning, in the time of the wall', async () => {
    const lost = feedsOf(0, { exchange: feed(false), oracle: feed(true) });
    await expect(found(lost, 'exchange, live')).rejects.toThrow('socket lost');
    expect((await found(lost, 'exchange, asked')).level).toBe('skipped');
    expect((await found(lost, 'oracle, live')).level).toBe('ok');
    expect(await found(feedsOf(900_000), 'inference')).toMatchObject({
      level: 'warn',
      sentence: 'its newest prediction of BTC is 900 s old',
    });
    expect((await found(feedsOf(900_000, {}, 10), 'inference')).level).toBe('ok');
  });
});

const moneyOf = (parts: Partial<Record<keyof MoneyParts, unknown>> = {}) =>
  moneyChecks(
    only<MoneyParts>({
      bridge: { supportedAssets: async () => [{}, {}] },
      relayer: { lookup: async () => ({ kind: 'absent' }) },
      hasBuilder: true,
      router: { offer: async () => ({ tool: 'across' }) },
      tokens: { pools: async () => [{}], search: async () => [{}, {}, {}] },
      hasPinning: true,
      hasIndexer: false,
      ...parts,
    }),
  );

describe('what moves money', () => {
  it('is well where bridge, relayer, router and token data answer', async () => {
    expect(await levelsOf(moneyOf())).toEqual({
      bridge: 'ok',
      relayer: 'ok',
      router: 'ok',
      'token rankings': 'ok',
      'token search': 'ok',
      pinning: 'skipped',
      'token indexer': 'skipped',
    });
  });

  it.each<readonly [string, Partial<Record<keyof MoneyParts, unknown>>, string, RegExp]>([
    ['bridge', { bridge: { supportedAssets: async () => [] } }, 'warn', /takes no tokens/],
    [
      'relayer',
      { relayer: { lookup: async () => ({ kind: 'unreachable', cause: 'answered 500' }) } },
      'fail',
      /answered 500/,
    ],
    ['relayer', { hasBuilder: false }, 'warn', /no builder key is set/],
    ['pinning', { hasPinning: false }, 'skipped', /PREDICTD_PINNING_KEY is not set/],
    ['token indexer', { hasIndexer: true }, 'skipped', /asked about wallets alone/],
  ])('%s: %o is %s', async (name, parts, level, sentence) => {
    expect(await found(moneyOf(parts), name)).toMatchObject({
      level,
      sentence: expect.stringMatching(sentence),
    });
  });

  it('is asked for a route of one dollar, for a wallet without an owner', async () => {
    const asked: unknown[] = [];
    const offer = async (request: unknown) => {
      asked.push(request);
      return { tool: 'across' };
    };
    await found(moneyOf({ router: { offer } }), 'router');
    expect(asked).toMatchObject([
      { amount: 1_000_000n, sender: '0x000000000000000000000000000000000000dEaD' },
    ]);
  });
});
