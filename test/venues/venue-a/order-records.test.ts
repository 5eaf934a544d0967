import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import type { VenueFill } from '../../../src/domain/fill.ts';
import { asId, type OrderId, type TokenId, type UserId } from '../../../src/domain/ids.ts';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import type { Accounts } from '../../../src/venues/venue-a/accounts.ts';
import { createVenueClient } from '../../../src/venues/venue-a/client.ts';
import { createOrderRecords } from '../../../src/venues/venue-a/order-records.ts';
import { aMarket } from '../../support/builders.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { cannedHosts } from '../../support/fakes/canned-hosts.ts';

const USER = asId<UserId>('usr_ada');
const MARKET = aMarket(1);
const [{ tokenId: YES }] = MARKET.outcomes;
const NOW_S = 1_760_000_000;
const URLS = { clobRest: 'canned:', gamma: 'canned:', dataApi: 'canned:', site: 'canned:' };
const ACCOUNT = {
  address: '0xAA00000000000000000000000000000000000001',
  credentials: { key: 'key-me', secret: 'c2VjcmV0', passphrase: 'open' },
};
const NOTHING_KNOWN = { has: () => false, tokens: [] };

const wire = (change: object = {}) => ({
  id: '0xaa',
  status: 'LIVE',
  asset_id: YES,
  side: 'BUY',
  original_size: '20',
  size_matched: '0',
  price: '0.47',
  order_type: 'GTC',
  created_at: NOW_S,
  expiration: '0',
  ...change,
});

const traded = (orderId: string, change: Partial<VenueFill> = {}): VenueFill => ({
  tradeId: asId(`trade of ${orderId}`),
  orderId: asId(orderId),
  marketId: MARKET.marketId,
  tokenId: YES,
  side: 'buy',
  role: 'taker',
  legs: [
    { shares: shareMicros(3_000_000), price: priceTicks(4_000) },
    { shares: shareMicros(2_000_000), price: priceTicks(5_000) },
  ],
  fee: null,
  word: 'confirmed',
  matchedAtMs: NOW_S * 1_000,
  transactionHash: '0xff',
  ...change,
});

interface Venue {
  readonly orders: Readonly<Record<string, object>>;
  readonly open?: readonly string[];
  readonly fills?: readonly VenueFill[];
  readonly unread?: number;
}

function recordsOver({ orders, open = [], fills = [], unread = 0 }: Venue) {
  const client = createVenueClient({
    urls: URLS,
    hosts: cannedHosts((path) => orders[path.split('/').at(-1) ?? '']),
    clock: createVirtualClock(NOW_S * 1_000),
    metrics: createCountingMetrics(),
  });
  return createOrderRecords({
    client,
    // Only the account is asked for by reads.
    accounts: { accountOf: async () => ACCOUNT } as unknown as Accounts,
    gateway: {
      fills: async () => ({ read: fills, unread }),
      openOrders: async () => ({
        read: open.map((orderId) => ({
          orderId: asId<OrderId>(orderId),
          status: 'live',
          matchedShares: shareMicros(0),
          reason: null,
        })),
        unread: 0,
      }),
    },
    catalogue: {
      marketOfToken: async (tokenId: TokenId) => (tokenId === YES ? MARKET : null),
    },
  });
}

describe('orders that the venue has on record', () => {
  it('are those that rest and those that traded, each once, with the terms the venue states', async () => {
    const records = recordsOver({
      orders: {
        '0xaa': wire(),
        '0xbb': wire({ side: 'SELL', order_type: 'GTD', expiration: String(NOW_S + 60) }),
        '0xcc': wire({ order_type: 'FOK', original_size: '9.4' }),
      },
      open: ['0xaa', '0xbb', '0xdd'],
      fills: [traded('0xcc'), traded('0xaa')],
    });
    const known = { has: (orderId: OrderId) => orderId === '0xdd', tokens: [] };
    const { read, unread } = await records.strangers(USER, 0, known);
    expect(unread).toBe(0);
    const shared = { market: MARKET, outcome: 0, tokenId: YES, price: 4_700 };
    const names = (id: string) => ({ attemptId: id, orderId: id, body: '', extra: null });
    expect(read).toEqual([
      {
        ...shared,
        side: 'buy',
        life: 'rests',
        exact: 'receive',
        spendMicros: 9_400_000,
        receiveMicros: 20_000_000,
        createdAtMs: NOW_S * 1_000,
        expiresAtMs: null,
        attempt: names('0xaa'),
      },
      {
        ...shared,
        side: 'sell',
        life: 'rests',
        exact: 'spend',
        spendMicros: 20_000_000,
        receiveMicros: 9_400_000,
        createdAtMs: NOW_S * 1_000,
        expiresAtMs: (NOW_S + 60) * 1_000,
        attempt: names('0xbb'),
      },
      // What a purchase at the market states is its money.
      {
        ...shared,
        side: 'buy',
        life: 'all_now',
        exact: 'spend',
        spendMicros: 9_400_000,
        receiveMicros: 20_000_000,
        createdAtMs: NOW_S * 1_000,
        expiresAtMs: null,
        attempt: names('0xcc'),
      },
    ]);
  });

  it('are what they traded where the venue has dropped them', async () => {
    const records = recordsOver({ orders: {}, fills: [traded('0xee')] });
    const { read } = await records.strangers(USER, 0, NOTHING_KNOWN);
    expect(read).toMatchObject([
      {
        life: 'part_now',
        price: 5_000,
        exact: 'receive',
        spendMicros: 2_500_000,
        receiveMicros: 5_000_000,
        createdAtMs: NOW_S * 1_000,
      },
    ]);
  });

  it('L2: are left unread, and counted, where their market is not known or a trade cannot be read', async () => {
    const records = recordsOver({
      orders: { '0xaa': wire({ asset_id: '77' }) },
      open: ['0xaa'],
      unread: 1,
    });
    expect(await records.strangers(USER, 0, NOTHING_KNOWN)).toEqual({ read: [], unread: 2 });
  });

  it.each([
    ['a price of nothing', { price: '0' }],
    ['an unknown life', { order_type: 'GTX' }],
    ['a size in words', { original_size: 'ten' }],
  ])('are not believed with %s', async (_, change) => {
    const records = recordsOver({ orders: { '0xaa': wire(change) }, open: ['0xaa'] });
    await expect(records.strangers(USER, 0, NOTHING_KNOWN)).rejects.toMatchObject({
      code: 'venue_protocol',
    });
  });
});
