import { PAPER } from '../../../config/limits/paper.ts';
import type { AgentRef } from '../../../machines/agent-types.ts';
import { isTrading } from '../../domain/agent.ts';
import { isRetryable } from '../../domain/errors.ts';
import type { DomainEvent } from '../../domain/events.ts';
import { asId, type AgentId, type MarketId, type UserId } from '../../domain/ids.ts';
import { isTerminal, type OrderRecord } from '../../domain/order.ts';
import {
  NO_COMPARISON,
  slippageOf,
  withPair,
  type Comparison,
  type PairSide,
} from '../../domain/paper-comparison.ts';
import { isShadow } from '../../domain/shadow-account.ts';
import type { StrategyTable } from '../../domain/strategy/strategy-row.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { AGENTS, ORDERS, POSITIONS } from '../books/tables.ts';
import type { PaperTrading } from './paper-trading.ts';
import { COMPARISONS, OPEN_PAIRS, PAIRS, type PairRecord } from './tables.ts';
import { shadowIdOf } from './shadow-id.ts';
import { entryOf } from '../execution/receipted-orders.ts';

/**
 * Measures how what agents do for real differs from what their shadow runs do on paper, entry by
 * entry.
 */
export interface Comparisons {
  of(userId: UserId, agentId: AgentId): Comparison;
  /**
   * The shadow run of an agent with the settings it has; null where its strategy no longer exists.
   */
  shadowOf(userId: UserId, agentId: AgentId): UserId | null;
  /** Looks again at pairs that were open when the process ended. */
  recover(): void;
  stop(): void;
}

/**
 * Makes the comparisons. They follow both sides after the fact, some pairs in one commit, and hold
 * no caller up.
 */
