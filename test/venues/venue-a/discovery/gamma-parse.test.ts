import { describe, expect, it } from 'vitest';
import { LISTING } from '../../../../config/limits/listing.ts';
import {
  parseListedEvent,
  readListedEvent,
  readListing,
} from '../../../../src/venues/venue-a/discovery/gamma-listing.ts';
import { parseMarket, withCompact } from '../../../../src/venues/venue-a/discovery/gamma-parse.ts';
import {
  compactMarketSchema,
  gammaMarketSchema,
} from '../../../../src/venues/venue-a/discovery/gamma-schema.ts';

const listing = (change: object = {}) => ({
  id: '7',
  conditionId: `0x${'ab'.repeat(32)}`,
  slug: 'will-it-rain',
  question: 'Will it rain?',
  outcomes: '["Yes","No"]',
  clobTokenIds: '["11","12"]',
  version: 'v1',
  outcomePrices: '["0.5","0.5"]',
  active: true,
  closed: false,
  acceptingOrders: true,
  enableOrderBook: true,
  endDate: '2026-12-01T00:00:00Z',
  orderPriceMinTickSize: 0.01,
  orderMinSize: 5,
  feesEnabled: true,
  feeSchedule: { rate: 0.04, exponent: 1, takerOnly: true },
  ...change,
});
const parsed = (change: object) => parseMarket(gammaMarketSchema.parse(listing(change)), null);
const ROUND = 'btc-updown-5m-1782287400';
const refusal = expect.objectContaining({ code: 'venue_protocol' });

describe('a listing', () => {
  it.each([
    ['No before Yes', { outcomes: '["No","Yes"]' }],
    ['Down before Up in a round', { slug: ROUND, outcomes: '["Down","Up"]' }],
    ['other words than Up and Down in a round', { slug: ROUND, outcomes: '["Long","Short"]' }],
    ['one token for both outcomes', { clobTokenIds: '["11","11"]' }],
    ['one token for both outcomes, written in two ways', { clobTokenIds: '["11","011"]' }],
    ['a token that is no number', { clobTokenIds: '["11","0x12"]' }],
  ])('with %s is refused: a request would buy the other side', (_what, change) => {
    expect(() => parsed(change)).toThrowError(refusal);
  });

  it('keeps names of its own for its outcomes', () => {
    expect(
      parsed({ outcomes: '["Lakers","Celtics"]' })?.outcomes.map(({ label }) => label),
    ).toEqual(['Lakers', 'Celtics']);
    expect(parsed({ slug: ROUND, outcomes: '["Up","Down"]' })?.window).not.toBeNull();
  });

  it('is traded where it is of version "v1" of the exchange', () => {
    const market = parsed({});
    expect([market?.acceptingOrders, market?.notTradeable]).toEqual([true, undefined]);
  });

  it.each([
    [
      'of version "v2", with both id fields',
      { version: 'v2', positionIds: ['21', '22'] },
      ['21', '22'],
      /version "v2"/,
    ],
    [
      'of version "v2", with its positions alone',
      { version: 'v2', positionIds: ['21', '22'], clobTokenIds: null },
      ['21', '22'],
      /version "v2"/,
    ],
    ['of a version that is not known', { version: 'v3' }, ['11', '12'], /version "v3"/],
    ['of a version that is a number', { version: 1 }, ['11', '12'], /version "1"/],
    [
      'of a version that is a book',
      { version: 'x'.repeat(9_999) },
      ['11', '12'],
      /version "x{19}…"/,
    ],
    ['without a version', { version: undefined }, ['11', '12'], /does not say which version/],
    ['with a version that is null', { version: null }, ['11', '12'], /does not say which version/],
  ])('%s is listed and not traded', (_what, change, tokens, reason) => {
    const market = readListing(listing(change))?.market;
    expect(market).toMatchObject({
      acceptingOrders: false,
      notTradeable: expect.stringMatching(reason) as string,
    });
    expect(market?.outcomes.map(({ tokenId }) => tokenId)).toEqual(tokens);
  });

  it('is refused for a fee no reservation could cover, and taken where there is no rate to it', () => {
    expect(() =>
      parsed({ feeSchedule: { rate: 0.04, exponent: 0, takerOnly: true } }),
    ).toThrowError(refusal);
    expect(parsed({ feeSchedule: { rate: 0, exponent: 0, takerOnly: true } })?.fee).toEqual({
      rateMicros: 0,
      exponent: 0,
      takerOnly: true,
    });
    expect(() => parsed({ feeSchedule: { rate: 700, exponent: 1, takerOnly: true } })).toThrowError(
      refusal,
    );
    const market = parsed({});
    expect(
      () =>
        market !== null &&
        withCompact(
          market,
          compactMarketSchema.parse({ mts: 0.01, mos: 5, fd: { r: 0.04, e: 0, to: true } }),
        ),
    ).toThrowError(refusal);
  });
});

