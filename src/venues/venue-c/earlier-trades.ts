import { VENUE_C_ORDER } from '../../../config/limits/venue-c.ts';
import { BoundedMap } from '../../domain/bounded-map.ts';
import type { VenueFill } from '../../domain/fill.ts';
import type { TradeId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { Clock } from '../../ports/clock.ts';
import { readHistory, type HistoryRow } from './history.ts';
import type { AskingParts } from './order-status.ts';

/** Trades of an order that others have followed. */
export interface EarlierTrades {
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

/**
 * Creates it over the account's history, which has what is on the chain. A trade is one of so many
 * shares there: those of one order are alike where they are equally large, so which of them a row
 * names does not matter. One that is long past and not there was undone; should it come all the
 * same, it is found at the next question.
 */
export function createEarlierTrades(clock: Clock): EarlierTrades {
  /** Transactions of trades that were found: they are final by then. */
  const found = new BoundedMap<TradeId, string>(VENUE_C_ORDER.earlierTradesRemembered);
  return {
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
      if (due.length > 0) {
        const rows = await readHistory(parts, intent.createdAtMs);
        const left = rows.filter((row) => isOf(row, intent));
        // What is stated of a trade, or was found of it, is not that of another one.
        for (const fill of fills) take(left, fill, found.get(fill.tradeId) ?? fill.transactionHash);
        for (const fill of due) {
          const row = take(left, fill, undefined);
          if (typeof row?.transactionHash === 'string')
            found.set(fill.tradeId, row.transactionHash);
        }
      }
      return fills.map((fill): VenueFill => {
        if (fill.word !== 'matched') return fill;
        const transactionHash = found.get(fill.tradeId);
        if (transactionHash !== undefined) return { ...fill, word: 'confirmed', transactionHash };
        return due.includes(fill) && ageOf(fill) >= VENUE_C_ORDER.earlierTradeUndoneAfterMs
          ? { ...fill, word: 'failed' }
          : fill;
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

/**
 * Takes a row of so many shares out of a list: that of a transaction, of any where none is named,
 * and none at all for null.
 */
function take(
  rows: HistoryRow[],
  { legs, fee }: VenueFill,
  hash: string | null | undefined,
): HistoryRow | null {
  if (hash === null) return null;
  const gross = legs.reduce((sum, { shares }) => sum + shares, 0);
  const net = gross - (fee?.unit === 'shares' ? fee.micros : 0);
  const at = rows.findIndex(
    ({ outcomeTokenAmount, transactionHash }) =>
      outcomeTokenAmount === net && (hash === undefined || transactionHash === hash),
  );
  return at < 0 ? null : (rows.splice(at, 1)[0] ?? null);
}
