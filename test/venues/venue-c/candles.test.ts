import { describe, expect, it } from 'vitest';
import { VENUE_C } from '../../../config/limits/venue-c.ts';
import { asId, type MarketId } from '../../../src/domain/ids.ts';
import { createCandleSource } from '../../../src/venues/venue-c/candles.ts';
import { T0 } from '../../support/builders.ts';
import { aWire, SLUG, type Answer } from './wire.ts';

const MINUTE = 60_000;
const PATH = `/markets/${SLUG}/historical-price`;

function aSource(answer: Answer) {
  const { client, clock, asked } = aWire({ [PATH]: answer });
  const source = createCandleSource(client, clock);
  const candles = (change: object = {}) =>
    source.candles({
      bookId: asId<MarketId>(SLUG),
      periodMinutes: 60,
      fromMs: T0 - 120 * MINUTE,
      toMs: T0,
      ...change,
    });
  const queries = () => asked.map(({ path }) => new URLSearchParams(path.split('?')[1]));
  return { candles, queries, asked };
}

const points = (...prices: readonly (readonly [minutes: number, price: number])[]) =>
  prices.map(([minutes, price]) => ({ price, timestamp: T0 + minutes * MINUTE }));

describe('prices of venue_c over time', () => {
  it.each([
    ['a list of outcomes', (prices: object[]) => [{ title: 'Yes', prices }, { prices: [] }]],
    ['an object with data', (prices: object[]) => ({ data: [{ prices }] })],
    ['an object with prices', (prices: object[]) => ({ prices })],
  ])('are periods made of the prices within them, from %s', async (_form, formed) => {
    const given = points([0, 0.5], [-30, 0.6], [-45, 0.4], [-61, 0.3]);
    const { candles } = aSource(formed(given));
    expect((await candles())?.map(({ endsAtMs, trades }) => [endsAtMs - T0, trades])).toEqual([
      [-60 * MINUTE, { open: 3_000, high: 3_000, low: 3_000, close: 3_000 }],
      [0, { open: 4_000, high: 6_000, low: 4_000, close: 5_000 }],
    ]);
  });

  it('are asked for in steps that are no longer than a period', async () => {
    const { candles, queries } = aSource([{ prices: [] }]);
    for (const periodMinutes of [1, 5, 60, 1_440]) await candles({ periodMinutes });
    expect(queries().map((query) => query.get('interval'))).toEqual(['1h', '6h', '1d', '1m']);
    expect(queries()[0]?.get('to')).toBe(new Date(T0).toISOString());
  });

  it('are asked for again before the oldest of an answer, until nothing new comes', async () => {
    const answers = [points([-10, 0.5]), points([-70, 0.4]), points([-70, 0.4])];
    let calls = 0;
    const { candles, queries } = aSource(() => [{ prices: answers[(calls += 1) - 1] ?? [] }]);
    expect(await candles()).toHaveLength(2);
    expect(queries().map((query) => Date.parse(query.get('to') ?? '') - T0)).toEqual([
      0,
      -10 * MINUTE - 1,
      -70 * MINUTE - 1,
    ]);
  });

  it('are asked for so often at most', async () => {
    let calls = 0;
    const { candles, asked } = aSource(() => [{ prices: points([-(calls += 1), 0.5]) }]);
    await candles();
    expect(asked).toHaveLength(VENUE_C.historyReadsMaximum);
  });

  it('are none of a market that is not there, and not asked for by what is no slug', async () => {
    const { candles, asked } = aSource([404, { message: 'Market not found' }]);
    expect(await candles()).toBeNull();
    expect(await candles({ bookId: asId<MarketId>('../orders') })).toBeNull();
    expect(asked).toHaveLength(1);
  });

  it('leave out what cannot be read as a price of a moment', async () => {
    const prices = [
      { price: 'x', timestamp: T0 },
      { price: '0.4', timestamp: new Date(T0).toISOString() },
      { price: 1, timestamp: T0 - MINUTE },
    ];
    const { candles } = aSource([{ prices }]);
    expect(await candles()).toMatchObject([{ endsAtMs: T0, trades: { open: 4_000 } }]);
  });
});
