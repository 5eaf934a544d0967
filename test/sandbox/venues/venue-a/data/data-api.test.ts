import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createVirtualClock,
  type VirtualClock,
} from '../../../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../../../src/adapters/random/seeded-random.ts';
import { asId, type Address } from '../../../../../src/domain/ids.ts';
import { usdcMicros } from '../../../../../src/domain/units.ts';
import { createExchange } from '../../../../../src/sandbox/engine/exchange.ts';
import { createFaultBoard } from '../../../../../src/sandbox/faults.ts';
import { startDataApi } from '../../../../../src/sandbox/venues/venue-a/data/data-api.ts';
import type { Listening } from '../../../../../src/sandbox/wire/http-server.ts';
import { aVenue, DOWN, MARKET, START_MS, UP, type TestVenue } from '../../../engine/a-venue.ts';

const ALICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

let clock: VirtualClock;
let venue: TestVenue;
let server: Listening;

const get = async (path: string) => {
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, body: await response.json() };
};

/** Rows of an answer that is a list. */
const rows = async (path: string): Promise<readonly Record<string, unknown>[]> => {
  const response = await fetch(`${server.url}${path}`);
  return JSON.parse(await response.text());
};

beforeEach(async () => {
  clock = createVirtualClock(START_MS);
  const random = createSeededRandom(1);
  const exchange = createExchange({ clock, random, faults: createFaultBoard(random) });
  venue = aVenue({ clock, exchange, accounts: [ALICE] });
  exchange.deposit(asId<Address>(BOB), usdcMicros(100_000_000));
  server = await startDataApi({ exchange });
});

afterEach(() => server.close());

/** Bob buys 20 Up of Alice at 0.50 and sells 5 of them at 0.60. */
async function trade() {
  venue.rest({ maker: ALICE, tokenId: UP, side: 'sell', price: 5000, shares: 20 });
  venue.take({ maker: BOB, tokenId: UP, side: 'buy', price: 5000, usdc: 10 });
  venue.rest({ maker: ALICE, tokenId: DOWN, side: 'sell', price: 4000, shares: 5 });
  venue.take({ maker: BOB, tokenId: UP, side: 'sell', price: 6000, shares: 5 });
  await clock.advance(2_000);
}

describe('the Data API', () => {
  it('knows a trade only once it is mined', async () => {
    venue.rest({ maker: ALICE, tokenId: UP, side: 'sell', price: 5000, shares: 20 });
    venue.take({ maker: BOB, tokenId: UP, side: 'buy', price: 5000, usdc: 10 });
    expect((await get(`/positions?user=${BOB}`)).body).toEqual([]);
    await clock.advance(2_000);
    expect((await get(`/positions?user=${BOB}`)).body).toMatchObject([
      { asset: UP, size: 20, avgPrice: 0.5, initialValue: 10, outcome: 'Up', oppositeAsset: DOWN },
    ]);
  });

  it('keeps positions by average cost, through a merge too', async () => {
    await trade();
    expect((await get(`/positions?user=${BOB}`)).body).toMatchObject([
      { asset: UP, size: 15, initialValue: 7.5, realizedPnl: 0.5, totalBought: 20 },
    ]);
  });

  it('moves a position to the closed ones when its market pays', async () => {
    await trade();
    venue.exchange.resolve(MARKET, [10_000, 0]);
    expect((await get(`/positions?user=${BOB}`)).body).toEqual([]);
    expect((await get(`/closed-positions?user=${BOB}`)).body).toMatchObject([
      { asset: UP, realizedPnl: 8, curPrice: 1 },
    ]);
    expect((await get(`/value?user=${BOB}`)).body).toEqual([{ user: BOB, value: 0 }]);
  });

  it("lists takers' trades, makers' too when asked, filtered by cash", async () => {
    await trade();
    expect(
      (await rows('/trades?limit=10')).map((row) => [
        row['proxyWallet'],
        row['side'],
        row['size'],
        row['price'],
      ]),
    ).toEqual([
      [BOB, 'SELL', 5, 0.6],
      [BOB, 'BUY', 20, 0.5],
    ]);
    expect((await get('/trades?filterType=CASH&filterAmount=5')).body).toMatchObject([
      {
        proxyWallet: BOB,
        side: 'BUY',
        size: 20,
        asset: UP,
        transactionHash: expect.stringMatching(/^0x/),
      },
    ]);
    expect((await get(`/trades?takerOnly=false&user=${ALICE}`)).body).toMatchObject([
      { side: 'SELL', asset: DOWN, price: 0.4 },
      { side: 'SELL', asset: UP, price: 0.5 },
    ]);
    expect((await get('/trades?filterType=CASH')).status).toBe(400);
  });

  it('names the market of a trade and of a position, and the event it is of', async () => {
    await trade();
    for (const path of [
      '/trades?limit=1',
      `/positions?user=${BOB}`,
      `/activity?user=${BOB}&type=TRADE`,
    ]) {
      expect((await rows(path))[0]).toMatchObject({
        slug: 'btc-updown-5m-1795248000',
        eventSlug: 'bitcoin-today',
      });
    }
  });

  it('tells deposits and redemptions by type, oldest first when asked', async () => {
    await trade();
    await clock.advance(1_000);
    venue.exchange.resolve(MARKET, [10_000, 0]);
    const kinds = async (query: string) =>
      (await rows(`/activity?user=${BOB}${query}`)).map((row) => [row['type'], row['usdcSize']]);
    expect(await kinds('&type=DEPOSIT')).toEqual([['DEPOSIT', 100]]);
    expect(await kinds('&type=DEPOSIT,REDEEM&sortDirection=ASC')).toEqual([
      ['DEPOSIT', 100],
      ['REDEEM', 15],
    ]);
    expect(await kinds('')).toEqual([
      ['REDEEM', 15],
      ['TRADE', 3],
      ['TRADE', 10],
    ]);
    expect(await kinds(`&type=DEPOSIT&start=${START_MS / 1_000 + 1}`)).toEqual([]);
  });

  it('lists holders and open interest', async () => {
    await trade();
    expect((await get(`/holders?market=${MARKET}`)).body).toMatchObject([
      {
        token: UP,
        holders: [
          { proxyWallet: ALICE, amount: 980, outcomeIndex: 0 },
          { proxyWallet: BOB, amount: 15 },
        ],
      },
      { token: DOWN, holders: [{ proxyWallet: ALICE, amount: 995 }] },
    ]);
    expect((await get(`/oi?market=${MARKET}`)).body).toEqual([{ market: MARKET, value: 995 }]);
    expect((await get(`/traded?user=${BOB}`)).body).toEqual({ user: BOB, traded: 1 });
  });

  it('refuses a call without its user', async () => {
    expect(await get('/positions')).toEqual({
      status: 400,
      body: { error: "required query param 'user' not provided" },
    });
  });
});
