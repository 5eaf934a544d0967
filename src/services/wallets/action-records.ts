import { SAFE_ACTION } from '../../../config/limits/money.ts';
import { AppError, assert } from '../../domain/errors.ts';
import { asId } from '../../domain/ids.ts';
import type { ActionId, Address, UserId } from '../../domain/ids.ts';
import { isActionOver } from '../../domain/safe-action.ts';
import type {
  SafeActionPurpose,
  SafeActionRecord,
  StoredSafeSignature,
} from '../../domain/safe-action.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmCall } from '../../ports/evm.ts';
import type { Random } from '../../ports/random.ts';
import type { SignedSafeAction } from '../../ports/safe.ts';
import type { Key, StoreReader, StoreWriter } from '../../ports/store.ts';
import type { Page, PageQuery } from '../../ports/venue.ts';
import { newIdBody } from '../new-id.ts';
import { OPEN_SAFE_ACTIONS, SAFE_ACTION_KEYS, SAFE_ACTIONS } from './tables.ts';
import type { ActionRef } from './tables.ts';

/** Something a Safe is to do. */
export interface ActionDraft {
  readonly userId: UserId;
  readonly safe: Address;
  readonly purpose: SafeActionPurpose;
  readonly calls: readonly EvmCall[];
  /** The caller's key: the same key gives the same action. */
  readonly key?: string;
}

/** What an action of ours was for; `cancel` is the call without effect that takes an action's place. */
export type OwnAction = SafeActionPurpose['kind'] | 'cancel';

/** A new id of an action. */
export function newActionId(deps: { readonly clock: Clock; readonly random: Random }): ActionId {
  return asId<ActionId>(`act_${newIdBody(deps)}`);
}

/**
 * Puts an action at the end of its Safe's queue, in the caller's transaction, or gives the one made before under the same
 * key. Nothing is signed yet: an action gets its nonce when it is the first of the queue. Errors: `limit_reached`.
 */
