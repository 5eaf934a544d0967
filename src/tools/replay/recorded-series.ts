import { REPLAY } from '../../../config/limits/replay.ts';
import {
  EXCHANGE_SLOT_MS,
  type ExchangePrices,
} from '../../sandbox/feeds/prices/exchange-prices.ts';
import { toUsd, type SettlementPrices } from '../../sandbox/feeds/prices/settlement-prices.ts';

/** How far back the newest tick may lie to stand for a second, in seconds. */
const TICK_KEPT_SECONDS = 120;

/** BTC settlement prices from ticks by second; holes stay holes, and there is no other asset. */
export function settlementFromTicks(ticks: ReadonlyMap<number, bigint>): SettlementPrices {
  return {
    at: (asset, second) => (asset === 'BTC' ? (ticks.get(second) ?? null) : null),
    valueAt(asset, second) {
      if (asset !== 'BTC') return null;
      for (let back = 0; back <= TICK_KEPT_SECONDS; back += 1) {
        const tick = ticks.get(second - back);
        if (tick !== undefined) return toUsd(tick);
      }
      return null;
    },
  };
}

/** A recorded exchange price. */
export interface ExchangeRow {
  readonly atMs: number;
  readonly cents: number;
}

/**
 * BTC exchange prices from rows in order of time: each holds until the next one, or until it is too
 * old. Quantities were not recorded.
 */
export function exchangeFromRows(rows: readonly ExchangeRow[]): ExchangePrices {
  const centsAt = (atMs: number): number | null => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle]?.atMs ?? Infinity) <= atMs) low = middle + 1;
      else high = middle;
    }
    const row = rows[low - 1];
    return row === undefined || atMs - row.atMs > REPLAY.quoteKeptMs ? null : row.cents;
  };
  const trade: ExchangePrices['trade'] = (asset, second) => {
    const cents = asset === 'BTC' ? centsAt(second * 1_000) : null;
    return cents === null ? null : { second, cents, quantity: 0, buyerIsMaker: false };
  };
  const best: ExchangePrices['best'] = (asset, slot) => {
    const cents = asset === 'BTC' ? centsAt(slot * EXCHANGE_SLOT_MS) : null;
    return cents === null ? null : { bidCents: cents - 1, askCents: cents + 1 };
  };
  return {
    trade,
    best,
    quote(asset, slot) {
      const prices = best(asset, slot);
      return prices === null ? null : { slot, ...prices, bidQuantity: 0, askQuantity: 0 };
    },
    candle(asset, startSecond, seconds, untilSecond) {
      const made = [];
      for (
        let second = startSecond;
        second < startSecond + seconds && second <= untilSecond;
        second += 1
      ) {
        const next = trade(asset, second);
        if (next !== null) made.push(next.cents);
      }
      const [open] = made;
      const close = made.at(-1);
      if (open === undefined || close === undefined) return null;
      return {
        startSecond,
        open,
        high: Math.max(...made),
        low: Math.min(...made),
        close,
        quantity: 0,
        turnover: 0,
        takerBuyQuantity: 0,
        takerBuyTurnover: 0,
        trades: made.length,
      };
    },
  };
}
