import { modeOf, stopPolicyOf, type AgentRecord, type StopPolicy } from '../../domain/agent.ts';
import type { AgentId, UserId } from '../../domain/ids.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { openOrdersOf } from '../books/agent-shares.ts';
import { isLeft, tradableOf } from './unwinds.ts';
import { audit } from '../audit.ts';
import { readerOf } from '../paper/paper-store.ts';
import { UNWINDS, tableOf } from '../books/tables.ts';

/** What a stop did with one agent. */
export interface StoppedAgent {
  readonly agentId: AgentId;
  /** False when it was not enabled: then nothing has changed. */
  readonly wasEnabled: boolean;
  readonly policy: StopPolicy;
  /** Orders that had not ended at the stop; they are cancelled unless the policy is `keep`. */
  readonly openOrders: number;
  /** Positions of its own in markets that still trade; they are sold if the policy is `close`. */
  readonly positions: number;
}

/**
 * Notes, in the transaction that disables an agent, what is still to be ended of it, and says what
 * the stop does. Nothing of the agent is signed after that transaction, so what is open in it is
 * all there ever will be.
 */
export function noteStop(tx: StoreWriter, record: AgentRecord, atMs: number): StoppedAgent {
  const { userId, agentId } = record;
  const [policy, mode] = [stopPolicyOf(record), modeOf(record)];
  const own = readerOf(mode, tx);
  if (record.enabled && policy !== 'keep' && isLeft(own, { userId, agentId, policy }, atMs))
    tx.put(tableOf(mode, UNWINDS), [userId, agentId], { userId, agentId, policy, sinceMs: atMs });
  return {
    agentId,
    policy,
    wasEnabled: record.enabled,
    openOrders: openOrdersOf(own, record).length,
    positions: tradableOf(own, record, atMs).length,
  };
}

/**
 * Tells, in their transaction, that agents were stopped together; nothing when none of them was
 * enabled.
 */
export function tellStopped(
  tx: StoreWriter,
  userId: UserId,
  stopped: readonly StoppedAgent[],
  atMs: number,
): void {
  const agents = stopped
    .filter(({ wasEnabled }) => wasEnabled)
    .map(({ wasEnabled: _always, ...stop }) => stop);
  if (agents.length === 0) return;
  tx.append({ type: 'agents.stopped', userId, atMs, agents });
  audit(tx, {
    userId,
    atMs,
    action: 'agents_stopped',
    subject: agents.map(({ agentId, policy }) => `${agentId}: ${policy}`).join(', '),
  });
}
