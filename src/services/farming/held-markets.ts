import { backOffMs } from '../../domain/back-off.ts';
import { FARMING } from '../../../config/limits/farming.ts';
import {
  heldBid,
  stopTicks,
  withReading,
  type BidReading,
  type FarmEntry,
} from '../../domain/farming/stop-loss.ts';
import type { MarketId, UserId } from '../../domain/ids.ts';
import type { Market, OutcomeIndex } from '../../domain/market.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FarmQuotes } from './farm-source.ts';
import { freshTop } from './slots.ts';

/** A position that farming holds. */
export interface FarmHolding {
  readonly userId: UserId;
  readonly market: Market;
  readonly outcome: OutcomeIndex;
}

/**
 * Positions of farming agents and the stops below them: one reading of a bid serves all who hold
 * the outcome.
 */
export interface HeldMarkets {
  /**
   * Takes a position up; again has its stop read anew, for more of its entry may have been filled.
   */
  add(holding: FarmHolding): void;
  remove(userId: UserId, marketId: MarketId): void;
  /** Lets go of all that a user holds. */
  forget(userId: UserId): void;
  /** The user's stop has moved: it is read anew. */
  restop(userId: UserId): void;
  /** Markets a user holds. */
  count(userId: UserId): number;
  /**
   * Reads every watched bid and reports holders whose stop is reached. Called every
   * FARMING.checkIntervalMs.
   */
  check(): void;
  /** The readings of an outcome's bid that count now. */
  readings(marketId: MarketId, outcome: OutcomeIndex): readonly BidReading[];
  /** A sale was tried: the next one waits, longer each time once FARMING.exitsQuick were. */
  exitTried(userId: UserId, marketId: MarketId): void;
  clear(): void;
}

interface Holder {
  readonly holding: FarmHolding;
  /** Ticks; null until it is known. */
  stop: number | null;
  exits: number;
  nextExitAtMs: number;
}

interface Held {
  readonly market: Market;
  readonly holders: Map<UserId, Holder>;
  readonly readings: [readonly BidReading[], readonly BidReading[]];
  /** The highest stop of each outcome; null when it is to be found anew. */
  highest: readonly [number, number] | null;
  watch: { readonly release: () => void; readonly sinceMs: number } | null;
}

/**
 * Makes the index of held markets. The cost of a check follows the markets held, not those who hold
 * them.
 */
