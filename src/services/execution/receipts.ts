import { AGENT } from '../../../config/limits.ts';
import {
  modeOf,
  type AgentMode,
  type DecisionRecord,
  type SignalReceipt,
} from '../../domain/agent.ts';
import { asId, type AgentId, type DecisionId, type UserId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreWriter } from '../../ports/store.ts';
import type { Page } from '../../ports/catalogue.ts';
import type { Advice, AgentRef } from '../../../machines/agent-types.ts';
import { SIGNAL_RECEIPTS } from './tables.ts';
import { newIdBody } from '../new-id.ts';
import {
  findReceipt,
  listReceipts,
  listTrades,
  orderOf,
  type DecisionView,
  type PageQuery,
  type RecordedDecision,
} from './receipts-list.ts';
import { DECISIONS } from '../books/tables.ts';

/** Receipts of decisions (L11). */
export interface Receipts {
  /** Makes the receipt of a decision. It is not stored yet, and what became of it is `none`. */
  make(ref: AgentRef, advice: Advice, amountUsdc: UsdcMicros | null): DecisionRecord;
  /** Stores a receipt in the caller's transaction and tells the journal. */
  put(tx: StoreWriter, record: DecisionRecord): void;
  /** Stores a receipt and resolves when it would survive a power failure. */
  write(record: DecisionRecord): Promise<void>;
  /**
   * Writes a change of mind of a shared signal once for the group, tells the journal, and prunes
   * what is past its time.
   */
  note(
    groupKey: string,
    ref: Pick<AgentRef, 'agentId' | 'marketId'>,
    advice: Advice,
  ): Promise<void>;
  /** Receipts of an agent, newest first. Errors: `invalid_request` for an invalid cursor. */
  list(userId: UserId, agentId: AgentId, query: PageQuery): Page<DecisionView>;
  /** A receipt of an agent with what it can be decided by again; null where it has none such. */
  find(userId: UserId, agentId: AgentId, decisionId: DecisionId): RecordedDecision | null;
  /** Receipts that led to an order, newest first. Errors as `list`. */
  trades(userId: UserId, agentId: AgentId, query: PageQuery): Page<DecisionView>;
  /** Orders of the agent's sales in one market since a moment: a round has few. */
  exitOrders(ref: AgentRef, sinceMs: number): readonly OrderRecord[];
}

/** Old shared receipts removed with each new one: more than one, so that pruning catches up. */
const PRUNED_PER_NOTE = 2;

/** Makes the receipts over the store, for decisions of one mode. */
export function createReceipts(
  { store, commit, clock, random }: Pick<Runtime, 'store' | 'commit' | 'clock' | 'random'>,
  mode: AgentMode = 'live',
): Receipts {
  const newId = () => asId<DecisionId>(`dec_${newIdBody({ clock, random })}`);

  return {
    make: (ref, advice, amountUsdc) => ({
      decisionId: newId(),
      userId: ref.userId,
      agentId: ref.agentId,
      marketId: ref.marketId,
      strategy: advice.strategy,
      ...(mode === 'paper' ? { mode } : {}),
      atMs: advice.atMs,
      inputs: advice.inputs,
      decision: advice.decision,
      ...(advice.basis === undefined ? {} : { basis: advice.basis }),
      amountUsdc,
      outcome: { kind: 'none' },
    }),
    put,
    write: (record) => commit((tx) => put(tx, record)),
    async note(groupKey, { agentId, marketId }, advice) {
      const receipt: SignalReceipt = {
        decisionId: newId(),
        groupKey,
        agentId,
        marketId,
        strategy: advice.strategy,
        atMs: advice.atMs,
        inputs: advice.inputs,
        decision: advice.decision,
        ...(advice.basis === undefined ? {} : { basis: advice.basis }),
      };
      await commit((tx) => {
        prune(tx, groupKey, clock.nowMs() - AGENT.signalReceiptsKeptMs);
        const journalSeq = tx.append({ type: 'signal.judged', atMs: receipt.atMs, receipt });
        tx.put(
          SIGNAL_RECEIPTS,
          [groupKey, receipt.atMs, receipt.decisionId],
          { ...receipt, journalSeq },
          0,
        );
      });
    },
    list: (userId, agentId, query) => listReceipts(store, { userId, agentId }, query),
    find: (userId, agentId, decisionId) => findReceipt(store, { userId, agentId }, decisionId),
    trades: (userId, agentId, query) => listTrades(store, { userId, agentId }, query),
    exitOrders(ref, sinceMs) {
      return store
        .range(DECISIONS, {
          prefix: [ref.userId, ref.agentId],
          after: [ref.userId, ref.agentId, sinceMs],
        })
        .filter(
          ({ value }) =>
            value.marketId === ref.marketId &&
            value.decision.verdict === 'exit' &&
            modeOf(value) === mode,
        )
        .map(({ value }) => orderOf(store, value))
        .filter((order) => order !== null);
    },
  };
}

/**
 * The journal chains what the receipt says; what becomes of its order later is recorded by later
 * entries, so nothing of it ever changes.
 */
function put(tx: StoreWriter, record: DecisionRecord): void {
  const journalSeq = tx.append({
    type: 'decision.made',
    userId: record.userId,
    atMs: record.atMs,
    decision: record,
  });
  tx.put(
    DECISIONS,
    [record.userId, record.agentId, record.atMs, record.decisionId],
    { ...record, journalSeq },
    0,
  );
}

function prune(tx: StoreWriter, groupKey: string, beforeMs: number): void {
  for (const { key, value } of tx.range(SIGNAL_RECEIPTS, {
    prefix: [groupKey],
    limit: PRUNED_PER_NOTE,
  })) {
    if (value.atMs < beforeMs) tx.remove(SIGNAL_RECEIPTS, key);
  }
}
