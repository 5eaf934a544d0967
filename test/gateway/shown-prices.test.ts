import { beforeEach, describe, expect, it } from 'vitest';
import { createShownPrices, type ShownPrices } from '../../src/gateway/shown-prices.ts';

describe('what a client was shown of books and prices', () => {
  let nowMs = 0;
  let shown: ShownPrices;
  beforeEach(() => {
    nowMs = 1_000;
    shown = createShownPrices(() => nowMs);
  });

  const hear = (topic: string, more: object): void =>
    shown.hear(
      JSON.stringify({
        topic,
        kind: 'change',
        epoch: 9,
        seq: 3,
        ageMs: 40,
        trusted: true,
        ...more,
      }),
    );
  const distrust = (...topics: readonly string[]): readonly unknown[] =>
    shown.distrust(new Set(topics)).map((text) => JSON.parse(text));

  it('is taken back by the next change, as old as it is by now, once', () => {
    hear('prices:BTC', { data: { price: '90000', source: 'exchange', sourceAtMs: 1 } });
    nowMs += 2_500;
    expect(distrust('prices:BTC')).toEqual([
      {
        topic: 'prices:BTC',
        kind: 'change',
        epoch: 9,
        seq: 4,
        ageMs: 2_540,
        trusted: false,
        data: { price: null, source: 'exchange', sourceAtMs: 1 },
      },
    ]);
    expect(distrust('prices:BTC')).toEqual([]);
  });

  it('is the price of a market as it was, with why it is in doubt', () => {
    hear('prices:venue_c:a', { data: { yes: '0.4', no: '0.6', distrust: null } });
    expect(distrust('prices:venue_c:a')).toMatchObject([
      { trusted: false, data: { yes: '0.4', no: '0.6', distrust: 'disconnected' } },
    ]);
  });

  it('leaves out what is in doubt already, has ended, is the client’s own, or was left', () => {
    hear('orderbook:venue_a:1', { data: { venueAtMs: 1 } });
    hear('orderbook:venue_a:1', { seq: 4, trusted: false, data: { venueAtMs: 1 } });
    hear('orderbook:venue_a:2', { data: { venueAtMs: 1 } });
    hear('orderbook:venue_a:2', { seq: 4, kind: 'ended', data: { reason: 'closed' } });
    hear('orders', { data: {} });
    hear('orderbook:venue_a:3', { data: { venueAtMs: 1 } });
    expect(distrust('orderbook:venue_a:1', 'orderbook:venue_a:2', 'orders')).toEqual([]);
  });
});