export function createHeldMarkets({
  quotes,
  clock,
  stopOf,
  onStop,
}: {
  readonly quotes: FarmQuotes;
  readonly clock: Clock;
  /**
   * What the position was bought for, and the user's stop in thousandths; null while nothing of the
   * entry is known.
   */
  readonly stopOf: (
    userId: UserId,
    marketId: MarketId,
  ) => { readonly entry: FarmEntry; readonly lossPerMille: number } | null;
  readonly onStop: (holding: FarmHolding) => void;
}): HeldMarkets {
  const markets = new Map<MarketId, Held>();
  const byUser = new Map<UserId, Set<MarketId>>();

  function drop(userId: UserId, marketId: MarketId): void {
    const held = markets.get(marketId);
    held?.holders.delete(userId);
    if (held !== undefined) held.highest = null;
    if (held?.holders.size === 0) {
      held.watch?.release();
      markets.delete(marketId);
    }
    const own = byUser.get(userId);
    own?.delete(marketId);
    if (own?.size === 0) byUser.delete(userId);
  }

  /**
   * Watches as many as may be; where more are held they take turns, in the order in which they were
   * taken up.
   */
  function turn(nowMs: number): void {
    for (const held of markets.values()) {
      if (held.market.endsAtMs > nowMs) continue;
      held.watch?.release();
      held.watch = null;
    }
    const open = [...markets].filter(([, { market }]) => market.endsAtMs > nowMs);
    const idle = open.filter(([, { watch }]) => watch === null);
    let watched = open.length - idle.length;
    for (const [marketId, held] of open) {
      if (
        held.watch === null ||
        idle.length <= FARMING.heldWatchedMaximum - watched ||
        nowMs - held.watch.sinceMs < FARMING.heldTurnMs
      )
        continue;
      held.watch.release();
      held.watch = null;
      watched -= 1;
      // To the back of the line.
      markets.delete(marketId);
      markets.set(marketId, held);
    }
    for (const [, held] of idle.slice(0, FARMING.heldWatchedMaximum - watched))
      held.watch = { release: quotes.watch(held.market), sinceMs: nowMs };
  }

  function highestOf(held: Held): readonly [number, number] {
    const highest: [number, number] = [0, 0];
    for (const holder of held.holders.values()) {
      const { userId, market, outcome } = holder.holding;
      const known = holder.stop === null ? stopOf(userId, market.marketId) : null;
      if (known !== null) holder.stop = stopTicks(known.entry, known.lossPerMille);
      highest[outcome] = Math.max(highest[outcome], holder.stop ?? 0);
    }
    // Not kept while a stop is unknown: the entry's fills are still on their way.
    held.highest = [...held.holders.values()].some(({ stop }) => stop === null) ? null : highest;
    return highest;
  }

  function checkBid(held: Held, outcome: OutcomeIndex, nowMs: number): void {
    const top = freshTop(quotes, held.market.outcomes[outcome].tokenId, clock);
    // An absent book says nothing: neither that the price has fallen nor that it has not (L8).
    if (top === null) return;
    held.readings[outcome] = withReading(held.readings[outcome], {
      bidTicks: top.value.bid?.price ?? 0,
      atMs: nowMs,
    });
    const bid = heldBid(held.readings[outcome], nowMs);
    if (bid === null || bid > (held.highest ?? highestOf(held))[outcome]) return;
    for (const holder of held.holders.values()) {
      const isReached =
        holder.holding.outcome === outcome && holder.stop !== null && bid <= holder.stop;
      if (isReached && nowMs >= holder.nextExitAtMs) onStop(holder.holding);
    }
  }

  return {
    add(holding) {
      const { userId, market } = holding;
      const held = markets.get(market.marketId) ?? {
        market,
        holders: new Map<UserId, Holder>(),
        readings: [[], []],
        highest: null,
        watch: null,
      };
      markets.set(market.marketId, held);
      held.highest = null;
      const known = held.holders.get(userId);
      if (known !== undefined) {
        known.stop = null;
        return;
      }
      held.holders.set(userId, {
        holding,
        stop: null,
        exits: 0,
        nextExitAtMs: Number.NEGATIVE_INFINITY,
      });
      byUser.set(userId, (byUser.get(userId) ?? new Set()).add(market.marketId));
    },
    remove: drop,
    forget(userId) {
      for (const marketId of byUser.get(userId) ?? []) drop(userId, marketId);
    },
    restop(userId) {
      for (const marketId of byUser.get(userId) ?? []) {
        const held = markets.get(marketId);
        const holder = held?.holders.get(userId);
        if (held === undefined || holder === undefined) continue;
        holder.stop = null;
        held.highest = null;
      }
    },
    count: (userId) => byUser.get(userId)?.size ?? 0,
    check() {
      const nowMs = clock.nowMs();
      turn(nowMs);
      for (const held of markets.values()) {
        if (held.watch === null) continue;
        checkBid(held, 0, nowMs);
        checkBid(held, 1, nowMs);
      }
    },
    readings: (marketId, outcome) => markets.get(marketId)?.readings[outcome] ?? [],
    exitTried(userId, marketId) {
      const holder = markets.get(marketId)?.holders.get(userId);
      if (holder === undefined) return;
      holder.exits += 1;
      holder.nextExitAtMs =
        clock.nowMs() +
        backOffMs(holder.exits - FARMING.exitsQuick, {
          firstMs: FARMING.exitRetryMs,
          maximumMs: FARMING.exitRetryMaximumMs,
        });
    },
    clear() {
      for (const { watch } of markets.values()) watch?.release();
      markets.clear();
      byUser.clear();
    },
  };
}