export function intendAction(
  tx: StoreWriter,
  draft: ActionDraft,
  { actionId, nowMs }: { readonly actionId: ActionId; readonly nowMs: number },
): { readonly record: SafeActionRecord; readonly isNew: boolean } {
  const { userId, safe, purpose, calls, key } = draft;
  const made = key === undefined ? null : actionByKey(tx, userId, key);
  if (made !== null) return { record: made, isNew: false };
  const queue = openActions(tx, userId);
  if (queue.length >= SAFE_ACTION.queueMaximum) {
    throw new AppError(
      'limit_reached',
      `${SAFE_ACTION.queueMaximum} actions wait for this Safe already`,
      { retryable: true },
    );
  }
  const record: SafeActionRecord = {
    actionId,
    userId,
    place: (queue.at(-1)?.place ?? 0) + 1,
    safe,
    purpose,
    calls: calls.map(({ to, data, valueWei }) => ({ to, data, valueWei: String(valueWei) })),
    state: 'intended',
    reason: null,
    signed: null,
    cancel: null,
    sinceBlock: 0,
    relayId: null,
    sends: 0,
    lastSentAtMs: null,
    refusals: 0,
    giveUpAtMs: null,
    transactionHash: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  if (key !== undefined) tx.put(SAFE_ACTION_KEYS, [userId, key], { userId, actionId }, 0);
  putAction(tx, null, record);
  return { record, isNew: true };
}

/** The action made before under a caller's key; null when there is none. */
export function actionByKey(
  reader: StoreReader,
  userId: UserId,
  key: string,
): SafeActionRecord | null {
  const ref = reader.get(SAFE_ACTION_KEYS, [userId, key])?.value;
  return ref === undefined ? null : readAction(reader, ref);
}

/** One action as stored. Errors: `not_found`. */
export function readAction(reader: StoreReader, { userId, actionId }: ActionRef): SafeActionRecord {
  const found = reader.get(SAFE_ACTIONS, [userId, actionId])?.value;
  if (found === undefined) throw new AppError('not_found', `there is no action ${actionId}`);
  return found;
}

/** Actions of a user that have not ended, oldest first. */
export function openActions(reader: StoreReader, userId: UserId): readonly SafeActionRecord[] {
  return reader.range(OPEN_SAFE_ACTIONS, { prefix: [userId] }).flatMap(({ key }) => {
    const found = reader.get(SAFE_ACTIONS, actionKey(key));
    return found === null ? [] : [found.value];
  });
}

/** Writes an action, null before its first record, with all that follows it: queue, and the fact when its state changed. */
export function putAction(
  tx: StoreWriter,
  before: SafeActionRecord | null,
  after: SafeActionRecord,
): void {
  assert(before === null || !isActionOver(before.state), `action ${after.actionId} has not ended`);
  const { userId, actionId } = after;
  tx.put(SAFE_ACTIONS, [userId, actionId], after);
  const place = [userId, after.place, actionId];
  if (isActionOver(after.state)) tx.remove(OPEN_SAFE_ACTIONS, place);
  else if (before === null) tx.put(OPEN_SAFE_ACTIONS, place, { sinceMs: after.createdAtMs });
  if (before?.state !== after.state)
    tx.append({
      type: 'safe_action.changed',
      userId,
      atMs: after.updatedAtMs,
      from: before?.state ?? null,
      action: after,
    });
}

/** What the action of ours was for whose transaction in its Safe has this hash (EIP-712), `cancel` for the call in an action's place; null for none. */
export function ownActionOf(
  reader: StoreReader,
  userId: UserId,
  safeTxHash: string,
): OwnAction | null {
  const isOf = (signed: StoredSafeSignature | null) =>
    signed?.kind === 'execute' && signed.safeTxHash.toLowerCase() === safeTxHash.toLowerCase();
  const found = reader
    .range(SAFE_ACTIONS, { prefix: [userId] })
    .find(({ value: { signed, cancel } }) => isOf(signed) || isOf(cancel))?.value;
  return found === undefined ? null : isOf(found.signed) ? found.purpose.kind : 'cancel';
}

/**
 * One page of a user's actions of one kind, newest first; a cursor is the id of the last one of the page before.
 * Errors: `invalid_request` for a cursor that is none.
 */
export function pageOfActions(
  reader: StoreReader,
  userId: UserId,
  { kind, limit, cursor }: PageQuery & { readonly kind: SafeActionPurpose['kind'] },
): Page<SafeActionRecord> {
  if (cursor !== null && reader.get(SAFE_ACTIONS, [userId, cursor])?.value.purpose.kind !== kind) {
    throw new AppError('invalid_request', 'cursor: not a cursor of this list', {
      fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
    });
  }
  const found: SafeActionRecord[] = [];
  for (
    let before: Key | null = cursor === null ? null : [userId, cursor];
    found.length <= limit;
  ) {
    const rows = reader.range(SAFE_ACTIONS, {
      prefix: [userId],
      reverse: true,
      limit: SAFE_ACTION.rowsPerRead,
      ...(before === null ? {} : { after: before }),
    });
    found.push(...rows.map(({ value }) => value).filter(({ purpose }) => purpose.kind === kind));
    if (rows.length < SAFE_ACTION.rowsPerRead) break;
    before = rows.at(-1)?.key ?? null;
  }
  const data = found.slice(0, limit);
  return { data, nextCursor: found.length > limit ? (data.at(-1)?.actionId ?? null) : null };
}

/** The highest nonce the chain has proven to be used of those our actions were signed under, whatever used it; null when none is. */
export function usedNonce(reader: StoreReader, userId: UserId): number | null {
  const used = reader
    .range(SAFE_ACTIONS, { prefix: [userId] })
    .flatMap(({ value: { state, signed } }) =>
      isActionOver(state) && signed?.kind === 'execute' ? [signed.nonce] : [],
    );
  return used.reduce<number | null>((highest, nonce) => Math.max(highest ?? nonce, nonce), null);
}

/** The key of the action a place in a queue stands for. */
function actionKey([userId = '', , actionId = '']: Key): Key {
  return [userId, actionId];
}

/** The signed bytes as a record holds them. */
export function toStored(action: SignedSafeAction): StoredSafeSignature {
  if (action.kind === 'create') return action;
  return {
    ...action,
    call: { to: action.call.to, data: action.call.data, valueWei: String(action.call.valueWei) },
  };
}

/** The signed bytes as they leave: the same each time. */
export function fromStored(stored: StoredSafeSignature): SignedSafeAction {
  if (stored.kind === 'create') return stored;
  return {
    ...stored,
    call: { to: stored.call.to, data: stored.call.data, valueWei: BigInt(stored.call.valueWei) },
  };
}
