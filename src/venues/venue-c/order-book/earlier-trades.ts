import { VENUE_C_ORDER } from '../../../../config/limits/venue-c.ts';
import { BoundedMap } from '../../../domain/bounded-map.ts';
import type { VenueFill } from '../../../domain/fill.ts';
import type { AttemptId, Address, TradeId } from '../../../domain/ids.ts';
import type { OrderHandle } from '../../../domain/order.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Hex } from '../../../ports/evm.ts';
import type { ChainReading, ReadSettlements } from './settlements.ts';

type SignedOrder = Pick<OrderHandle, 'intent' | 'attempt'>;

/** Trades of an order that others have followed, or came with. */
export interface EarlierTrades {
  /**
   * Returns an order's fills with what has become of those of which no more is stated than that
   * they were matched: the venue states how its newest trade alone is settled. Nothing is asked
   * where there are none, or while they may be under way. Errors: `chain_unavailable`.
   */
  settled(
    order: SignedOrder,
    wallet: Address,
    fills: readonly VenueFill[],
  ): Promise<readonly VenueFill[]>;
}

/**
 * Creates it over the chain, which has every trade that was settled under its order's own name.
 * Trades of one order are alike where they are equally large, so which of them a transaction is
 * taken for does not matter; where it moved another number, for it settled another order of the
 * wallet as well, it counts once there are as many as trades, and nothing is concluded before. One
 * that is in no final block long after it was matched was undone, where the same contract was seen
 * to name an order in a transaction that the venue states; should it come all the same, it is found
 * at the next question.
 */
export function createEarlierTrades(clock: Clock, readSettlements: ReadSettlements): EarlierTrades {
  /** By trade, the transaction that settled it. */
  const found = new BoundedMap<TradeId, Hex>(VENUE_C_ORDER.earlierTradesRemembered);
  /** By order, what the chain had of it, and when it was asked. */
  const readings = new BoundedMap<AttemptId, Reading>(VENUE_C_ORDER.earlierTradesRemembered);
  /** Contracts that were seen to name orders. */
  const naming = new BoundedMap<string, true>(VENUE_C_ORDER.exchangesRemembered);
  async function read(order: SignedOrder, wallet: Address, sinceMs: number): Promise<Reading> {
    const { attemptId } = order.attempt;
    const last = readings.get(attemptId);
    const askedAtMs = clock.nowMs();
    if (last !== undefined && askedAtMs - last.askedAtMs < VENUE_C_ORDER.earlierTradeAfterMs)
      return last;
    const next = { askedAtMs, chain: await readSettlements(order, { wallet, sinceMs }) };
    readings.set(attemptId, next);
    return next;
  }
  return {
    async settled(order, wallet, fills) {
      const newestAtMs = Math.max(...fills.map(({ matchedAtMs }) => matchedAtMs));
      const isTied = fills.filter(({ matchedAtMs }) => matchedAtMs === newestAtMs).length > 1;
      const due = fills.filter(
        ({ word, matchedAtMs, tradeId }) =>
          word === 'matched' &&
          (isTied || matchedAtMs < newestAtMs) &&
          found.get(tradeId) === undefined &&
          clock.nowMs() - matchedAtMs >= VENUE_C_ORDER.earlierTradeAfterMs,
      );
      const hashOf = (fill: VenueFill): string | null =>
        found.get(fill.tradeId) ?? fill.transactionHash;
      let readToMs = 0;
      const sinceMs = Math.min(...due.map(({ matchedAtMs }) => matchedAtMs));
      const chain = due.length === 0 ? null : (await read(order, wallet, sinceMs)).chain;
      if (chain !== null) {
        const taken = new Set(fills.map(hashOf));
        const free = chain.settlements.filter(({ transactionHash }) => !taken.has(transactionHash));
        if (free.length < chain.settlements.length) naming.set(chain.exchange, true);
        if (naming.get(chain.exchange) === true) readToMs = chain.readToMs;
        for (const fill of due) {
          const at = free.findIndex(({ shares }) => shares === movedBy(fill));
          const [settlement] = at < 0 ? [] : free.splice(at, 1);
          if (settlement !== undefined) found.set(fill.tradeId, settlement.transactionHash);
        }
        // One that moved more settled another order of the wallet too: it is of one of those left.
        const left = fills.filter((fill) => fill.word === 'matched' && hashOf(fill) === null);
        if (free.length > 0) readToMs = 0;
        if (free.length >= left.length)
          for (const fill of left) {
            const settlement = free.shift();
            if (settlement !== undefined) found.set(fill.tradeId, settlement.transactionHash);
          }
      }
      return fills.map((fill): VenueFill => {
        if (fill.word !== 'matched') return fill;
        const transactionHash = found.get(fill.tradeId);
        if (transactionHash !== undefined) return { ...fill, word: 'confirmed', transactionHash };
        const isUndone =
          due.includes(fill) &&
          readToMs - fill.matchedAtMs >= VENUE_C_ORDER.earlierTradeUndoneAfterMs;
        return isUndone ? { ...fill, word: 'failed' } : fill;
      });
    },
  };
}

interface Reading {
  readonly askedAtMs: number;
  /** Null where nothing can be read of it: then nothing is concluded. */
  readonly chain: ChainReading | null;
}

/** So many shares, less a buyer's fee. */
function movedBy({ legs, fee }: VenueFill): number {
  const gross = legs.reduce((sum, { shares }) => sum + shares, 0);
  return gross - (fee?.unit === 'shares' ? fee.micros : 0);
}
