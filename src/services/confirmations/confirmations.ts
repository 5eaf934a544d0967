import { CONFIRMATION } from '../../../config/limits/mcp.ts';
import { API } from '../../../config/limits/api.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { API_KEY_CONSENTS, API_KEY_QUESTIONS, API_KEY_RECORDS } from '../api-keys/tables.ts';
import { audit } from '../audit.ts';
import type { Idempotency } from '../idempotency.ts';
import { newIdBody } from '../new-id.ts';
import { newestFirst } from '../newest-first.ts';
import type { Orders } from '../orders/orders.ts';
import type { PlaceOrder } from '../orders/place-order.ts';
import {
  CONFIRMATION_NAMES,
  CONFIRMATIONS,
  type ConfirmationRecord,
  type KeptOrder,
} from './tables.ts';

/** An order as an assistant puts it forward. */
interface Proposal {
  readonly keyId: string;
  readonly request: PlaceOrder;
  /** The same one gives what was put forward under it first; null without one. */
  readonly clientRequestId: string | null;
}

/**
 * Orders of assistants that wait for their person: put forward, confirmed or refused, and placed
 * once.
 */
export interface Confirmations {
  /**
   * Puts an order forward, its worst price fixed, and tells its person. Errors: what placing it
   * would be refused for now, `idempotency_mismatch` where another order was put forward under the
   * same key, and `limit_reached` while CONFIRMATION.waitingMaximum wait.
   */
  propose(userId: UserId, proposal: Proposal): Promise<ConfirmationRecord>;
  /**
   * Refuses to place directly what was put forward under the same name: the person decides, and one
   * name makes one order. Errors: `confirmation_required` for a key, `idempotency_mismatch` for a
   * session (`keyId` null).
   */
  assertNotAsked(userId: UserId, keyId: string | null, clientRequestId: string): void;
  /** All that were put forward of late, newest first. */
  list(userId: UserId): readonly ConfirmationRecord[];
  /**
   * Places the order; all caps and the limits of its key are checked again. What is refused for
   * something that passes, a stop among it, waits for an answer again, what was placed stays as it
   * is. Errors: `not_found`, `confirmation_ended`, those of `Orders.place`.
   */
  confirm(userId: UserId, confirmationId: string): Promise<ConfirmationRecord>;
  /** Errors: `not_found`, `confirmation_ended`. */
  refuse(userId: UserId, confirmationId: string): Promise<ConfirmationRecord>;
}

export interface ConfirmationsDeps extends Pick<Runtime, 'store' | 'commit' | 'random'> {
  /** Wall time. */
  readonly clock: Clock;
  readonly orders: Pick<Orders, 'place' | 'estimate'>;
  /** What callers' names have made. */
  readonly idempotency: Pick<Idempotency, 'hasMade'>;
}

/** Makes the service. */
export function createConfirmations(deps: ConfirmationsDeps): Confirmations {
  const { store, commit, clock } = deps;
  /** What is being confirmed in this process: as many as there are calls at once. */
  const placing = new Map<string, Promise<ConfirmationRecord>>();
  return {
    propose: async (userId, proposal) => unlessLeft(await propose(deps, userId, proposal), placing),
    assertNotAsked(userId, keyId, clientRequestId) {
      if (store.get(CONFIRMATION_NAMES, [userId, clientRequestId]) === null) return;
      throw keyId === null
        ? new AppError('idempotency_mismatch', 'an assistant put an order forward under this name')
        : new AppError('confirmation_required', 'this call was put forward to its person');
    },
    list: (userId) =>
      [...newestFirst(store, CONFIRMATIONS, { prefix: [userId], start: null })].map(({ value }) =>
        withKeysEnd(store, unlessLeft(value, placing)),
      ),
    confirm(userId, confirmationId) {
      const name = nameOf({ userId, confirmationId });
      const running = placing.get(name);
      if (running !== undefined) return running;
      const confirmed = confirm(deps, userId, confirmationId).finally(() => placing.delete(name));
      placing.set(name, confirmed);
      return confirmed;
    },
    refuse: (userId, confirmationId) =>
      commit((tx) => {
        const record = waiting(tx, { userId, confirmationId, nowMs: clock.nowMs() });
        return put(tx, { ...record, state: 'refused' }, clock.nowMs());
      }),
  };
}

