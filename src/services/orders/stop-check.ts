import { isTrading } from '../../domain/agent.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type UserId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { Key, StoreReader, StoreWriter } from '../../ports/store.ts';
import {
  AGENTS,
  STOPS,
  STOP_SWEEPS,
  UNWINDS,
  type OperatorStopPolicy,
  type StopRecord,
} from '../books/tables.ts';

/** What of an order tells whether a stop holds it. */
export type StoppableOrder = Pick<OrderIntent, 'userId' | 'origin' | 'side'>;

/**
 * Whose stop it is: the operator's over everybody (`all`) or over one user (`user`), or one a user
 * set for themselves (`self`). Each holds by itself and is lifted by itself, so that no party lifts
 * another's.
 */
export type StopScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'user' | 'self'; readonly userId: UserId };

/**
 * What a stop does with open buys unless a caller says otherwise: one that fills after the stop
 * would be an unwanted trade.
 */
export const STOP_POLICY_DEFAULT: OperatorStopPolicy = 'cancel_only';

/** The reason of a stop that was given none. */
/** The reason of a stop that was given none. */
export const STOP_REASON_DEFAULT = 'stopped by the user';

/** The key of a stop. */
export function stopKey(scope: StopScope): Key {
  return scope.kind === 'all' ? ['all'] : [scope.kind, scope.userId];
}

/** The scope of a stop's key. */
export function stopScopeOf([kind, userId]: Key): StopScope {
  return userId === undefined
    ? { kind: 'all' }
    : { kind: kind === 'self' ? 'self' : 'user', userId: asId<UserId>(String(userId)) };
}

/**
 * Writes a stop, or lifts it, with the fact, and what is to be swept. Gives the stop as it is then:
 * one that was so before keeps its moment, unless open buys were kept and are now to be cancelled,
 * and its reason, unless another is given.
 */
export function writeStop(
  tx: StoreWriter,
  {
    scope,
    reason: given,
    ...rest
  }: Omit<StopRecord, 'reason'> & { readonly scope: StopScope; readonly reason: string | null },
): StopRecord {
  const key = stopKey(scope);
  const { stopped, atMs, policy } = rest;
  const standing = tx.get(STOPS, key)?.value ?? null;
  const reason = given ?? (standing?.stopped === true ? standing.reason : STOP_REASON_DEFAULT);
  const wanted: StopRecord = { ...rest, reason };
  const before = standing ?? { ...wanted, stopped: false };
  const isTightened = stopped && policy === 'cancel_only' && before.policy !== 'cancel_only';
  if (before.stopped === stopped && !isTightened) {
    if (!stopped) return before;
    const renamed: StopRecord = { ...before, reason };
    tx.put(STOPS, key, renamed);
    return renamed;
  }
  tx.put(STOPS, key, wanted);
  if (stopped && policy === 'cancel_only') tx.put(STOP_SWEEPS, key, { sinceMs: atMs });
  else tx.remove(STOP_SWEEPS, key);
  if (scope.kind === 'all')
    tx.append({ type: stopped ? 'all_trading.stopped' : 'all_trading.resumed', atMs, reason });
  else
    tx.append({
      type: stopped ? 'trading.stopped' : 'trading.resumed',
      userId: scope.userId,
      atMs,
      by: scope.kind === 'self' ? 'user' : 'operator',
      reason,
    });
  return wanted;
}

/**
 * Says what holds an order back (L6); null when nothing does. A stop of the operator or of a user
 * holds every buy; sales go on, for they only take risk away, and a stop must lock no position in.
 * An agent that is not enabled buys nothing, and sells only while it is unwound by a stop that
 * asked for that.
 */
export function stopOver(reader: StoreReader, order: StoppableOrder): string | null {
  return holdOver(reader, order)?.reason ?? null;
}

/**
 * Refuses what a stop holds back. Errors: `trading_stopped` for a stop of buying, `agent_stopped`
 * for an agent that is not enabled.
 */
export function assertNotStopped(reader: StoreReader, order: StoppableOrder): void {
  const hold = holdOver(reader, order);
  if (hold !== null) throw new AppError(hold.code, hold.reason);
}

function holdOver(
  reader: StoreReader,
  { userId, origin, side }: StoppableOrder,
): { readonly code: 'trading_stopped' | 'agent_stopped'; readonly reason: string } | null {
  if (side === 'buy') {
    if (reader.get(STOPS, ['all'])?.value.stopped === true)
      return { code: 'trading_stopped', reason: 'buying is stopped for everybody' };
    if (reader.get(STOPS, ['user', userId])?.value.stopped === true)
      return { code: 'trading_stopped', reason: `buying is stopped for user ${userId}` };
    if (reader.get(STOPS, ['self', userId])?.value.stopped === true)
      return {
        code: 'trading_stopped',
        reason: 'you stopped your trading: POST /api/user/resume lets it go on',
      };
  }
  if (origin.kind !== 'agent') return null;
  const agent = reader.get(AGENTS, [userId, origin.agentId])?.value;
  if (agent !== undefined && isTrading(agent)) return null;
  const isClosing =
    side === 'sell' && reader.get(UNWINDS, [userId, origin.agentId])?.value.policy === 'close';
  return isClosing
    ? null
    : { code: 'agent_stopped', reason: `agent ${origin.agentId} of user ${userId} is not enabled` };
}
