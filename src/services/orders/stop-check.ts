import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { StoreReader } from '../../ports/store.ts';
import { AGENTS, STOPS, WIND_UPS } from '../tables.ts';

/** What of an order tells whether a stop holds it. */
export type StoppableOrder = Pick<OrderIntent, 'userId' | 'origin' | 'side'>;

/** The key of a stop: of the whole house, or of one user's trading by hand and by agents. */
export function stopKey(userId: UserId | null): readonly string[] {
  return userId === null ? ['all'] : ['user', userId];
}

/**
 * Says what holds an order back (L6); null when nothing does. A stop of the house or of a user holds every buy; sales go
 * on, for they only take risk away, and a stop must lock nobody in. An agent that is not enabled buys nothing, and sells
 * only while it is wound up by a stop that asked for that.
 */
export function stopOver(reader: StoreReader, { userId, origin, side }: StoppableOrder): string | null {
  if (side === 'buy') {
    if (reader.get(STOPS, stopKey(null))?.value.stopped === true) return 'trading is stopped for the house';
    if (reader.get(STOPS, stopKey(userId))?.value.stopped === true) return `trading of user ${userId} is stopped`;
  }
  if (origin.kind !== 'agent' || reader.get(AGENTS, [userId, origin.agentId])?.value.enabled === true) return null;
  const isClosing = side === 'sell' && reader.get(WIND_UPS, [userId, origin.agentId])?.value.policy === 'close';
  return isClosing ? null : `agent ${origin.agentId} of user ${userId} is not enabled`;
}

/** Refuses what a stop holds back. Errors: `agent_stopped`. */
export function assertNotStopped(reader: StoreReader, order: StoppableOrder): void {
  const reason = stopOver(reader, order);
  if (reason !== null) throw new AppError('agent_stopped', reason);
}
