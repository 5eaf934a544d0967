import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startViewedVenue, WALLET } from './a-server.ts';

let venue: Awaited<ReturnType<typeof startViewedVenue>>;
beforeAll(async () => {
  venue = await startViewedVenue();
});
afterAll(() => venue.close());
beforeEach(async () => {
  venue.faults.clearAll();
  await venue.clock.advance(10_000);
});
const slugs = async (query: string) =>
  (await venue.ask(query)).body.data.map((row: { marketSlug: string }) => row.marketSlug);

describe('the portfolio of the sandbox', () => {
  it('holds rows of pools alone, without dust, unless asked otherwise', async () => {
    const usual = await slugs('');
    const whole = await slugs('?trading_model=all');
    expect(whole).toHaveLength(usual.length + 1);
    expect(await slugs('?trading_model=ob')).toEqual(
      whole.filter((slug: string) => !usual.includes(slug)),
    );
    expect(await slugs('?execution_mode=1')).toEqual(await slugs('?trading_model=ob'));
    expect(await slugs('?trading_model=all&min_shares=0')).toHaveLength(whole.length + 1);
  });

  it('is the same for an address however it is written, and another for another address', async () => {
    const rows = async (wallet: string) => (await venue.ask('', {}, wallet)).body.data;
    expect(await rows(WALLET)).toEqual(await rows(WALLET.toLowerCase()));
    const other = await rows(`0x${'ab'.repeat(20)}`);
    expect(other).toHaveLength((await rows(WALLET)).length);
    expect(other[0].shares).not.toBe((await rows(WALLET))[0].shares);
  });

  it('comes in pages that differ by their number', async () => {
    const first = await venue.ask('?limit=4');
    const second = await venue.ask('?limit=4&page=2');
    expect(first.body.pagination).toMatchObject({ page: 1, limit: 4, hasNext: true });
    const keys = [...first.body.data, ...second.body.data].map(
      (row) => `${row.networkId}:${row.marketId}`,
    );
    expect(new Set(keys).size).toBe(8);
  });

  it.each(['?limit=101', '?limit=0', '?page=x', '?min_shares=x', '?trading_model=clob'])(
    'refuses %s',
    async (query) => {
      expect((await venue.ask(query)).status).toBe(400);
    },
  );

  it('keeps rows of a network or a market', async () => {
    const rows = (await venue.ask('?market_id=170145')).body.data;
    expect(rows.map((row: { networkId: number }) => row.networkId)).toEqual([56, 59144]);
    expect((await venue.ask('?market_id=170145&network_id=56')).body.data).toHaveLength(1);
  });

  it('says how many calls are left, refuses the 31st in ten seconds, and takes it after them', async () => {
    const { headers } = await venue.ask();
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
      '30',
      '29',
    ]);
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await venue.ask()).status),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect((await venue.ask('', { 'x-api-key': 'a-key' })).status).toBe(200);
    await venue.clock.advance(10_000);
    expect((await venue.ask()).status).toBe(200);
  });

  it('plays its faults once each', async () => {
    venue.faults.arm('view-down', { times: 1 });
    expect((await venue.ask()).status).toBe(500);
    venue.faults.arm('view-busy', { times: 1 });
    const busy = await venue.ask();
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, null]);
    venue.faults.arm('view-bad-numbers', { times: 1 });
    const [first, second, third] = (await venue.ask()).body.data;
    expect([first.value, second.shares < 0, typeof third.value]).toEqual(['NaN', true, 'string']);
    venue.faults.arm('view-late', { times: 1, delayMs: 5_000 });
    const late = venue.ask();
    await expect.poll(() => venue.clock.pending).toBeGreaterThan(0);
    await venue.clock.advance(5_000);
    expect((await late).status).toBe(200);
  });
});
