import { describe, expect, it } from 'vitest';
import { asId, type MarketId } from '../../../src/domain/ids.ts';
import { createCandleSource } from '../../../src/venues/venue-b/candles.ts';
import { aWire, TICKER } from './wire.ts';

const bar = (price: string) => ({
  open_dollars: price,
  high_dollars: price,
  low_dollars: price,
  close_dollars: price,
});
const ticks = (price: number) => ({
  open: price,
  high: price,
  low: price,
  close: price,
});
const QUERY = {
  bookId: asId<MarketId>(TICKER),
  periodMinutes: 60,
  fromMs: 3_600_000,
  toMs: 10_800_000,
};

describe('candles of venue_b', () => {
  it('are relayed oldest first; a period without trades has quotes and no price', async () => {
    const { client, asked } = aWire({
      [`/api/v1/market/${TICKER}/candlesticks`]: {
        ticker: TICKER,
        candlesticks: [
          {
            end_period_ts: 10_800,
            yes_bid: bar('0.0000'),
            yes_ask: bar('0.9900'),
            price: { previous_dollars: '0.4000' },
            volume_fp: '0.00',
            open_interest_fp: '7.00',
          },
          { end_period_ts: 7_200, price: bar('0.4100'), volume_fp: '3.50' },
        ],
      },
    });
    expect(await createCandleSource(client).candles(QUERY)).toEqual([
      {
        endsAtMs: 7_200_000,
        trades: ticks(4_100),
        bid: null,
        ask: null,
        volume: 3_500_000,
        openInterest: 0,
      },
      {
        endsAtMs: 10_800_000,
        trades: null,
        bid: null,
        ask: ticks(9_900),
        volume: 0,
        openInterest: 7_000_000,
      },
    ]);
    expect(asked.map(({ path }) => path)).toEqual([
      `/market/${TICKER}/candlesticks?startTs=3600&endTs=10800&periodInterval=60`,
    ]);
  });
});
