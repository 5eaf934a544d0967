import { assetPriceE8, type AssetPriceE8 } from '../../domain/units.ts';
import { assetPriceFromDecimal } from '../wire/asset-price.ts';

/** A trade further from the mid than this contradicts it, in millionths: half of a percent. */
const CONTRADICTION_MICROS = 5_000;

/** What happened to a quote: its mid, or why it gives none. */
type MidPrice =
  | { readonly kind: 'mid'; readonly price: AssetPriceE8 }
  | { readonly kind: 'dropped'; readonly reason: 'repeated' | 'malformed' | 'contradicted' };

/** State of one symbol's quotes and trades: the fold behind the exchange price. */
export interface SymbolPrices {
  /** Takes a best bid and ask; gives the middle, cut to 10^-8 USD. */
  quote(updateId: number, bid: string, ask: string, nowMs: number): MidPrice;
  /**
   * Takes a trade: checks quotes and tells how late the stream is. False when it is out of order or
   * malformed.
   */
  trade(tradeId: number, price: string, eventAtMs: number, nowMs: number): boolean;
  /**
   * How long ago the exchange sent what arrives now, by the newest trade; 0 without a recent one.
   */
  lagMs(nowMs: number): number;
}

/** Makes the state of one symbol. `tradeKeptMs` is how long a trade may judge quotes. */
export function createSymbolPrices(tradeKeptMs: number): SymbolPrices {
  const isNewUpdate = createNumbering(tradeKeptMs);
  const isNewTrade = createNumbering(tradeKeptMs);
  let trade: {
    readonly price: AssetPriceE8;
    readonly receivedAtMs: number;
    readonly lagMs: number;
  } | null = null;

  const recentTrade = (nowMs: number): typeof trade =>
    trade !== null && nowMs - trade.receivedAtMs <= tradeKeptMs ? trade : null;

  return {
    quote(updateId, bid, ask, nowMs) {
      const bidPrice = assetPriceFromDecimal(bid);
      const askPrice = assetPriceFromDecimal(ask);
      if (bidPrice === null || askPrice === null || bidPrice > askPrice)
        return { kind: 'dropped', reason: 'malformed' };
      if (!isNewUpdate(updateId, nowMs)) return { kind: 'dropped', reason: 'repeated' };
      const price = assetPriceE8(bidPrice + Math.floor((askPrice - bidPrice) / 2));
      const last = recentTrade(nowMs);
      if (
        last !== null &&
        Math.abs(price - last.price) > (last.price / 1_000_000) * CONTRADICTION_MICROS
      )
        return { kind: 'dropped', reason: 'contradicted' };
      return { kind: 'mid', price };
    },
    trade(tradeId, text, eventAtMs, nowMs) {
      const price = assetPriceFromDecimal(text);
      if (price === null || !isNewTrade(tradeId, nowMs)) return false;
      trade = { price, receivedAtMs: nowMs, lagMs: Math.max(0, nowMs - eventAtMs) };
      return true;
    },
    lagMs: (nowMs) => recentTrade(nowMs)?.lagMs ?? 0,
  };
}

/**
 * Tells numbers that run on from repeated ones. Where nothing newer has come for `keptMs`, they
 * begin anew: an exchange counts from another number after an upgrade, and one far too high must
 * not silence all that follow.
 */
function createNumbering(keptMs: number): (number: number, nowMs: number) => boolean {
  let newest = -1;
  let newestAtMs = 0;
  return (number, nowMs) => {
    if (number <= newest && nowMs - newestAtMs <= keptMs) return false;
    newest = number;
    newestAtMs = nowMs;
    return true;
  };
}
