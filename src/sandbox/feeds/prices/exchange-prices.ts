import type { Asset } from '../../../domain/ids.ts';
import { EXCHANGE_BASIS, EXCHANGE_LEAD_SECONDS } from '../../calibration/calibration.ts';
import { hashedNormal, hashedUniform } from '../../hashed-chance.ts';
import { ASSETS, type SettlementPrices } from './settlement-prices.ts';

/** Milliseconds between two states of the exchange's top of book. */
export const EXCHANGE_SLOT_MS = 250;

/** Best prices of the exchange in one slot, in cents. */
interface BestPrices {
  readonly bidCents: number;
  readonly askCents: number;
}

/**
 * Top of the exchange's book in one slot: prices in cents, quantities in hundred-thousandths of a
 * coin.
 */
interface ExchangeQuote extends BestPrices {
  readonly slot: number;
  readonly bidQuantity: number;
  readonly askQuantity: number;
}

/** The trade of one second. */
interface ExchangeTrade {
  readonly second: number;
  readonly cents: number;
  readonly quantity: number;
  readonly buyerIsMaker: boolean;
}

/** One candle made of the trades of its seconds. */
export interface Candle {
  readonly startSecond: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly quantity: number;
  /** Sum of price times quantity, in cents times hundred-thousandths. */
  readonly turnover: number;
  readonly takerBuyQuantity: number;
  readonly takerBuyTurnover: number;
  readonly trades: number;
}

/** The exchange: it leads the settlement feed and differs from it by a wandering basis. */
export interface ExchangePrices {
  quote(asset: Asset, slot: number): ExchangeQuote | null;
  /** The prices of `quote` without its quantities, which cost as much again. */
  best(asset: Asset, slot: number): BestPrices | null;
  /**
   * The first slot from this one on whose prices are published without being asked for; every one
   * unless stated: an exchange publishes less often while it has no trades.
   */
  knownFrom?(slot: number): number;
  trade(asset: Asset, second: number): ExchangeTrade | null;
  /**
   * The candle from `startSecond` over `seconds`, of trades up to `untilSecond`; null without any.
   */
  candle(asset: Asset, startSecond: number, seconds: number, untilSecond: number): Candle | null;
}

const BASIS_STREAM = 200;
const NOISE_STREAM = 210;
const QUANTITY_STREAM = 220;
const BASIS_KNOT_MS = 60_000;
/** A fifth of a basis point: the bounce of a top of book that does not move. */
const NOISE = 0.000_01;

/** Makes the exchange around a settlement feed. */
export function createExchangePrices(seed: number, settlement: SettlementPrices): ExchangePrices {
  function middle(asset: Asset, slot: number): number | null {
    const atMs = slot * EXCHANGE_SLOT_MS;
    const ahead = atMs / 1000 + EXCHANGE_LEAD_SECONDS;
    const second = Math.floor(ahead);
    const from = settlement.valueAt(asset, second);
    if (from === null) return null;
    const to = settlement.valueAt(asset, second + 1) ?? from;
    const noise = NOISE * hashedNormal(seed, NOISE_STREAM + ASSETS.indexOf(asset), slot);
    return (from + (to - from) * (ahead - second)) * Math.exp(basis(seed, asset, atMs) + noise);
  }

  function best(asset: Asset, slot: number): BestPrices | null {
    const price = middle(asset, slot);
    return price === null ? null : bestAround(price);
  }

  function quote(asset: Asset, slot: number): ExchangeQuote | null {
    const price = middle(asset, slot);
    if (price === null) return null;
    const stream = QUANTITY_STREAM + ASSETS.indexOf(asset) * 2;
    return {
      slot,
      ...bestAround(price),
      bidQuantity: quantity(seed, stream, slot, price),
      askQuantity: quantity(seed, stream + 1, slot, price),
    };
  }

  function trade(asset: Asset, second: number): ExchangeTrade | null {
    const top = quote(asset, (second * 1000) / EXCHANGE_SLOT_MS);
    if (top === null) return null;
    const buyerIsMaker =
      hashedUniform(seed, QUANTITY_STREAM + 10 + ASSETS.indexOf(asset), second) < 0.5;
    return {
      second,
      buyerIsMaker,
      cents: buyerIsMaker ? top.bidCents : top.askCents,
      quantity: buyerIsMaker ? top.bidQuantity : top.askQuantity,
    };
  }

  function candle(
    asset: Asset,
    startSecond: number,
    seconds: number,
    untilSecond: number,
  ): Candle | null {
    let made: Candle | null = null;
    for (
      let second = startSecond;
      second < startSecond + seconds && second <= untilSecond;
      second += 1
    ) {
      const next = trade(asset, second);
      if (next !== null) made = withTrade(made, startSecond, next);
    }
    return made;
  }

  return { quote, best, trade, candle };
}

function bestAround(price: number): BestPrices {
  const bidCents = Math.floor(price * 100);
  return { bidCents, askCents: bidCents + 1 };
}

function withTrade(
  before: Candle | null,
  startSecond: number,
  { cents, quantity: traded, buyerIsMaker }: ExchangeTrade,
): Candle {
  const candle = before ?? {
    startSecond,
    open: cents,
    high: cents,
    low: cents,
    close: cents,
    quantity: 0,
    turnover: 0,
    takerBuyQuantity: 0,
    takerBuyTurnover: 0,
    trades: 0,
  };
  const taken = buyerIsMaker ? 0 : traded;
  return {
    startSecond,
    open: candle.open,
    high: Math.max(candle.high, cents),
    low: Math.min(candle.low, cents),
    close: cents,
    quantity: candle.quantity + traded,
    turnover: candle.turnover + cents * traded,
    takerBuyQuantity: candle.takerBuyQuantity + taken,
    takerBuyTurnover: candle.takerBuyTurnover + cents * taken,
    trades: candle.trades + 1,
  };
}

/** The basis wanders between a fresh value each minute. */
function basis(seed: number, asset: Asset, atMs: number): number {
  const knot = Math.floor(atMs / BASIS_KNOT_MS);
  const stream = BASIS_STREAM + ASSETS.indexOf(asset);
  const from = hashedNormal(seed, stream, knot);
  const to = hashedNormal(seed, stream, knot + 1);
  return (
    EXCHANGE_BASIS.mean +
    EXCHANGE_BASIS.spread * (from + (to - from) * (atMs / BASIS_KNOT_MS - knot))
  );
}

/**
 * About twenty thousand dollars at the top, log-normal: a deep pair. Not calibrated; nothing here
 * decides on it.
 */
function quantity(seed: number, stream: number, slot: number, price: number): number {
  return Math.max(
    1,
    Math.round((20_000 / price) * 100_000 * Math.exp(hashedNormal(seed, stream, slot))),
  );
}
