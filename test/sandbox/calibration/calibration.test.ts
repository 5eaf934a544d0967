import { describe, expect, it } from 'vitest';
import {
  AGAINST_BTC,
  BOOKS,
  BTC_MOVES,
  EXCHANGE_BASIS,
  MIRROR_DELAY_MS,
} from '../../../src/sandbox/calibration/calibration.ts';
import { fitBooks } from '../../support/recordings/book-fit.ts';
import { fitAgainstLeader, fitBasis, fitMoves } from '../../support/recordings/price-fit.ts';
import {
  bookSamples,
  candleCloses,
  sessionPairs,
  settlementDelays,
  settlementTicks,
} from '../../support/recordings/recorded-figures.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';

const ticks = ['2026-06-08', '2026-07-24-0000-0800']
  .map((day) => sharedData(`data/venue_a-btc5m-settlement/chainlink-btcusd-${day}.csv.gz`))
  .filter((path) => path !== null);
const candles = ['btc', 'eth', 'sol']
  .map((asset) => sharedData(`data/prices/${asset}-usd-5m-2026-01-20--03-21.csv.gz`))
  .filter((path) => path !== null);
const session = sharedData('data/venue_a-btc5m-sessions/btc-updown-5m-1777108200.jsonl.gz');
const books = sharedData('data/venue_a-btc5m-books/changes');

describe.runIf(ticks.length === 2)('figures of the settlement feed', () => {
  it('are those of the recorded ticks', () => {
    expectNear(fitMoves(ticks.map(settlementTicks)), BTC_MOVES);
  });

  it('hold the delay of the mirror', () => {
    const delays = ticks.flatMap(settlementDelays).sort((a, b) => a - b);
    expect(delays[Math.floor(delays.length / 2)]).toBe(MIRROR_DELAY_MS);
  });
});

describe.runIf(candles.length === 3)('figures of ETH and SOL against BTC', () => {
  it('are those of the recorded candles', () => {
    const [btc, eth, sol] = candles.map(candleCloses);
    expectNear(
      {
        BTC: fitAgainstLeader(btc ?? new Map(), btc ?? new Map(), 300),
        ETH: fitAgainstLeader(btc ?? new Map(), eth ?? new Map(), 300),
        SOL: fitAgainstLeader(btc ?? new Map(), sol ?? new Map(), 300),
      },
      AGAINST_BTC,
    );
  });
});

describe.runIf(session !== null)('figures of the exchange basis', () => {
  it('are those of the recorded session', () => {
    expectNear(fitBasis(sessionPairs(session ?? '')), EXCHANGE_BASIS);
  });
});

describe.runIf(books !== null)('figures of the books', () => {
  it('are those of the recorded books', () => {
    expectNear(fitBooks(bookSamples(books ?? '')), BOOKS);
  });
});

/**
 * Same shape, every number within half a percent or half a thousandth: the written figures are
 * rounded.
 */
function expectNear(found: unknown, written: unknown): void {
  if (typeof found === 'number' && typeof written === 'number') {
    expect(Math.abs(found - written)).toBeLessThanOrEqual(
      Math.max(Math.abs(written) * 0.005, 0.0005),
    );
    return;
  }
  const [left, right] = [Object.entries(found ?? {}), Object.entries(written ?? {})];
  expect(left.map(([key]) => key)).toEqual(right.map(([key]) => key));
  left.forEach(([, value], index) => expectNear(value, right[index]?.[1]));
}