export function createComparisons({
  store,
  bus,
  paper,
  clock,
  strategies,
  metrics,
  log,
}: Pick<Runtime, 'store' | 'bus' | 'clock' | 'metrics' | 'log'> & {
  readonly paper: Pick<PaperTrading, 'store' | 'bus'>;
  readonly strategies: StrategyTable;
}): Comparisons {
  const waiting = new Map<string, Map<string, AgentRef>>();
  /**
   * Pairs that something has touched, the longest touched first, and their keys: each is there
   * once.
   */
  const touched: AgentRef[] = [];
  const keysTouched = new Set<string>();
  /** Set from the first pair that is touched until none is left. */
  let timer: Timer | null = null;
  let isOver = false;

  const unsubscribes = [
    bus.subscribe(({ event }) => {
      const ref = refOf(event);
      if (ref !== null) touch(ref);
    }),
    paper.bus.subscribe(({ event }) => {
      const ref = refOf(event, paper.store);
      if (ref !== null && isShadow(ref.userId))
        for (const live of waiting.get(shadowKey(ref.userId, ref))?.values() ?? []) touch(live);
    }),
  ];

  /** The agent's market whose pair an event may change; null for all others. */
  function refOf(event: DomainEvent, reader: StoreReader = store): AgentRef | null {
    if (event.type === 'position.changed' && event.position.agentId !== null)
      return {
        userId: event.userId,
        agentId: event.position.agentId,
        marketId: event.position.marketId,
      };
    if (event.type !== 'order.changed' || !isTerminal(event.to)) return null;
    const intent = reader.get(ORDERS, [event.userId, event.intentId])?.value.intent;
    return intent?.origin.kind === 'agent'
      ? { userId: event.userId, agentId: intent.origin.agentId, marketId: intent.marketId }
      : null;
  }

  function touch(ref: AgentRef): void {
    const key = keyOf(ref);
    if (keysTouched.has(key)) return;
    keysTouched.add(key);
    touched.push(ref);
    if (timer === null && !isOver) timer = clock.after(PAPER.pairIntervalMs, () => void flush());
  }

  async function flush(): Promise<void> {
    const batch = touched.splice(0, PAPER.pairsPerCommit);
    for (const ref of batch) keysTouched.delete(keyOf(ref));
    let pauseMs = 0;
    try {
      const first = await store.write((tx) => batch.map((ref) => compare(tx, ref)));
      for (const slippage of first)
        if (slippage !== null) metrics.observe('paper_price_difference_usdc', slippage);
    } catch (error) {
      log.error({ pairs: batch.length, error }, 'paper.comparison_failed');
      if (isRetryable(error)) {
        batch.forEach(touch);
        pauseMs = PAPER.pairIntervalMs;
      }
    }
    timer = touched.length === 0 || isOver ? null : clock.after(pauseMs, () => void flush());
  }

  /**
   * Brings one pair up to date; gives the difference in price, USD a share, when both sides have
   * just become known.
   */
  function compare(tx: StoreWriter, ref: AgentRef): number | null {
    const { userId, agentId, marketId } = ref;
    const entry = entryOf(tx, ref);
    const before = tx.get(PAIRS, [userId, agentId, marketId])?.value ?? null;
    const shadowId = before?.shadowId ?? shadowIn(tx, userId, agentId);
    if (entry === null || !isTerminal(entry.state) || shadowId === null) return null;
    const shadowEntry = entryOf(paper.store, { userId: shadowId, agentId, marketId });
    const isPaired =
      shadowEntry === null ||
      Math.abs(shadowEntry.intent.createdAtMs - entry.intent.createdAtMs) <= PAPER.pairWindowMs;
    if (!isPaired) return null;
    const after: PairRecord = {
      shadowId,
      live: sideOf(tx, entry),
      paper: shadowEntry === null ? null : sideOf(paper.store, shadowEntry),
    };
    tx.put(PAIRS, [userId, agentId, marketId], after);
    tx.put(
      COMPARISONS,
      [userId, agentId],
      withPair(tx.get(COMPARISONS, [userId, agentId])?.value ?? NO_COMPARISON, before, after),
    );
    watch(tx, ref, {
      shadowId,
      isOpen: isOpen(tx, entry) || (shadowEntry !== null && isOpen(paper.store, shadowEntry)),
    });
    const slippage = slippageOf(after);
    return slippage === null || (before !== null && slippageOf(before) !== null)
      ? null
      : slippage / Math.max(1, after.live.shares);
  }

  function watch(
    tx: StoreWriter,
    ref: AgentRef,
    { shadowId, isOpen: isStillOpen }: { readonly shadowId: UserId; readonly isOpen: boolean },
  ): void {
    const { userId, agentId, marketId } = ref;
    const key = shadowKey(shadowId, ref);
    if (isStillOpen) {
      tx.put(OPEN_PAIRS, [userId, agentId, marketId], { sinceMs: clock.nowMs() });
      waiting.set(key, (waiting.get(key) ?? new Map<string, AgentRef>()).set(keyOf(ref), ref));
      return;
    }
    tx.remove(OPEN_PAIRS, [userId, agentId, marketId]);
    const others = waiting.get(key);
    others?.delete(keyOf(ref));
    if (others?.size === 0) waiting.delete(key);
  }

  /**
   * The shadow run of an agent that trades for real; one that has just been disabled still has the
   * shadow run it had.
   */
  function shadowIn(reader: StoreReader, userId: UserId, agentId: AgentId): UserId | null {
    const record = reader.get(AGENTS, [userId, agentId])?.value;
    if (record === undefined || (record.enabled && !isTrading(record))) return null;
    return shadowIdOf(strategies, record);
  }

  return {
    of: (userId, agentId) => store.get(COMPARISONS, [userId, agentId])?.value ?? NO_COMPARISON,
    shadowOf: (userId, agentId) => shadowIn(store, userId, agentId),
    recover() {
      // `watch` wrote the keys: the second part is an agent's id.
      for (const { key } of store.range(OPEN_PAIRS))
        touch({
          userId: asId<UserId>(String(key[0])),
          agentId: key[1] as AgentId,
          marketId: asId<MarketId>(String(key[2])),
        });
    },
    stop() {
      isOver = true;
      timer?.cancel();
      for (const unsubscribe of unsubscribes) unsubscribe();
    },
  };
}

function sideOf(
  reader: StoreReader,
  { intent, filledShares, filledUsdc, feesUsdc }: OrderRecord,
): PairSide {
  const position = reader.get(POSITIONS, [intent.userId, intent.tokenId])?.value;
  return {
    shares: filledShares,
    usdc: filledUsdc,
    feesUsdc: position?.feesUsdc ?? feesUsdc,
    realisedUsdc: position?.realizedPnl ?? 0,
  };
}

/** True while an entry, or what it bought, may still change. */
function isOpen(reader: StoreReader, { intent, state, filledShares }: OrderRecord): boolean {
  const position = reader.get(POSITIONS, [intent.userId, intent.tokenId])?.value;
  return (
    !isTerminal(state) ||
    (filledShares > 0 && (position === undefined || position.closedAtMs === null))
  );
}

function keyOf({ userId, agentId, marketId }: AgentRef): string {
  return `${userId} ${agentId} ${marketId}`;
}

function shadowKey(
  shadowId: UserId,
  { agentId, marketId }: Pick<AgentRef, 'agentId' | 'marketId'>,
): string {
  return `${shadowId} ${agentId} ${marketId}`;
}
