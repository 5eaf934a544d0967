import { BID } from '../../../config/limits/bid.ts';
import { AGENT } from '../../../config/limits.ts';
import type {
  Advice,
  AgentEffects,
  AgentRef,
  WithdrawResult,
} from '../../../machines/agent-types.ts';
import type { Criterion, Decision } from '../../domain/agent.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type AgentId, type IntentId, type UserId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import { isTerminal, type OrderRecord } from '../../domain/order.ts';
import type { RoundView } from '../../domain/signal.ts';
import type { StrategyRow } from '../../domain/strategy/strategy-row.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Orders } from '../orders/orders.ts';
import type { Advise, Asked } from './advise.ts';
import { OPEN_ORDERS, ORDERS } from '../books/tables.ts';
import { entryOf, overruled } from '../execution/receipted-orders.ts';
import type { Receipts } from '../execution/receipts.ts';

/** An entry that rests at the venue: a limit order is the only one that does. */
export interface AgentBid extends AgentRef {
  readonly outcome: OutcomeIndex;
  readonly expiresAtMs: number;
}

/** Reads an order as a bid of an agent; null for any other order and one that has ended. */
export function bidOf({ intent, state }: OrderRecord): AgentBid | null {
  const { userId, origin, marketId, outcome, expiresAtMs } = intent;
  if (
    origin.kind !== 'agent' ||
    origin.purpose !== 'entry' ||
    expiresAtMs === null ||
    isTerminal(state)
  )
    return null;
  return { userId, agentId: origin.agentId, marketId, outcome, expiresAtMs };
}

/** Bids of agents that have not ended, read from the table of open orders. */
export function* openAgentBids(store: StoreReader): Generator<AgentBid> {
  for (const { key } of store.range(OPEN_ORDERS)) {
    const order = store.get(ORDERS, [
      asId<UserId>(String(key[0])),
      asId<IntentId>(String(key[1])),
    ])?.value;
    const bid = order === undefined ? null : bidOf(order);
    if (bid !== null) yield bid;
  }
}

/** True when what was filled is more than the dust that cannot be sold. */
export function isHeld({ filledShares }: OrderRecord): boolean {
  return filledShares >= AGENT.dustShareMicros;
}

/** Time until a bid is taken back by us, should the venue not have ended it by then. */
export function bidLeftMs({ expiresAtMs }: Pick<AgentBid, 'expiresAtMs'>, clock: Clock): number {
  return Math.max(0, expiresAtMs + BID.endGraceMs - clock.nowMs());
}

/** An agent's strategy and the round as it is now; the round is null while it is not watched. */
export interface AgentRound {
  readonly row: StrategyRow;
  readonly view: RoundView | null;
}

/**
 * Takes a bid back unless it is worth its price again: with one receipt, and with a cancel that is
 * repeated until the venue has said how the order ended. A fill that was faster wins.
 */
export function createWithdraw({
  store,
  clock,
  orders,
  receipts,
  roundOf,
  advise,
  count,
}: {
  readonly store: StoreReader;
  readonly clock: Clock;
  readonly orders: Pick<Orders, 'cancel'>;
  readonly receipts: Pick<Receipts, 'make' | 'write'>;
  /** See `AgentRound`; null when the agent is not enabled. */
  readonly roundOf: (ref: AgentRef) => AgentRound | null;
  readonly advise: Advise;
  readonly count: (ref: { readonly agentId: AgentId }, decision: Decision) => void;
}): AgentEffects['withdraw'] {
  return async ({ held, ...ref }): Promise<WithdrawResult> => {
    const entry = entryOf(store, ref);
    if (entry === null) return { kind: 'ended', isHeld: false };
    const bid = bidOf(entry);
    if (bid === null) return { kind: 'ended', isHeld: isHeld(entry) };
    const seen = roundOf(ref);
    // What becomes of a stopped agent's bid is for the stop to say.
    if (seen === null) return standing(bid);
    const isOver = bidLeftMs(bid, clock) <= 0;
    const decision = isOver ? overdue(held) : judged(seen, held);
    if (decision.verdict === 'hold') return standing(bid);
    const asked =
      isOver || seen.row.order.kind !== 'limit' ? null : ({ kind: 'bid', held } as const);
    if (!entry.cancelWanted) await note(ref, seen, { decision, held, asked });
    await cancel(entry);
    const after = entryOf(store, ref) ?? entry;
    return bidOf(after) === null ? { kind: 'ended', isHeld: isHeld(after) } : standing(bid);
  };

  async function note(
    ref: AgentRef,
    { row, view }: AgentRound,
    {
      decision: said,
      held,
      asked,
    }: {
      readonly decision: Decision;
      readonly held: OutcomeIndex;
      readonly asked: Asked | null;
    },
  ): Promise<void> {
    const decision = takenBack(said, held);
    const judged: Advice =
      view === null
        ? { strategy: row.strategy, decision: said, inputs: [], atMs: clock.nowMs() }
        : advise(row, view, said, asked);
    const advice = decision === said ? judged : overruled(judged, decision);
    count(ref, decision);
    await receipts.write(receipts.make(ref, advice, null));
  }

  function standing(bid: AgentBid): WithdrawResult {
    return { kind: 'standing', bidLeftMs: Math.max(bidLeftMs(bid, clock), AGENT.reviewIntervalMs) };
  }

  /**
   * An order that has ended meanwhile, or that the venue holds in its delay, is no failure: it is
   * checked again.
   */
  async function cancel({ intent }: OrderRecord): Promise<void> {
    try {
      await orders.cancel(intent.userId, intent.intentId);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'order_not_cancellable') throw error;
    }
  }
}

function judged({ row, view }: AgentRound, held: OutcomeIndex): Decision {
  if (view === null)
    return { verdict: 'skip', outcome: null, criteria: [], reason: 'Nobody watches the round.' };
  return judgeBid(row, view, held);
}

/**
 * Judges a bid by its agent's strategy. After a change to one that does not bid it is taken back.
 */
export function judgeBid({ order }: StrategyRow, view: RoundView, outcome: OutcomeIndex): Decision {
  return order.kind === 'limit'
    ? order.judge(view, outcome)
    : {
        verdict: 'exit',
        outcome,
        criteria: [],
        reason: 'The strategy of this agent does not bid.',
      };
}

/** What could not be judged for too long is taken back, and the receipt says so. */
function takenBack(decision: Decision, held: OutcomeIndex): Decision {
  return decision.verdict === 'exit'
    ? decision
    : {
        ...decision,
        verdict: 'exit',
        outcome: held,
        reason: `${decision.reason} It is taken back.`,
      };
}

function overdue(held: OutcomeIndex): Decision {
  const time: Criterion = {
    name: 'life of the bid',
    value: 'over',
    threshold: 'not over',
    passed: false,
  };
  return {
    verdict: 'exit',
    outcome: held,
    criteria: [time],
    reason: 'The bid has outlived its time at the venue and is taken back.',
  };
}
