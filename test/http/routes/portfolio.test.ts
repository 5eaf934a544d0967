import { describe, expect, it } from 'vitest';
import { EQUITY } from '../../../config/limits/portfolio.ts';
import { putSample } from '../../../src/services/portfolio/equity-history.ts';
import type { WalletDifference } from '../../../src/domain/wallet-mismatch.ts';
import { putMismatches } from '../../../src/services/books/wallet-mismatches.ts';
import { FUNDS_DISPUTES, RESTORES } from '../../../src/services/books/tables.ts';
import { START_MS, TICKER } from '../api.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { aViewedPosition, viewedPositions } from '../../support/fakes/fake-view.ts';
import { MARKET_ID } from '../samples.ts';
import { useApi } from '../use-api.ts';

/** Answers as they come, read field by field. */
type Wire = any; // oxlint-disable-line typescript/no-explicit-any

const api = await useApi();
const user = await api.signIn();
const get = (path: string) => api.request('GET', path, { token: user.token });

describe('the portfolio', () => {
  it('says what positions came to, in all and by venue', async () => {
    const { body } = await get('/api/portfolio/');
    const result = { realizedPnl: '3', wins: 2, losses: 1, winRate: '0.666666' };
    const none = { realizedPnl: '0', wins: 0, losses: 0, winRate: null };
    expect(body).toMatchObject(result);
    expect(body.venues).toEqual([
      expect.objectContaining({ venue: 'venue_a', ...result }),
      expect.objectContaining({ venue: 'venue_b', ...none }),
      expect.objectContaining({ venue: 'venue_c', ...none }),
    ]);
  });

  it('says of every figure that the books may lack something after a restore, until it was adopted', async () => {
    const venueB = '/api/venue_b/portfolio';
    const states = async () => {
      const paths = ['/api/portfolio/', '/api/portfolio/history', '/api/portfolio/trades'];
      const lists = ['/api/venue_a/holding/', `${venueB}/positions`, `${venueB}/balance`];
      const agents = ['/api/agents/performance', '/api/agents/btc_5min/performance'];
      const answers = await Promise.all([...paths, ...lists, ...agents].map(get));
      return [
        ...new Set(answers.map(({ body }) => body.books)),
        ...answers.flatMap(({ body }) => (body.venues ?? []) as readonly object[]).map(stateOf),
      ];
    };
    const stateOf = (venue: object) => 'state' in venue && venue.state;
    const put = (adoptedAtMs: number | null) =>
      api.store.write((tx) => {
        const upToMs = START_MS - 60_000;
        tx.put(RESTORES, ['newest'], { upToMs, madeAtMs: upToMs, adoptedAtMs });
      });
    await put(null);
    expect(await states()).toEqual([
      'unreconciled',
      'unreconciled',
      'unreconciled',
      'unreconciled',
    ]);
    await put(START_MS);
    expect(await states()).toEqual(['reconciled', 'partial', 'partial', 'partial']);
  });

  it('has the wallets read of whoever asks, as the other views of money do', async () => {
    api.walletsRead.length = 0;
    await get('/api/portfolio/');
    expect(api.walletsRead).toEqual([user.userId]);
  });

  it('says where a wallet differs from the books, since when, and that orders wait', async () => {
    const difference = { cashAccount: 'usdc:safe', asset: 'usdc:safe', booked: -60, onChain: 0 };
    const put = (found: readonly WalletDifference[]) =>
      api.store.write((tx) => putMismatches(tx, user.userId, { found, atMs: START_MS - 60_000 }));
    await put([{ ...difference, cashAccount: 'usdc:safe' }]);
    const { body }: Wire = await get('/api/portfolio/');
    expect([body.books, body.venues[0].state, body.mismatches]).toEqual([
      'mismatched',
      'mismatched',
      [
        {
          account: 'usdc:safe',
          asset: 'usdc:safe',
          booked: '-0.00006',
          onChain: '0',
          sinceAtMs: START_MS - 60_000,
          ordersWait: true,
        },
      ],
    ]);
    expect((await get('/api/venue_c/portfolio/positions')).body.books).toBe('mismatched');
    await put([]);
    const { body: after }: Wire = await get('/api/portfolio/');
    expect([after.books, after.mismatches]).toEqual(['reconciled', []]);
  });

  it('says what a venue refuses to spend, why, and when an order is let through again', async () => {
    const dispute = {
      asset: 'usdc:safe',
      refusals: 2,
      reason: 'not enough balance',
      lacksAllowanceOf: null,
      sinceMs: START_MS - 60_000,
      retryAtMs: START_MS + 60_000,
    } as const;
    await api.store.write((tx) => tx.put(FUNDS_DISPUTES, [user.userId, 'usdc:safe'], dispute));
    const { body }: Wire = await get('/api/portfolio/');
    expect([body.books, body.venues[0].state, body.disputes]).toEqual([
      'disputed',
      'disputed',
      [
        {
          asset: 'usdc:safe',
          refusals: 2,
          reason: 'not enough balance',
          sinceAtMs: START_MS - 60_000,
          retryAtMs: START_MS + 60_000,
        },
      ],
    ]);
    await api.store.write((tx) => tx.remove(FUNDS_DISPUTES, [user.userId, 'usdc:safe']));
    expect((await get('/api/portfolio/')).body).toMatchObject({
      books: 'reconciled',
      disputes: [],
    });
  });

  it('refuses a history that would begin after it ends', async () => {
    const ahead = await get(`/api/portfolio/history?fromAtMs=${START_MS + 1_000_000}`);
    expect([ahead.status, ahead.body.errors]).toEqual([
      400,
      [{ path: '/query/fromAtMs', message: 'at most now, where toAtMs is absent' }],
    ]);
  });

  it('lists closed positions and fills with their venue and account, page by page', async () => {
    const order = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'market' };
    await api.request('POST', '/api/venue_a/order/', { token: user.token, body: order });
    const { body } = await get('/api/portfolio/trades');
    expect(body).toMatchObject({
      data: [{ kind: 'fill', venue: 'venue_a', account: 'usdc:safe', fill: { action: 'buy' } }],
      nextCursor: null,
    });
    // the market of the model's fill, and another one
    expect((await get('/api/portfolio/trades?marketId=0xm')).body).toEqual(body);
    expect((await get('/api/portfolio/trades?marketId=0xn')).body).toMatchObject({ data: [] });
    const closed = await get('/api/portfolio/trades?kind=closed');
    expect(closed.status).toBe(200);
    expect((await get('/api/portfolio/trades?cursor=abc')).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/query/cursor' }],
    });
    expect((await get('/api/portfolio/trades?kind=open')).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/query/kind', message: 'one of fill, closed' }],
    });
  });
});