describe('an event', () => {
  it.each([
    ['an invalid tick', { orderPriceMinTickSize: 0.003 }],
    ['a size below nothing', { orderMinSize: -5 }],
    ['an end that is no time', { endDate: 'soon' }],
    ['outcomes the other way round', { outcomes: '["No","Yes"]' }],
    ['a tick that is text', { orderPriceMinTickSize: '0.01' }],
  ])('schema-drift: keeps its other markets beside one with %s', (_what, change) => {
    const event = {
      id: '1',
      markets: [listing({ id: '1' }), listing({ id: '2', ...change }), listing({ id: '3' })],
    };
    expect(parseListedEvent(event).markets.map(({ market }) => market.listingId)).toEqual([
      '1',
      '3',
    ]);
  });

  it.each([
    { id: 1 },
    { id: '1', endDate: 'soon' },
    { id: '1', markets: 'none' },
    [],
    'event',
    null,
  ])('schema-drift: is left out of a list where it cannot be read: %j', (row) => {
    expect(readListedEvent(row)).toBeNull();
  });
});

describe('what is only shown of a listing', () => {
  const STATED = {
    bestBid: 0.41,
    bestAsk: 0.43,
    lastTradePrice: 0.4,
    outcomePrices: '["0.42","0.58"]',
    updatedAt: '2026-11-01T10:00:00Z',
  };
  const prices = (change: object) => readListing(listing({ ...STATED, ...change }))?.prices;

  it('has prices with the time the venue stated them, and none where it does not say when', () => {
    expect(prices({})).toEqual({
      bid: 4_100,
      ask: 4_300,
      last: 4_000,
      probabilityE5: 42_000,
      statedAtMs: Date.UTC(2026, 10, 1, 10),
    });
    expect([
      prices({ updatedAt: null }),
      prices({ updatedAt: 'today' }),
      prices({ closed: true }),
    ]).toEqual([null, null, null]);
  });

  it.each([
    ['an empty side', { bestBid: 0, bestAsk: 1 }, { bid: null, ask: null }],
    [
      'prices that are text',
      { bestBid: '0.4', lastTradePrice: {} },
      { bid: null, ask: 4_300, last: null },
    ],
    [
      'chances that add up to no dollar',
      { outcomePrices: '["0.9","0.9"]' },
      { probabilityE5: null },
    ],
    [
      'a chance of many decimals',
      { outcomePrices: '["0.123456789","0.876543211"]' },
      { probabilityE5: 12_345 },
    ],
  ])('makes no price up of %s', (_what, change, expected) => {
    expect(prices(change)).toMatchObject(expected);
  });

  it('says how it ended and when, and nothing while it is only closed', () => {
    const ending = (change: object) => readListing(listing({ closed: true, ...change }))?.ending;
    expect(ending({ outcomePrices: '["0","1"]', closedTime: '2026-11-02 03:04:05+00' })).toEqual({
      winner: 1,
      payoutTicks: [0, 10_000],
      resolvedAtMs: Date.UTC(2026, 10, 2, 3, 4, 5),
    });
    expect(ending({ outcomePrices: '["0.5","0.5"]', umaResolutionStatus: 'resolved' })).toEqual({
      winner: null,
      payoutTicks: [5_000, 5_000],
      resolvedAtMs: null,
    });
    expect([
      ending({ outcomePrices: '["0.5","0.5"]' }),
      ending({ outcomePrices: '["0.97","0.03"]' }),
    ]).toEqual([null, null]);
  });

  it('never hides the market: what has another shape is left out', () => {
    const odd = readListing(
      listing({
        description: 7,
        image: 'javascript:alert(1)',
        icon: 'http://127.0.0.1/x.png',
        tags: 'none',
        groupItemTitle: [],
        startDate: 'then',
        volume24hr: '1',
      }),
    );
    expect(odd).toMatchObject({
      market: { slug: 'will-it-rain' },
      description: '',
      imageUrl: null,
      iconUrl: null,
      tags: [],
      series: null,
      groupTitle: null,
      opensAtMs: null,
      volume24hUsd: null,
      firstBuyCost: null,
    });
  });

  it.each([
    [true, { negRisk: true }],
    [false, { negRisk: false }],
    [false, {}],
  ])('is one of an event of which one pays (%s) where it shares its collateral', (is, change) => {
    expect(readListing(listing(change))).toMatchObject({
      isOneOfEvent: is,
      market: { own: { negRisk: is } },
    });
  });

  it('is plain text and bounded', () => {
    const long = readListing(
      listing({
        description: `Rules\u202e:\r\n\r\n${'x'.repeat(9_000)}`,
        tags: Array.from({ length: 90 }, (_, index) => ({ slug: `t${index}`, label: 'T' })),
      }),
    );
    expect([
      long?.description.startsWith('Rules:\nxxx'),
      long?.description.length,
      long?.tags.length,
    ]).toEqual([true, LISTING.rulesMaximumChars, LISTING.tagsMaximum]);
  });
});
