import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';

/** Start of the made-up day, 2026-06-09: one that nothing was chosen on. */
export const DAY_SECONDS = 1_780_963_200;
const ROUNDS = 30;

/**
 * Writes a small made-up data folder with the sets the report reads. The same seed writes the same
 * bytes.
 */
export function writeSmallData(root: string, seed = 1): void {
  const random = createSeededRandom(`small data ${seed}`);
  const prices = walk(random.integer, ROUNDS * 300 + 1);
  const rounds = Array.from({ length: ROUNDS }, (_value, index) => ({
    start: DAY_SECONDS + index * 300,
    open: prices[index * 300] ?? 0,
    close: prices[(index + 1) * 300] ?? 0,
  }));
  const write = (set: string, name: string, lines: readonly string[]): void => {
    mkdirSync(join(root, set), { recursive: true });
    writeFileSync(join(root, set, name), gzipSync(`${lines.join('\n')}\n`));
  };
  const usd = (cents: number): string => (cents / 100).toFixed(2);
  write('venue_a-btc5m-settlement', 'chainlink-btcusd-small.csv.gz', [
    'feed_ts_ms,value_e18,server_ts_ms,recv_ms',
    ...prices.map(
      (cents, second) =>
        `${(DAY_SECONDS + second) * 1_000},${cents}0000000000000000,${(DAY_SECONDS + second) * 1_000 + 900},${(DAY_SECONDS + second) * 1_000 + 1_100}`,
    ),
  ]);
  write(
    'venue_a-btc5m-settlement',
    'markets-small.jsonl.gz',
    rounds.map(({ start, open, close }) =>
      JSON.stringify({
        slug: `btc-updown-5m-${start}`,
        start_sec: start,
        end_sec: start + 300,
        resolved: true,
        outcome_prices: close >= open ? ['1', '0'] : ['0', '1'],
        strike_value: `${open}0000000000000000`,
      }),
    ),
  );
  write('venue_a-updown-outcomes', 'btc-5m-late-window-books-small.csv.gz', [
    'slug,start,offset_s,t_s,open_spot,spot,up_bid,up_ask,up_bid_depth,up_ask_depth,up_vwap5,up_vwap20,up_vwap50,down_bid,down_ask,down_bid_depth,down_ask_depth,down_vwap5,down_vwap20,down_vwap50,winner',
    ...rounds.flatMap(({ start, open, close }, index) =>
      [120, 90, 60, 45, 30, 20, 10].map((left) => {
        const spot = prices[index * 300 + 300 - left] ?? 0;
        const up = Math.min(95, Math.max(5, 50 + Math.round((spot - open) / 100)));
        const quotes = [up - 1, up + 1, up + 1, 100 - up - 1, 100 - up + 1, 100 - up + 1].map(usd);
        return [
          `btc-updown-5m-${start}`,
          start,
          left,
          -left + 0.5,
          usd(open),
          usd(spot),
          quotes[0],
          quotes[1],
          100,
          100,
          quotes[2],
          quotes[2],
          quotes[2],
          quotes[3],
          quotes[4],
          100,
          100,
          quotes[5],
          quotes[5],
          quotes[5],
          close >= open ? 'up' : 'down',
        ].join(',');
      }),
    ),
  ]);
  write('prices', 'btc-usd-5m-small.csv.gz', [
    'ts,open,high,low,close',
    ...rounds.map(
      ({ start, open, close }) => `${start},${usd(open)},${usd(open)},${usd(open)},${usd(close)}`,
    ),
  ]);
  write('venue_a-updown-outcomes', 'btc-15m-outcomes-small.csv.gz', [
    'slug,start,binance_strike,resolution',
    ...rounds
      .filter(({ start }) => start % 900 === 0)
      .map(({ start, open }) => `btc-updown-15m-${start},${start},${usd(open)},up`),
  ]);
  const quarters = ['BTC', 'ETH', 'SOL'].flatMap((coin) =>
    Array.from({ length: ROUNDS / 3 }, (_value, index) => {
      const close = DAY_SECONDS + (index + 1) * 900;
      return {
        coin,
        close,
        ticker: `KX${coin}15M-${close}`,
        open: prices[index * 900] ?? 0,
        end: prices[(index + 1) * 900] ?? 0,
        bid: 45 + random.integer(10),
      };
    }),
  );
  write('venue_b-15m-results', 'windows.csv.gz', [
    'ticker,coin,close_ts,index_open,index_close,result,volume',
    ...quarters.map(
      ({ ticker, coin, close, open, end }) =>
        `${ticker},${coin},${close},${usd(open)},${usd(end)},${end >= open ? 'yes' : 'no'},1`,
    ),
  ]);
  write('venue_b-15m-results', 'favourite-quotes.csv.gz', [
    'ticker,coin,close_ts,minutes_left,side,bid,ask,volume_so_far,won',
    ...quarters.map(
      ({ ticker, coin, close, bid }) =>
        `${ticker},${coin},${close},14.0,no,${usd(bid)},${usd(bid + 1)},1,1`,
    ),
  ]);
  write('venue_a-us-quotes', 'markets.csv.gz', [
    'slug,question,category,first_ts,last_ts,resolved_yes,label_source',
    `a-b-c,"Will it, or not?",climate,1,2,1,api`,
    'a-b-d,Other,climate,1,2,0,api',
    's-p-o,Game,sports,1,2,1,api',
  ]);
  write('venue_a-us-quotes', 'quotes-2026-07-11.csv.gz', [
    't,slug,bid,ask,volume24hr',
    `${DAY_SECONDS},a-b-c,0.95,0.97,5000`,
    `${DAY_SECONDS},s-p-o,0.95,0.97,5000`,
    `${DAY_SECONDS + 60},a-b-d,0.96,0.97,900`,
    `${DAY_SECONDS + 120},a-b-d,0.96,0.97,1200`,
    `${DAY_SECONDS + 180},a-b-d,0.5,0.6,1200`,
  ]);
}

function walk(integer: (bound: number) => number, steps: number): readonly number[] {
  const prices: number[] = [];
  let cents = 6_500_000;
  for (let step = 0; step < steps; step += 1) {
    prices.push(cents);
    cents += integer(801) - 400;
  }
  return prices;
}
