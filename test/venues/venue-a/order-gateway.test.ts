import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { Accounts } from '../../../src/venues/venue-a/accounts.ts';
import { createVenueClient } from '../../../src/venues/venue-a/client.ts';
import { createOrderGateway } from '../../../src/venues/venue-a/order-gateway.ts';
import { asId, type Address, type OrderId, type UserId } from '../../../src/domain/ids.ts';
import type { ListingGateway } from '../../../src/ports/order-gateway.ts';
import { cannedHosts, type CannedAnswer } from '../../support/fakes/canned-hosts.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';

const USER = asId<UserId>('usr_ada');
const FUNDER = asId<Address>('0xAA00000000000000000000000000000000000001');
const URLS = { clobRest: 'canned:', gamma: 'canned:', dataApi: 'canned:', site: 'canned:' };
const trade = (change: object) => ({
  id: 't',
  taker_order_id: '0xt',
  market: '0xaa',
  asset_id: '11',
  side: 'BUY',
  size: '10',
  price: '0.47',
  status: 'TRADE_STATUS_CONFIRMED',
  match_time: '1760000001',
  owner: 'key-me',
  maker_address: FUNDER,
  transaction_hash: '0xff',
  trader_side: 'TAKER',
  maker_orders: [],
  ...change,
});
const page = (data: readonly unknown[]) => ({
  limit: 100,
  count: data.length,
  next_cursor: 'LTE=',
  data,
});

function gatewayOver(answer: CannedAnswer) {
  const metrics = createCountingMetrics();
  const client = createVenueClient({
    urls: URLS,
    hosts: cannedHosts(answer),
    clock: createVirtualClock(1_760_000_002_000),
    metrics,
  });
  const account = {
    address: FUNDER,
    credentials: { key: 'key-me', secret: 'c2VjcmV0', passphrase: 'open' },
  };
  // Only the account is asked for by reads.
  const accounts = { accountOf: async () => account } as unknown as Accounts;
  const gateway: ListingGateway = createOrderGateway({
    client,
    accounts,
    metrics,
    watch: () => () => undefined,
    funderOf: () => FUNDER,
  });
  return { gateway, metrics };
}

describe('the list of trades', () => {
  it.each([
    ['an unknown word', { status: 'TRADE_STATUS_HELD' }],
    ['a size that is a number', { size: 10 }],
    ['a size with an exponent', { size: '1e1' }],
    ['a size of nothing', { size: '0' }],
    ['a price of a dollar', { price: '1' }],
    ['no side', { side: undefined }],
    ['makers that are no list', { maker_orders: { 0: {} } }],
  ])(
    'schema-drift: with %s in one trade gives the others, and says that one could not be read',
    async (_what, change) => {
      const rows = [
        trade({ id: 't-1', taker_order_id: '0x1' }),
        trade({ id: 't-2', taker_order_id: '0x2', ...change }),
        trade({ id: 't-3', taker_order_id: '0x3' }),
      ];
      const { gateway, metrics } = gatewayOver(() => page(rows));
      const reported = await gateway.fills(USER, 0);
      expect([reported.read.map(({ orderId }) => orderId), reported.unread]).toEqual([
        ['0x1', '0x3'],
        1,
      ]);
      expect(
        metrics.counts['venue_dropped_total venue=venue_a channel=trades reason=unreadable'],
      ).toBe(1);
    },
  );
});

describe('the list of resting orders', () => {
  it('schema-drift: with an unreadable order gives the others, and says that one could not be read', async () => {
    const order = (id: string, status: string) => ({ id, status, size_matched: '0' });
    const { gateway, metrics } = gatewayOver(() =>
      page([order('0x1', 'LIVE'), order('0x2', 'RESTING'), order('0x3', 'LIVE')]),
    );
    expect(await gateway.openOrders(USER)).toEqual({
      read: ['0x1', '0x3'].map((id) => ({
        orderId: asId<OrderId>(id),
        status: 'live',
        matchedShares: 0,
        reason: null,
      })),
      unread: 1,
    });
    expect(
      metrics.counts['venue_dropped_total venue=venue_a channel=orders reason=unreadable'],
    ).toBe(1);
  });
});
