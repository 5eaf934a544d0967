import { describe, expect, it } from 'vitest';
import type { HttpOutcome } from '../../../src/adapters/wire/http-calls.ts';
import { asId, type TokenId } from '../../../src/domain/ids.ts';
import { createCandleSource } from '../../../src/venues/venue-a/candles.ts';
import type { VenueCall } from '../../../src/venues/venue-a/client.ts';

const HOUR_MS = 3_600_000;
const QUERY = {
  bookId: asId<TokenId>('42'),
  periodMinutes: 60,
  fromMs: 10 * HOUR_MS,
  toMs: 12 * HOUR_MS,
};
const flat = (ticks: number) => ({ open: ticks, high: ticks, low: ticks, close: ticks });
const unreported = { bid: null, ask: null, volume: null, openInterest: null };

function answering(status: number, body: unknown) {
  const asked: VenueCall[] = [];
  const outcome: HttpOutcome = {
    kind: 'answered',
    status,
    text: JSON.stringify(body),
    retryAfterMs: null,
  };
  const source = createCandleSource({
    async call(call) {
      asked.push(call);
      return outcome;
    },
    read: () => Promise.reject(new Error('not asked for here')),
    inLane: () => expect.unreachable(),
    close: async () => undefined,
  });
  return { source, asked };
}

describe('prices of a token over time', () => {
  it('are the prices within each period that ends in the span, one of a minute for an hour', async () => {
    const at = (hour: number, minute: number, p: number) => ({ t: hour * 3_600 + minute * 60, p });
    const { source, asked } = answering(200, {
      history: [
        at(9, 0, 0.9),
        at(11, 30, 0.405),
        at(9, 10, 0.5),
        at(9, 20, 0.62),
        at(9, 40, 0.4812),
        at(10, 0, 0.55),
        at(11, 31, 0),
        at(11, 32, 1),
        at(12, 1, 0.7),
      ],
    });
    expect(await source.candles(QUERY)).toEqual([
      {
        endsAtMs: 10 * HOUR_MS,
        trades: { open: 5_000, high: 6_200, low: 4_812, close: 5_500 },
        ...unreported,
      },
      { endsAtMs: 12 * HOUR_MS, trades: flat(4_050), ...unreported },
    ]);
    expect(asked).toEqual([
      {
        family: 'public',
        method: 'GET',
        path: '/prices-history',
        query: { market: '42', startTs: '32400', endTs: '43200', fidelity: '1' },
      },
    ]);
  });

  it.each([
    [1, '1'],
    [15, '1'],
    [1_440, '24'],
  ])('of %d minutes are asked for at every %s minutes', async (periodMinutes, fidelity) => {
    const { source, asked } = answering(200, { history: [] });
    expect(await source.candles({ ...QUERY, periodMinutes })).toEqual([]);
    expect(asked[0]?.query?.['fidelity']).toBe(fidelity);
  });

  it('are null of a token the venue does not know, and no periods of what has another form', async () => {
    expect(await answering(400, { error: 'Invalid market' }).source.candles(QUERY)).toBeNull();
    expect(await answering(404, { error: 'none' }).source.candles(QUERY)).toBeNull();
    for (const [status, body] of [
      [400, { error: 'invalid time range' }],
      [200, { history: [{ t: 'noon', p: 0.5 }] }],
      [200, []],
    ] as const)
      await expect(answering(status, body).source.candles(QUERY)).rejects.toMatchObject({
        code: 'venue_protocol',
      });
  });
});