describe('the orders of every venue', () => {
  const LIMIT = { side: 'yes', amount: 5, orderType: 'limit' };
  const ordersOf = async ({ token }: { readonly token: string }, query: string): Promise<Wire> =>
    (await api.request('GET', `/api/portfolio/orders${query}`, { token })).body;
  const place = async (token: string, venue: string, body: object): Promise<string> =>
    String((await api.request('POST', `/api/${venue}/order/`, { token, body })).body['id']);

  it('are one list, newest first, whose cursor goes on over all venues until none is left', async () => {
    const person = await api.signIn();
    const made: string[] = [];
    for (let each = 0; each < 3; each += 1) {
      const inA = { ...LIMIT, marketId: MARKET_ID, price: '0.47' };
      made.unshift(await place(person.token, 'venue_a', inA));
      const inB = { ...LIMIT, marketId: TICKER, price: 47 };
      made.unshift(await place(person.token, 'venue_b', inB));
    }
    const read: Wire[] = [];
    let page = await ordersOf(person, '?limit=2');
    while (page.nextCursor !== null) {
      read.push(...page.data);
      page = await ordersOf(person, `?limit=2&cursor=${page.nextCursor}`);
    }
    read.push(...page.data);
    expect(read.map(({ id }) => id)).toEqual(made);
    expect(read.slice(0, 2).map(({ venue }) => venue)).toEqual(['venue_b', 'venue_a']);
    const ofB = await ordersOf(person, `?marketId=${TICKER}`);
    expect(ofB.data.map(({ id }: Wire) => id)).toEqual(made.filter((_, index) => index % 2 === 0));
  });

  it('are those that are open or ended where these are asked for', async () => {
    const person = await api.signIn();
    const body = { ...LIMIT, marketId: MARKET_ID, price: '0.47' };
    const [first, second] = [
      await place(person.token, 'venue_a', body),
      await place(person.token, 'venue_a', body),
    ];
    await api.request('DELETE', `/api/venue_a/order/${first}`, { token: person.token });
    const idsOf = async (query: string) =>
      (await ordersOf(person, query)).data.map(({ id }: Wire) => id);
    expect([await idsOf('?state=open'), await idsOf('?state=ended')]).toEqual([[second], [first]]);
    expect((await ordersOf(person, '?state=done')).errors).toEqual([
      { path: '/query/state', message: 'one of open, ended, all' },
    ]);
  });
});

