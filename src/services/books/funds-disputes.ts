import { ORDER } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import { type FundsDispute, spentAsset, withRefusal } from '../../domain/funds-dispute.ts';
import { isTerminal, type OrderIntent, type OrderRecord } from '../../domain/order.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Store, StoreReader, StoreWriter } from '../../ports/store.ts';
import { FUNDS_DISPUTES } from './tables.ts';

/**
 * Refuses to spend what the venue says is not there, until the pause is over; the order then let
 * through finds out. Errors: `funds_disputed`.
 */
export function assertUndisputed(reader: StoreReader, intent: OrderIntent): void {
  const asset = spentAsset(intent);
  const dispute = reader.get(FUNDS_DISPUTES, [intent.userId, asset])?.value;
  if (dispute === undefined || intent.createdAtMs >= dispute.retryAtMs) return;
  throw new AppError(
    'funds_disputed',
    `the venue refused ${dispute.refusals} funded orders in a row (${dispute.reason}); the next is tried after a pause`,
    {
      retryable: true,
      retryAfterMs: dispute.retryAtMs - intent.createdAtMs,
    },
  );
}

/**
 * Opens or prolongs a dispute over what an order was to spend, in the transaction that stores its
 * refusal for want of funds.
 */
export function openDispute(tx: StoreWriter, refused: OrderRecord, lacksAllowance: boolean): void {
  // A refusal that did not end the order was of a second copy: the first may hold the funds.
  if (!isTerminal(refused.state)) return;
  const { intent, reason, updatedAtMs: atMs } = refused;
  const { userId } = intent;
  const asset = spentAsset(intent);
  const dispute = withRefusal(
    tx.get(FUNDS_DISPUTES, [userId, asset])?.value ?? null,
    {
      asset,
      reason: reason ?? '',
      lacksAllowanceOf: lacksAllowance ? intent.cashAccount : null,
      atMs,
    },
    ORDER.disputePause,
  );
  tx.put(FUNDS_DISPUTES, [userId, asset], dispute);
  tx.append({ type: 'funds.disputed', userId, atMs, dispute });
}

/**
 * Ends the dispute over what an order spends, if there is one: the venue has taken the order in.
 */
export function endDispute(tx: StoreWriter, { intent, updatedAtMs: atMs }: OrderRecord): void {
  const key = [intent.userId, spentAsset(intent)];
  const dispute = tx.get(FUNDS_DISPUTES, key)?.value;
  if (dispute === undefined) return;
  tx.remove(FUNDS_DISPUTES, key);
  tx.append({ type: 'funds.agreed', userId: intent.userId, atMs, dispute });
}

/** Lists what is in dispute with the venues of a user. */
export function openDisputes(store: StoreReader, userId: UserId): readonly FundsDispute[] {
  return store.range(FUNDS_DISPUTES, { prefix: [userId] }).map(({ value }) => value);
}

/**
 * Tells operators how many accounts are in dispute: each needs a review, for only the venue can
 * drop a reservation it forgot.
 */
export function reportDisputes({
  store,
  metrics,
  log,
}: {
  readonly store: Store;
  readonly metrics: Metrics;
  readonly log: Log;
}): void {
  const open = store.range(FUNDS_DISPUTES);
  metrics.gauge('funds_disputes_open', open.length);
  if (open.length > 0)
    log.error(
      { disputes: open.length, users: open.slice(0, 10).map(({ key }) => key[0]) },
      'funds.disputed',
    );
}