async function propose(
  deps: ConfirmationsDeps,
  userId: UserId,
  { keyId, request, clientRequestId }: Proposal,
): Promise<ConfirmationRecord> {
  const { store, commit, random, clock, orders } = deps;
  const keyed = clientRequestId === null ? null : [userId, clientRequestId];
  const asked = JSON.stringify(keptOf(request));
  const made = madeBefore(store, userId, { keyed, asked });
  if (made !== null) return made;
  const { intent, market, setsAside, refusal } = await orders.estimate(userId, request);
  if (refusal !== null && refusal.code !== 'confirmation_required')
    throw new AppError(refusal.code, refusal.message, { retryable: refusal.isRetryable });
  const { side, type } = request;
  const nowMs = clock.nowMs();
  const keyEndsAtMs = store.get(API_KEY_RECORDS, [userId, keyId])?.value.limits.expiresAtMs;
  const record: ConfirmationRecord = {
    clientRequestId,
    confirmationId: `cnf_${newIdBody({ clock, random })}`,
    userId,
    keyId,
    order: {
      ...keptOf(request),
      type: type.kind === 'market' ? { ...type, worstPrice: intent.price } : type,
    },
    side,
    worstPrice: intent.price,
    setsAside,
    state: 'asked',
    askedAtMs: nowMs,
    // nothing is placed for a key after its end
    expiresAtMs: Math.min(nowMs + CONFIRMATION.waitsMs, keyEndsAtMs ?? Infinity),
    intentId: null,
    failure: null,
  };
  return commit((tx) => {
    // The same may have been asked for meanwhile, and is one confirmation all the same.
    const other = madeBefore(tx, userId, { keyed, asked });
    if (other !== null) return other;
    assertNamesNoOrder(deps, tx, record);
    makeRoom(tx, userId, nowMs);
    tx.put(CONFIRMATIONS, [userId, record.confirmationId], record, 0);
    const { expiresAtMs } = record;
    tx.put(API_KEY_QUESTIONS, [userId, record.confirmationId], {
      side,
      setsAside,
      expiresAtMs,
      market: {
        marketId: market.marketId,
        question: market.question,
        ...(market.eventTitle === undefined ? {} : { eventTitle: market.eventTitle }),
        outcomeLabel: market.outcomes[intent.outcome].label,
      },
    });
    if (keyed !== null)
      tx.put(CONFIRMATION_NAMES, keyed, { confirmationId: record.confirmationId, asked });
    tell(tx, record, nowMs);
    return record;
  });
}

/**
 * One name makes one order, also where another key of the user placed one under it directly.
 * Errors: `idempotency_mismatch`.
 */
function assertNamesNoOrder(
  { idempotency }: Pick<ConfirmationsDeps, 'idempotency'>,
  reader: Pick<StoreWriter, 'get'>,
  { userId, clientRequestId }: Pick<ConfirmationRecord, 'userId' | 'clientRequestId'>,
): void {
  if (clientRequestId !== null && idempotency.hasMade(reader, userId, clientRequestId))
    throw new AppError('idempotency_mismatch', 'an order was placed under this name already');
}

/**
 * Returns what was put forward under a key; null where nothing was. Errors: `idempotency_mismatch`
 * where it was something else.
 */
function madeBefore(
  reader: Pick<StoreWriter, 'get'>,
  userId: UserId,
  { keyed, asked }: { readonly keyed: readonly string[] | null; readonly asked: string },
): ConfirmationRecord | null {
  const before = keyed === null ? undefined : reader.get(CONFIRMATION_NAMES, keyed)?.value;
  const made = before && reader.get(CONFIRMATIONS, [userId, before.confirmationId])?.value;
  if (made === undefined) return null;
  if (before?.asked === asked) return made;
  throw new AppError(
    'idempotency_mismatch',
    'this key was used to put another order forward; take a new one',
  );
}

function keptOf({
  venue,
  marketId,
  outcome,
  side,
  amount,
  type,
  clientOrderId,
}: PlaceOrder): KeptOrder {
  return {
    venue,
    marketId,
    outcome,
    side,
    amount,
    type,
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
  };
}

async function confirm(
  deps: ConfirmationsDeps,
  userId: UserId,
  confirmationId: string,
): Promise<ConfirmationRecord> {
  const { commit, clock, orders, store } = deps;
  const toPlace = await commit((tx) => {
    const before = found(tx, userId, confirmationId);
    if (before.state === 'placed') return before;
    const record = waiting(tx, { userId, confirmationId, nowMs: clock.nowMs() });
    tx.put(API_KEY_CONSENTS, [confirmationId], { userId, keyId: record.keyId });
    return record.state === 'confirmed'
      ? record
      : put(tx, { ...record, state: 'confirmed' }, clock.nowMs());
  });
  if (toPlace.state === 'placed') return toPlace;
  const { order, keyId } = toPlace;
  const recordOf = (tx: Pick<StoreWriter, 'get'>) => found(tx, userId, confirmationId);
  try {
    await orders.place(userId, {
      ...order,
      origin: { kind: 'manual', keyId, confirmationId },
      // whatever happens in between, one confirmation places one order
      idempotencyKey: confirmationId,
      fenceWaitMs: API.orderWaitDefaultMs,
      alongside(tx, { intentId }) {
        const record = recordOf(tx);
        // Its person may have refused it while its price was read.
        if (record.state !== 'confirmed') throw ended(record);
        assertNamesNoOrder(deps, tx, record);
        tx.put(CONFIRMATIONS, [userId, confirmationId], { ...record, state: 'placed', intentId });
      },
    });
  } catch (error) {
    if (error instanceof AppError)
      await commit((tx) => {
        const record = recordOf(tx);
        tx.remove(API_KEY_CONSENTS, [confirmationId]);
        if (record.state === 'confirmed')
          tx.put(CONFIRMATIONS, [userId, confirmationId], {
            ...record,
            // what passes leaves the question open: nothing is being placed, and they may try again
            ...(mayPass(error) ? { state: 'asked' } : { state: 'failed', failure: error.code }),
          });
      });
    throw endedBy(error, recordOf(store));
  }
  return recordOf(store);
}

