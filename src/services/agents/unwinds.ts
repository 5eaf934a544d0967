import { AGENT } from '../../../config/limits.ts';
import { UNWIND } from '../../../config/limits/risk.ts';
import { toActorClock } from '../../../machines/actor-clock.ts';
import {
  createUnwindActor,
  withUnwindEffects,
  type UnwindActor,
  type UnwindStep,
} from '../../../machines/unwind.ts';
import { AGENT_PROFILES, type UnwindRecord } from '../../domain/agent.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { TokenId } from '../../domain/ids.ts';
import { isResting, isTerminal, type OrderRecord } from '../../domain/order.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { availableShares } from '../../domain/risk.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Orders } from '../orders/orders.ts';
import { orderNamed } from '../books/named-order.ts';
import { agentRiskOf, balanceOf, riskOf } from '../books/record-changes.ts';
import { agentShares, hasOpenFills, openOrdersOf, type AgentOf } from '../books/agent-shares.ts';
import type { Receipts } from '../execution/receipts.ts';
import { AGENTS, ORDERS, POSITIONS, RESOLUTIONS, UNWINDS } from '../books/tables.ts';

/**
 * Ends what stopped agents have open, as their policies say. The request is durable (UNWINDS); this
 * carries it out.
 */
export interface Unwinds {
  /**
   * Brings what runs in line with what is stored for the agent: begins an unwind, or drops one that
   * was taken back.
   */
  apply(agent: AgentOf): void;
  /** The start: takes up every unwind that is stored (L9). */
  recover(): number;
  readonly size: number;
  stop(): void;
}

export interface UnwindsDeps
  extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'random' | 'bus' | 'log'> {
  readonly orders: Pick<Orders, 'place' | 'cancel'>;
  readonly receipts: Pick<Receipts, 'make' | 'put' | 'write'>;
}

interface Running {
  readonly actor: UnwindActor;
  /** Last refusal by token: one receipt tells of one reason. */
  readonly refusals: Map<TokenId, ErrorCode>;
}

/** Makes the unwinds; call `recover` once agents and orders are. */
export function createUnwinds(deps: UnwindsDeps): Unwinds {
  const { store, clock, random, log } = deps;
  const running = new Map<string, Running>();
  const machine = withUnwindEffects({
    step: (agent) => step(deps, agent, running.get(nameOf(agent))?.refusals ?? new Map()),
  });
  const actorClock = toActorClock(clock);
  let isOver = false;
  const unsubscribe = deps.bus.subscribe(({ event }) => {
    const agent = running.size === 0 ? null : movedAgent(store, event);
    if (agent !== null) running.get(nameOf(agent))?.actor.send({ type: 'agent.moved' });
  });

  function begin({ userId, agentId }: AgentOf, afterMs: number): void {
    const name = nameOf({ userId, agentId });
    if (running.has(name)) return;
    const actor = createUnwindActor(machine, { userId, agentId, afterMs }, actorClock);
    running.set(name, { actor, refusals: new Map() });
    actor.subscribe({
      complete: () => {
        running.delete(name);
        // A stop that came while the end of this unwind was being stored found it running.
        if (!isOver) apply({ userId, agentId });
      },
      error: (cause) => {
        log.error({ userId, agentId, cause }, 'unwind.failed');
        running.delete(name);
      },
    });
    actor.start();
  }

  function apply(agent: AgentOf): void {
    if (store.get(UNWINDS, [agent.userId, agent.agentId]) === null)
      running.get(nameOf(agent))?.actor.send({ type: 'unwind.stop' });
    else begin(agent, 0);
  }

  return {
    apply,
    recover() {
      for (const { value } of store.range(UNWINDS)) begin(value, random.integer(UNWIND.spreadMs));
      return running.size;
    },
    get size() {
      return running.size;
    },
    stop() {
      isOver = true;
      unsubscribe();
      for (const { actor } of running.values()) actor.send({ type: 'unwind.stop' });
    },
  };
}

/** One pass: cancels and sells what it can, and says whether anything is left. */
async function step(
  deps: UnwindsDeps,
  agent: AgentOf,
  refusals: Map<TokenId, ErrorCode>,
): Promise<UnwindStep> {
  const { store, clock } = deps;
  const key = [agent.userId, agent.agentId];
  const request = store.get(UNWINDS, key)?.value;
  if (request === undefined) return 'over';
  let hasMoved = false;
  for (const order of openOrdersOf(store, agent))
    if (isToCancel(order)) hasMoved = (await cancel(deps, order)) || hasMoved;
  if (request.policy === 'close') {
    const sales = tradableOf(store, agent, clock.nowMs()).filter(
      ({ sellable }) => sellable >= AGENT.dustShareMicros,
    );
    for (const sale of sales.slice(0, UNWIND.salesPerStep))
      hasMoved = (await sell(deps, agent, sale, refusals)) || hasMoved;
  }
  if (isLeft(store, request, clock.nowMs())) return hasMoved ? 'moved' : 'waiting';
  const isOver = await deps.commit((tx) => {
    const now = tx.get(UNWINDS, key)?.value;
    if (now === undefined) return true;
    if (isLeft(tx, now, clock.nowMs())) return false;
    tx.remove(UNWINDS, key);
    tx.append({
      type: 'agent.unwound',
      userId: agent.userId,
      agentId: agent.agentId,
      atMs: clock.nowMs(),
      policy: now.policy,
    });
    return true;
  });
  return isOver ? 'over' : 'moved';
}

