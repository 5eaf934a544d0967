import { describe, expect, it } from 'vitest';
import { parseEvent, parseMarket, readEvent, withCompact } from '../../../src/adapters/venue-a/gamma-parse.ts';
import { compactMarketSchema, gammaEventSchema, gammaMarketSchema } from '../../../src/adapters/venue-a/gamma-schema.ts';

const listing = (change: object = {}) => ({
  id: '7', conditionId: `0x${'ab'.repeat(32)}`, slug: 'will-it-rain', question: 'Will it rain?', outcomes: '["Yes","No"]', clobTokenIds: '["11","12"]', outcomePrices: '["0.5","0.5"]',
  active: true, closed: false, acceptingOrders: true, enableOrderBook: true, endDate: '2026-12-01T00:00:00Z', orderPriceMinTickSize: 0.01, orderMinSize: 5,
  feesEnabled: true, feeSchedule: { rate: 0.04, exponent: 1, takerOnly: true }, ...change,
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
  ])('with %s is refused: a wish would buy the other side', (_what, change) => {
    expect(() => parsed(change)).toThrowError(refusal);
  });

  it('keeps names of its own for its outcomes', () => {
    expect(parsed({ outcomes: '["Lakers","Celtics"]' })?.outcomes.map(({ label }) => label)).toEqual(['Lakers', 'Celtics']);
    expect(parsed({ slug: ROUND, outcomes: '["Up","Down"]' })?.window).not.toBeNull();
  });

  it('is refused for a fee no reservation could cover, and taken where there is no rate to it', () => {
    expect(() => parsed({ feeSchedule: { rate: 0.04, exponent: 0, takerOnly: true } })).toThrowError(refusal);
    expect(parsed({ feeSchedule: { rate: 0, exponent: 0, takerOnly: true } })?.fee).toEqual({ rateMicros: 0, exponent: 0, takerOnly: true });
    expect(() => parsed({ feeSchedule: { rate: 700, exponent: 1, takerOnly: true } })).toThrowError(refusal);
    const market = parsed({});
    expect(() => market !== null && withCompact(market, compactMarketSchema.parse({ mts: 0.01, mos: 5, fd: { r: 0.04, e: 0, to: true } }))).toThrowError(refusal);
  });
});

describe('an event', () => {
  it.each([
    ['a tick that is none', { orderPriceMinTickSize: 0.003 }],
    ['a size below nothing', { orderMinSize: -5 }],
    ['an end that is no time', { endDate: 'soon' }],
    ['outcomes the other way round', { outcomes: '["No","Yes"]' }],
    ['a tick that is text', { orderPriceMinTickSize: '0.01' }],
  ])('schema-drift: keeps its other markets beside one with %s', (_what, change) => {
    const event = gammaEventSchema.parse({ id: '1', markets: [listing({ id: '1' }), listing({ id: '2', ...change }), listing({ id: '3' })] });
    expect(parseEvent(event).markets.map(({ listingId }) => listingId)).toEqual(['1', '3']);
  });

  it.each([{ id: 1 }, { id: '1', endDate: 'soon' }, { id: '1', markets: 'none' }, [], 'event', null])('schema-drift: is left out of a list where it cannot be read: %j', (row) => {
    expect(readEvent(row)).toBeNull();
  });
});