/** A stop ends by an operator's or the user's own word, within the question's time or after it. */
function mayPass({ retryable, code }: AppError): boolean {
  return retryable || code === 'trading_stopped';
}

/**
 * Returns what a person is shown of a confirmation that did not place its order: what is of the key
 * alone, or of a faster caller, is no fault of theirs.
 */
function endedBy(error: unknown, record: ConfirmationRecord): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'confirmation_required') return ended(record);
  return error.code === 'api_key_invalid'
    ? new AppError('confirmation_ended', `the key that asked, ${record.keyId}, holds no more`)
    : error;
}

function found(
  reader: Pick<StoreWriter, 'get'>,
  userId: UserId,
  confirmationId: string,
): ConfirmationRecord {
  const record = reader.get(CONFIRMATIONS, [userId, confirmationId])?.value;
  if (record === undefined) throw new AppError('not_found', `you have no ${confirmationId}`);
  return record;
}

/** A question of a revoked key ended with it, and says so, whenever it was to end. */
function withKeysEnd(
  reader: Pick<StoreWriter, 'get'>,
  record: ConfirmationRecord,
): ConfirmationRecord {
  const key = reader.get(API_KEY_RECORDS, [record.userId, record.keyId])?.value;
  const endedAtMs = key === undefined ? record.askedAtMs : key.revokedAtMs;
  return endedAtMs === null || endedAtMs >= record.expiresAtMs || !isOpen(record)
    ? record
    : { ...record, expiresAtMs: endedAtMs, failure: 'api_key_invalid' };
}

function isOpen({ state }: Pick<ConfirmationRecord, 'state'>): boolean {
  return state === 'asked' || state === 'confirmed';
}

/**
 * One that was being placed by a call that ended with its process waits for its person again: what
 * was placed says so in the same transaction.
 */
function unlessLeft(
  record: ConfirmationRecord,
  placing: ReadonlyMap<string, unknown>,
): ConfirmationRecord {
  return record.state === 'confirmed' && !placing.has(nameOf(record))
    ? { ...record, state: 'asked' }
    : record;
}

function nameOf({
  userId,
  confirmationId,
}: Pick<ConfirmationRecord, 'userId' | 'confirmationId'>): string {
  return `${userId} ${confirmationId}`;
}

/**
 * One that may still be answered: not yet, or confirmed by a call that ended before it placed it.
 */
function waiting(
  tx: StoreWriter,
  {
    userId,
    confirmationId,
    nowMs,
  }: { readonly userId: UserId; readonly confirmationId: string; readonly nowMs: number },
): ConfirmationRecord {
  const record = withKeysEnd(tx, found(tx, userId, confirmationId));
  if (!isOpen(record)) throw ended(record);
  if (nowMs < record.expiresAtMs) return record;
  const why =
    record.failure === null
      ? 'was not answered in time'
      : `ended when the key that asked, ${record.keyId}, was revoked`;
  throw new AppError('confirmation_ended', `${confirmationId} ${why}`);
}

function ended({ confirmationId, state }: ConfirmationRecord): AppError {
  return new AppError('confirmation_ended', `${confirmationId} is ${state}`);
}

function put(tx: StoreWriter, record: ConfirmationRecord, nowMs: number): ConfirmationRecord {
  tx.put(CONFIRMATIONS, [record.userId, record.confirmationId], record);
  tell(tx, record, nowMs);
  return record;
}

function tell(
  tx: StoreWriter,
  { userId, confirmationId, keyId, state }: ConfirmationRecord,
  atMs: number,
): void {
  audit(tx, {
    userId,
    atMs,
    action:
      state === 'asked'
        ? 'confirmation_asked'
        : state === 'refused'
          ? 'confirmation_refused'
          : 'confirmation_given',
    subject: confirmationId,
    detail: keyId,
  });
}

/** Forgets the oldest beyond what is kept. Errors: `limit_reached` while too many wait. */
function makeRoom(tx: StoreWriter, userId: UserId, nowMs: number): void {
  const all = tx.range(CONFIRMATIONS, { prefix: [userId] });
  const open = all.filter(
    ({ value }) => value.state === 'asked' && withKeysEnd(tx, value).expiresAtMs > nowMs,
  );
  if (open.length >= CONFIRMATION.waitingMaximum)
    throw new AppError('limit_reached', `${open.length} orders wait to be confirmed already`, {
      retryable: true,
      retryAfterMs: CONFIRMATION.waitsMs,
    });
  const beyond = Math.max(0, all.length + 1 - CONFIRMATION.keptMaximum);
  for (const { key, value } of all.slice(0, beyond)) {
    const { confirmationId, clientRequestId } = value;
    tx.remove(CONFIRMATIONS, key);
    tx.remove(API_KEY_QUESTIONS, key);
    tx.remove(API_KEY_CONSENTS, [confirmationId]);
    if (clientRequestId !== null) tx.remove(CONFIRMATION_NAMES, [userId, clientRequestId]);
  }
}
