import { describe, expect, it } from 'vitest';
import { microsOfNumber, scaledNumber } from '../../../src/venues/venue-a/decimals.ts';
import { parseFills, parseOrder } from '../../../src/venues/venue-a/parse.ts';
import { tradeSchema } from '../../../src/venues/venue-a/schema.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';

const ME = { key: 'key-me', address: asId<Address>('0xAA00000000000000000000000000000000000001') };
const maker = (change: object = {}) => ({
  order_id: '0xm1',
  owner: 'key-other',
  maker_address: '0xbb',
  matched_amount: '10',
  price: '0.47',
  asset_id: '11',
  side: 'SELL',
  ...change,
});
const trade = (change: object = {}) =>
  tradeSchema.parse({
    id: 't-1',
    taker_order_id: '0xt',
    market: '0xaa',
    asset_id: '11',
    side: 'BUY',
    size: '10',
    price: '0.47',
    status: 'MATCHED',
    match_time: '1760000001',
    owner: 'key-me',
    maker_address: ME.address.toLowerCase(),
    transaction_hash: '',
    trader_side: 'TAKER',
    maker_orders: [maker()],
    ...change,
  });

describe('our part of a trade', () => {
  it('as taker has one leg for each maker, at 1 − p where the maker holds the other outcome', () => {
    const [fill] = parseFills(
      trade({
        size: '25',
        price: '0.49',
        maker_orders: [
          maker(),
          maker({
            order_id: '0xm2',
            asset_id: '12',
            price: '0.49',
            matched_amount: '15',
            side: 'BUY',
          }),
        ],
      }),
      ME,
    );
    expect(fill).toMatchObject({
      role: 'taker',
      side: 'buy',
      tokenId: '11',
      legs: [
        { shares: 10_000_000, price: 4_700 },
        { shares: 15_000_000, price: 5_100 },
      ],
    });
  });

  it('as taker is the venue total where the list of makers was cut', () => {
    expect(parseFills(trade({ size: '25', price: '0.48' }), ME)[0]?.legs).toEqual([
      { shares: 25_000_000, price: 4_800 },
    ]);
  });

  it('maker-other-token: as maker is our own token, side and price', () => {
    const mine = maker({ owner: 'key-me', asset_id: '12', price: '0.53', side: undefined });
    expect(
      parseFills(
        trade({ trader_side: 'MAKER', owner: 'key-me', maker_orders: [maker(), mine] }),
        ME,
      ),
    ).toMatchObject([
      {
        role: 'maker',
        orderId: '0xm1',
        tokenId: '12',
        side: 'buy',
        legs: [{ shares: 10_000_000, price: 5_300 }],
      },
    ]);
  });

  it('as maker of the same token is opposite to the taker when the side is left out', () => {
    expect(
      parseFills(
        trade({
          trader_side: 'MAKER',
          maker_orders: [maker({ owner: 'key-me', side: undefined })],
        }),
        ME,
      ),
    ).toMatchObject([{ role: 'maker', side: 'sell' }]);
  });

  it('is known by the funder address in any case, and by no other', () => {
    expect(parseFills(trade({ owner: undefined }), ME)).toHaveLength(1);
    expect(parseFills(trade({ owner: 'key-other', maker_address: '0xcc' }), ME)).toEqual([]);
  });

  it('names our order as we do, in whichever case the venue writes its hash', () => {
    const [fill] = parseFills(trade({ taker_order_id: '0xABcd' }), ME);
    expect([
      fill?.orderId,
      parseOrder({ id: '0xABcd', status: 'LIVE', size_matched: '0' }).orderId,
    ]).toEqual(['0xabcd', '0xabcd']);
    expect(
      parseFills(
        trade({
          trader_side: 'MAKER',
          maker_orders: [maker({ owner: 'key-me', order_id: '0xABcd' })],
        }),
        ME,
      )[0]?.orderId,
    ).toBe('0xabcd');
  });

  it.each([
    [
      'a maker',
      {
        trader_side: 'MAKER',
        maker_orders: [maker(), maker({ owner: undefined, maker_address: undefined })],
      },
    ],
    ['the taker', { owner: undefined, maker_address: undefined }],
  ])('schema-drift: is not denied where nothing says whose %s is', (_who, change) => {
    expect(() => parseFills(trade(change), ME)).toThrowError(
      expect.objectContaining({ code: 'venue_protocol' }),
    );
  });

  it('is both parts when we met ourselves', () => {
    expect(
      parseFills(trade({ maker_orders: [maker({ owner: 'key-me' })] }), ME).map(
        ({ role, orderId }) => [role, orderId],
      ),
    ).toEqual([
      ['taker', '0xt'],
      ['maker', '0xm1'],
    ]);
  });

  it.each([
    ['TRADE_STATUS_CONFIRMED', 'confirmed'],
    ['MATCHED_NOT_BROADCASTED', 'matched'],
    ['mined', 'mined'],
    ['RETRYING', 'retrying'],
    ['FAILED', 'failed'],
  ])('reads the word %s', (status, word) => {
    expect(parseFills(trade({ status }), ME)[0]?.word).toBe(word);
  });

  it.each([
    ['1760000001', 1_760_000_001_000],
    ['1760000001123', 1_760_000_001_123],
    ['2025-10-09T08:53:21Z', 1_760_000_001_000],
  ])('reads the time %s', (text, ms) => {
    expect(parseFills(trade({ match_time: undefined, matchtime: text }), ME)[0]?.matchedAtMs).toBe(
      ms,
    );
  });

  it.each([
    { status: 'SOMEWHERE' },
    { match_time: 'soon' },
    { size: 'ten' },
    { maker_orders: [maker({ price: '1' })] },
  ])('schema-drift: refuses %j', (change) => {
    expect(() => parseFills(trade(change), ME)).toThrowError(
      expect.objectContaining({ code: 'venue_protocol' }),
    );
  });
});

describe('an order', () => {
  it.each([
    ['LIVE', 'live', null],
    ['ORDER_STATUS_LIVE', 'live', null],
    ['delayed', 'delayed', null],
    ['UNMATCHED_no liquidity', 'unmatched', 'no liquidity'],
    ['CANCELED', 'cancelled', null],
    ['CANCELED_MARKET_RESOLVED', 'cancelled', 'MARKET_RESOLVED'],
    ['INVALID', 'cancelled', 'INVALID'],
  ])('with status %s is %s', (text, status, reason) => {
    expect(parseOrder({ id: '0x01', status: text, size_matched: '' })).toEqual({
      orderId: '0x01',
      status,
      matchedShares: 0,
      reason,
    });
  });

  it('schema-drift: with an unknown status is refused', () => {
    expect(() => parseOrder({ id: '0x01', status: 'PARKED', size_matched: '0' })).toThrowError(
      expect.objectContaining({ code: 'venue_protocol' }),
    );
  });
});

describe('numbers of the discovery and data interfaces', () => {
  it('become exact integers through their shortest text', () => {
    expect([
      scaledNumber(0.07, 6),
      scaledNumber(77_986.83, 8),
      microsOfNumber(12.3622),
      microsOfNumber(0.1 + 0.2),
      microsOfNumber(5),
    ]).toEqual([70_000, 7_798_683_000_000, 12_362_200, 300_000, 5_000_000]);
  });

  it('are null when negative, exponential or too large', () => {
    expect([
      microsOfNumber(-1),
      microsOfNumber(1e-7),
      microsOfNumber(1e21),
      microsOfNumber(Number.NaN),
    ]).toEqual([null, null, null, null]);
  });
});
