import { VENUE_C_ORDER } from '../../../config/limits/venue-c.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import type { VenueFill } from '../../domain/fill.ts';
import type { OrderId, TradeId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import { TICKS_PER_USD } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import { readHistory, type HistoryRow } from './history.ts';
import type { AskingParts } from './order-status.ts';

/** What the socket says of how a trade of an order is settled (venue_c.md section 12). */
export interface SettledTrade {
  readonly tradeEventId: string;
  readonly orderId: OrderId;
  readonly shares: number;
  /** Null where it was undone. */
  readonly transactionHash: string | null;
}

/** Trades of an order that others have followed. */
export interface EarlierTrades {
  /** Notes what the socket says. */
  heard(trade: SettledTrade): void;
  /**
   * Returns an order's fills with what has become of those of which no more is stated than that
   * they were matched: the venue states how its newest trade alone is settled. Nothing is asked
   * where there are none, or while they may be under way. Errors: those of `readHistory`.
   */
  settled(
    parts: AskingParts,
    intent: OrderIntent,
    fills: readonly VenueFill[],
  ): Promise<readonly VenueFill[]>;
}

/** A transaction, or null for none. */
type Found = Pick<SettledTrade, 'transactionHash'>;

/**
 * Creates it over what the socket said of an order's trades, and for what was not heard over the
 * account's history, which has what is on the chain. Trades of one order are alike where they are
 * equally large, so which of them a message or a row names does not matter. One that is long past
 * and in neither was undone; should it come all the same, it is found at the next question.
 */
export function createEarlierTrades(clock: Clock): EarlierTrades {
  /** By trade, what was found: it is final by then. */
  const found = new BoundedMap<TradeId, Found>(VENUE_C_ORDER.earlierTradesRemembered);
  /** By order, what was heard of each of its trades, by the venue's name for it. */
  const heard = new BoundedMap<OrderId, Map<string, SettledTrade>>(
    VENUE_C_ORDER.earlierTradesRemembered,
  );
  return {
    heard(trade) {
      const known = heard.get(trade.orderId) ?? new Map<string, SettledTrade>();
      if (known.size < VENUE_C_ORDER.tradesHeardMaximum || known.has(trade.tradeEventId))
        known.set(trade.tradeEventId, trade);
      heard.set(trade.orderId, known);
    },
    async settled(parts, intent, fills) {
      const newestAtMs = Math.max(...fills.map(({ matchedAtMs }) => matchedAtMs));
      const ageOf = ({ matchedAtMs }: VenueFill): number => clock.nowMs() - matchedAtMs;
      const due = fills.filter(
        (fill) =>
          fill.word === 'matched' &&
          fill.matchedAtMs < newestAtMs &&
          found.get(fill.tradeId) === undefined &&
          ageOf(fill) >= VENUE_C_ORDER.earlierTradeAfterMs,
      );
      const said = due.flatMap(({ orderId }) => [...(heard.get(orderId)?.values() ?? [])]);
      const messages = [...new Set(said)];
      const hashOf = (fill: VenueFill): string | null =>
        found.get(fill.tradeId)?.transactionHash ?? fill.transactionHash;
      // What is stated of a trade, or was found of it, is not that of another one.
      for (const fill of fills) {
        const hash = hashOf(fill);
        if (hash !== null)
          take(messages, (one) => one.transactionHash === hash && one.shares === grossOf(fill));
        else if (fill.word === 'failed')
          take(messages, (one) => one.transactionHash === null && one.shares === grossOf(fill));
      }
      const unheard = due.filter((fill) => {
        const message = take(messages, ({ shares }) => shares === grossOf(fill));
        if (message !== null) found.set(fill.tradeId, message);
        return message === null;
      });
      if (unheard.length > 0) {
        const rows = (await readHistory(parts, intent.createdAtMs)).filter((row) =>
          isOf(row, intent),
        );
        rows.reverse();
        for (const fill of fills) {
          const hash = hashOf(fill);
          if (hash !== null) take(rows, (row) => row.transactionHash === hash && isLike(row, fill));
        }
        for (const fill of unheard) {
          const row = take(rows, (one) => isLike(one, fill) && isAbout(one, fill));
          if (typeof row?.transactionHash === 'string')
            found.set(fill.tradeId, { transactionHash: row.transactionHash });
        }
      }
      return fills.map((fill): VenueFill => {
        if (fill.word !== 'matched') return fill;
        const end = found.get(fill.tradeId);
        const isUndone =
          end?.transactionHash === null ||
          (due.includes(fill) && ageOf(fill) >= VENUE_C_ORDER.earlierTradeUndoneAfterMs);
        if (typeof end?.transactionHash === 'string')
          return { ...fill, word: 'confirmed', transactionHash: end.transactionHash };
        return isUndone ? { ...fill, word: 'failed' } : fill;
      });
    },
  };
}

function isOf(
  { market, outcomeIndex, strategy, transactionHash }: HistoryRow,
  { marketId, outcome, side }: OrderIntent,
): boolean {
  return (
    market.slug === marketId &&
    outcomeIndex === outcome &&
    typeof transactionHash === 'string' &&
    strategy?.toLowerCase().endsWith(side) === true
  );
}

/** So many shares, less a buyer's fee. */
function isLike({ outcomeTokenAmount }: HistoryRow, fill: VenueFill): boolean {
  const fee = fill.fee?.unit === 'shares' ? fill.fee.micros : 0;
  return outcomeTokenAmount === grossOf(fill) - fee;
}

/** At its price, in a block soon after it was matched: other orders' trades are there as well. */
function isAbout(
  { blockTimestamp, outcomeTokenPrice }: HistoryRow,
  { legs, matchedAtMs }: VenueFill,
): boolean {
  const afterMs = blockTimestamp - Math.floor(matchedAtMs / 1_000) * 1_000;
  const [leg] = legs;
  const isPriced =
    typeof outcomeTokenPrice !== 'number' ||
    leg === undefined ||
    Math.abs(Math.round(outcomeTokenPrice * TICKS_PER_USD) - leg.price) <= 1;
  return isPriced && afterMs >= 0 && afterMs <= VENUE_C_ORDER.earlierTradeAfterMs;
}

function grossOf({ legs }: VenueFill): number {
  return legs.reduce((sum, { shares }) => sum + shares, 0);
}

/** Takes the first such one out of a list; null without one. */
function take<T>(list: T[], isIt: (one: T) => boolean): T | null {
  const at = list.findIndex(isIt);
  return at < 0 ? null : (list.splice(at, 1)[0] ?? null);
}