/**
 * True while the policy has something left to end: open orders, or with `close` positions in
 * markets that still trade, and trades that are not final, for a sale that fails to settle gives
 * its shares back (L3).
 */
export function isLeft(
  reader: StoreReader,
  request: Pick<UnwindRecord, 'userId' | 'agentId' | 'policy'>,
  nowMs: number,
): boolean {
  if (openOrdersOf(reader, request).length > 0) return true;
  return (
    request.policy === 'close' &&
    (tradableOf(reader, request, nowMs).length > 0 || hasOpenFills(reader, request))
  );
}

/**
 * Buys of any kind, whose bytes must not go out again, and sales that rest; a market sale ends by
 * itself.
 */
function isToCancel({ intent, cancelWanted }: OrderRecord): boolean {
  return !cancelWanted && (intent.side === 'buy' || isResting(intent));
}

/**
 * True when a request to cancel is new. One that is refused for now is tried in the next pass,
 * while the order is open.
 */
async function cancel(
  { orders, log }: UnwindsDeps,
  { intent: { userId, intentId } }: OrderRecord,
): Promise<boolean> {
  try {
    await orders.cancel(userId, intentId, 'stop');
    return true;
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    log.info({ userId, intentId, code: cause.code }, 'unwind.cancel_refused');
    return false;
  }
}

/** A position of an agent, as far as it is the agent's own. */
interface OwnPosition {
  readonly position: PositionRecord;
  /** The part that is final and not set aside. */
  readonly sellable: number;
}

/**
 * What the agent holds by its own orders in markets that still trade, dust left out. Shares bought
 * manually stay.
 */
export function tradableOf(
  reader: StoreReader,
  agent: AgentOf,
  nowMs: number,
): readonly OwnPosition[] {
  const { userId, agentId } = agent;
  return Object.keys(agentRiskOf(reader, userId, agentId).tokens).flatMap((token) => {
    const position = reader.get(POSITIONS, [userId, token])?.value;
    if (
      position === undefined ||
      position.endsAtMs <= nowMs ||
      reader.get(RESOLUTIONS, [position.marketId]) !== null
    )
      return [];
    const own = Math.min(agentShares(reader, agent, position.tokenId), position.shares);
    if (own < AGENT.dustShareMicros) return [];
    const available = availableShares(
      riskOf(reader, userId),
      position.tokenId,
      balanceOf(reader, userId, position.tokenId).settled,
    );
    return [{ position, sellable: Math.min(own, available) }];
  });
}

/**
 * Sells with a receipt in the same commit (L11); true when an order was made. A refusal leaves one
 * receipt for each new reason.
 */
async function sell(
  deps: UnwindsDeps,
  agent: AgentOf,
  { position, sellable }: OwnPosition,
  refusals: Map<TokenId, ErrorCode>,
): Promise<boolean> {
  const { store, clock, orders, receipts } = deps;
  const { marketId, tokenId, outcome } = position;
  const record = store.get(AGENTS, [agent.userId, agent.agentId])?.value;
  if (record === undefined) return false;
  const decision = {
    verdict: 'exit',
    outcome,
    criteria: [],
    reason: 'Sold because the agent was stopped, and its stop closes positions.',
  } as const;
  const receipt = receipts.make(
    { ...agent, marketId },
    { strategy: record.settings.strategy, decision, inputs: [], atMs: clock.nowMs() },
    null,
  );
  try {
    await orders.place(agent.userId, {
      venue: AGENT_PROFILES[agent.agentId].venue,
      marketId,
      outcome,
      side: 'sell',
      amount: { unit: 'shares', micros: sellable },
      type: { kind: 'market' },
      // The book of a stopped agent's market may be unwatched by now.
      fetchesBook: true,
      origin: {
        kind: 'agent',
        agentId: agent.agentId,
        decisionId: receipt.decisionId,
        purpose: 'exit',
      },
      idempotencyKey: receipt.decisionId,
      alongside: (tx, { intentId }) =>
        receipts.put(tx, { ...receipt, outcome: { kind: 'order', intentId } }),
    });
    refusals.delete(tokenId);
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    deps.log.info({ ...agent, marketId, code: error.code }, 'unwind.sale_refused');
    if (refusals.get(tokenId) !== error.code)
      await receipts.write({
        ...receipt,
        outcome: { kind: 'refused', code: error.code, message: error.message },
      });
    refusals.set(tokenId, error.code);
    return false;
  }
}

/**
 * The agent one of whose orders has ended, or one of whose trades has become final; null for other
 * facts.
 */
function movedAgent(reader: StoreReader, event: DomainEvent): AgentOf | null {
  if (event.type === 'order.changed')
    return isTerminal(event.to)
      ? agentOf(reader.get(ORDERS, [event.userId, event.intentId])?.value ?? null)
      : null;
  if (event.type !== 'fill.settled' && event.type !== 'fill.reversed') return null;
  return agentOf(orderNamed(reader, event.orderId));
}

function agentOf(order: OrderRecord | null): AgentOf | null {
  return order?.intent.origin.kind === 'agent'
    ? { userId: order.intent.userId, agentId: order.intent.origin.agentId }
    : null;
}

function nameOf({ userId, agentId }: AgentOf): string {
  return `${userId}/${agentId}`;
}
