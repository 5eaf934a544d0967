import { afterAll, beforeAll, expect, it } from 'vitest';
import { ccxtPositions } from '../../../peers/ccxt.ts';
import { startViewedVenue, WALLET } from './a-server.ts';

let venue: Awaited<ReturnType<typeof startViewedVenue>>;
beforeAll(async () => {
  venue = await startViewedVenue();
});
afterAll(() => venue.close());

it('a published client sees the rows of pools, and all of them once it asks for all', async () => {
  const client = ccxtPositions(venue.url, WALLET);
  const modes = async (params?: Readonly<Record<string, unknown>>) =>
    (await client.fetchPositions(undefined, params)).map(({ info }) => info['executionMode']);
  const usual = await modes();
  expect(usual.length).toBeGreaterThan(5);
  expect(new Set(usual)).toEqual(new Set([0]));
  expect((await modes({ trading_model: 'all' })).sort()).toEqual([...usual, 1]);
});

it('and reads of each row how much is held, what it is worth and what it brought', async () => {
  const [position] = await ccxtPositions(venue.url, WALLET).fetchPositions();
  const { body } = await venue.ask();
  const [row] = body.data;
  expect(position).toMatchObject({
    id: `${row.networkId}:${row.marketId}/${row.outcomeId}`,
    label: 'Yes',
    contracts: row.shares,
    notional: row.value,
    unrealizedPnl: row.profit,
    info: row,
  });
});