describe('what is held at view-only venues', () => {
  const points = { symbol: 'PTS', token: `0x${'0b'.repeat(20)}`, isDollar: false };
  const won = aViewedPosition({
    marketId: '2741:5120',
    state: 'won',
    isClaimable: true,
    valueMicros: 12_250_001n,
    profitMicros: -20_000n,
  });
  const portfolioOf = async () => {
    const { token } = await api.signIn();
    return (await api.request('GET', '/api/portfolio/', { token })).body as Wire;
  };

  it('is beside the positions, in the same shape, by venue and wallet, in decimal text', async () => {
    api.view.answer = async () => viewedPositions([aViewedPosition()]);
    const { viewed, viewedPositions: rows } = await portfolioOf();
    expect(rows).toEqual([
      {
        venue: 'venue_d',
        account: api.view.asked.at(-1),
        position: {
          marketId: '56:170145',
          outcomeId: '0',
          question: 'Will the lunar lander touch down in one piece?',
          outcomeLabel: 'Yes',
          network: { chainId: 56, name: 'BNB Smart Chain' },
          mechanism: 'amm',
          state: 'open',
          isClaimable: false,
          shares: '10',
          currency: { symbol: 'USDT', token: `0x${'55'.repeat(20)}`, isDollar: true },
          entryPrice: '0.4',
          currentPrice: '0.6',
          cost: '4',
          value: '6',
          profit: '2',
          endsAtMs: 1_830_297_540_000,
        },
      },
    ]);
    expect(viewed).toMatchObject([{ venue: 'venue_d', state: 'ok', readAtMs: START_MS }]);
  });

  it('is summed where it is dollars, and is in no total of the books', async () => {
    api.view.answer = async () => viewedPositions([]);
    const without = await portfolioOf();
    api.view.answer = async () =>
      viewedPositions([
        aViewedPosition(),
        won,
        aViewedPosition({ marketId: '2741:6003', currency: points, valueMicros: 975_000_000n }),
      ]);
    const { viewed, viewedPositions: rows, ...books } = await portfolioOf();
    expect(viewed).toMatchObject([
      {
        positions: 3,
        valueUsd: '18.250001',
        profitUsd: '1.98',
        claimableUsd: '12.250001',
        uncounted: 1,
      },
    ]);
    expect(rows.map(({ position }: Wire) => position.value)).toEqual(['6', '12.250001', '975']);
    const { viewed: _viewed, viewedPositions: _rows, ...booksWithout } = without;
    expect(books).toEqual(booksWithout);
  });

  it('says what of it could not be read', async () => {
    api.view.answer = async () => ({ positions: [won], unreadable: 2, isCut: true });
    expect((await portfolioOf()).viewed).toMatchObject([
      { state: 'partial', positions: 1, unreadable: 2, isCut: true },
    ]);
  });

  it('is said to be away where its venue is, and the rest is there', async () => {
    api.view.answer = async () => {
      throw new AppError('venue_unavailable', 'the venue is away', { retryable: true });
    };
    const { viewed, viewedPositions: rows, venues } = await portfolioOf();
    expect(viewed).toMatchObject([{ state: 'away', readAtMs: null, positions: 0, valueUsd: null }]);
    expect([rows, venues.length]).toEqual([[], 3]);
  });
});

describe('equity by time', () => {
  it('is given as points of a day, with what had no price', async () => {
    expect((await get('/api/portfolio/history')).body).toEqual({
      stepMs: EQUITY.sampleMs,
      books: 'reconciled',
      before: null,
      data: [],
    });
    const sample = {
      atMs: START_MS - 600_000,
      cashUsdc: 10_000_000,
      positionsUsdc: 2_500_000,
      openPositions: 2,
      unvalued: [{ venue: null, positions: 1, costUsdc: 700_000 }],
    };
    await api.store.write((tx) => putSample(tx, user.userId, sample));
    const point = {
      sampledAtMs: START_MS - 600_000,
      equityUsdc: '12.5',
      cashUsdc: '10',
      positionsUsdc: '2.5',
      openPositions: 2,
      unvalued: [{ venue: null, positions: 1, costUsdc: '0.7' }],
      broughtInUsdc: null,
    };
    expect((await get('/api/portfolio/history')).body.data).toEqual([point]);
    const later = await get(`/api/portfolio/history?fromAtMs=${START_MS - 60_000}`);
    expect(later.body).toMatchObject({ before: point, data: [] });
  });

  it.each([
    ['points=0', '/query/points'],
    ['points=1001', '/query/points'],
    ['fromAtMs=x', '/query/fromAtMs'],
    ['fromAtMs=2&toAtMs=1', '/query/toAtMs'],
  ])('refuses %s', async (query, path) => {
    const { status, body } = await get(`/api/portfolio/history?${query}`);
    expect([status, (body.errors as readonly { readonly path: string }[])[0]?.path]).toEqual([
      400,
      path,
    ]);
  });
});
