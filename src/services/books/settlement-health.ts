import { SETTLEMENT_BREAKER } from '../../../config/limits/risk.ts';
import { AppError } from '../../domain/errors.ts';
import type { OrderIntent } from '../../domain/order.ts';
import {
  afterSettlement,
  CLOSED_BREAKER,
  shutForMs,
  withEntry,
  type BreakerLimits,
  type BreakerState,
} from '../../domain/settlement-breaker.ts';
import type { Key, StoreReader, StoreWriter } from '../../ports/store.ts';
import { BREAKERS } from './tables.ts';

/** Whose settlements at a venue a breaker counts: everybody's, or one user's. */
export type BreakerScope = 'operator' | 'user';

const SCOPES: readonly BreakerScope[] = ['operator', 'user'];

function limitsOf(scope: BreakerScope): BreakerLimits {
  const { operator, user, ...both } = SETTLEMENT_BREAKER;
  return { ...both, ...(scope === 'operator' ? operator : user) };
}

/** A user at a venue, whose settlements are counted. */
export type Settling = Pick<OrderIntent, 'userId' | 'venue'>;

function keyOf(scope: BreakerScope, { userId, venue }: Settling): Key {
  return scope === 'operator' ? ['operator', venue] : ['user', userId, venue];
}

function stateOf(reader: StoreReader, scope: BreakerScope, whose: Settling): BreakerState {
  return reader.get(BREAKERS, keyOf(scope, whose))?.value ?? CLOSED_BREAKER;
}

/** Counts how a trade ended, in the transaction that books the end. */
export function countSettlement(
  tx: StoreWriter,
  intent: OrderIntent,
  hasFailed: boolean,
  atMs: number,
): void {
  const { userId, intentId, venue } = intent;
  for (const scope of SCOPES) {
    const before = stateOf(tx, scope, intent);
    const after = afterSettlement(before, { intentId, hasFailed, atMs }, limitsOf(scope));
    // Most trades change nothing here, and each would write two records.
    if (after === before) continue;
    tx.put(BREAKERS, keyOf(scope, intent), after);
    if ((before.openedAtMs === null) === (after.openedAtMs === null)) continue;
    tx.append({
      type: after.openedAtMs === null ? 'settlement.healed' : 'settlement.broke',
      userId,
      atMs,
      scope,
      venue,
    });
  }
}

/**
 * Holds entries of agents back while too many trades fail to settle. People decide for themselves,
 * and sales always may. Errors: `agent_degraded`.
 */
export function assertSettling(reader: StoreReader, intent: OrderIntent): void {
  const { origin, side, createdAtMs } = intent;
  if (origin.kind !== 'agent' || side !== 'buy') return;
  for (const scope of SCOPES) {
    const shutForMs = shutFor(reader, scope, intent, createdAtMs);
    if (shutForMs > 0)
      throw new AppError('agent_degraded', BREAKER_SENTENCES[scope], {
        retryable: true,
        retryAfterMs: shutForMs,
      });
  }
}

/**
 * Claims the place of the probe, in the order's own transaction: of all entries of agents that ask
 * at once one gets through.
 */
export function claimSettling(tx: StoreWriter, intent: OrderIntent): void {
  const { intentId, origin, side, createdAtMs } = intent;
  if (origin.kind !== 'agent' || side !== 'buy') return;
  for (const scope of SCOPES) {
    const before = stateOf(tx, scope, intent);
    const after = withEntry(before, intentId, createdAtMs);
    if (after !== before) tx.put(BREAKERS, keyOf(scope, intent), after);
  }
}

/** How long a breaker holds entries of this user's agents at the venue back. */
export function shutFor(
  reader: StoreReader,
  scope: BreakerScope,
  whose: Settling,
  atMs: number,
): number {
  return shutForMs(stateOf(reader, scope, whose), atMs, limitsOf(scope));
}

/** Since when a breaker is open; null while it is closed. */
export function brokenSinceMs(
  reader: StoreReader,
  scope: BreakerScope,
  whose: Settling,
): number | null {
  return stateOf(reader, scope, whose).openedAtMs;
}

/** What an open breaker says. */
export const BREAKER_SENTENCES: Readonly<Record<BreakerScope, string>> = {
  operator: 'Too many trades of all users fail to settle; one entry is tried after a pause.',
  user: 'Too many of your trades fail to settle; one entry is tried after a pause.',
};
