import { AppError, assert } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json-value.ts';
import { withAttempt, type OrderRecord } from '../../domain/order.ts';
import type { VenueTraits } from '../../domain/venue.ts';
import type { OrderSigner } from '../../ports/order-signer.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Alongside } from '../books/order-updates.ts';
import type { Venues } from '../venues.ts';
import { ORDERS, TRADED_MARKETS, type OrderRef } from '../books/tables.ts';
import { stopOver } from './stop-check.ts';
import { accessRefusal } from './access-gate.ts';

/**
 * Makes what signs an intent once more in the transaction that stores the proof that its last
 * attempt can never land (L1). The order then stays open with what it has set aside (L5); it is
 * held to every stop as any order (L6), to its own time, and to the attempts its venue bounds.
 * Where it may not follow, or cannot be made anew, for instance because its market has closed, the
 * order ends as the proof says; undefined where that is known before.
 */
export async function reissuing(
  {
    store,
    venues,
  }: {
    readonly store: StoreReader;
    readonly venues: Venues;
  },
  { userId, intentId }: OrderRef,
  atMs: number,
): Promise<Alongside | undefined> {
  const record = store.get(ORDERS, [userId, intentId])?.value;
  assert(record !== undefined, `order ${intentId} is known`);
  const { intent } = record;
  const { signer, traits } = venues.trading(intent);
  const market = store.get(TRADED_MARKETS, [intent.marketId])?.value;
  assert(market !== undefined, `the market of order ${intentId} is known`);
  if (!mayFollow(store, { ...record, state: 'rejected' }, { traits, atMs })) return undefined;
  const prepared = await preparedOrNot(signer, { intent, market, atMs });
  if (prepared === undefined) return undefined;
  return {
    amend(tx, refused) {
      const before = tx.get(ORDERS, [userId, intentId])?.value;
      if (before === undefined || !mayFollow(tx, refused, { traits, atMs })) return refused;
      const attempts = withAttempt(refused.attempts, signer.sign(intent, prepared), atMs);
      return { ...refused, attempts, state: 'signed', reason: null, reserved: before.reserved };
    },
    add(tx, { state, attempts }) {
      const [refused, last] = attempts.slice(-2);
      if (state !== 'signed' || refused === undefined || last === undefined) return;
      const { attemptId } = last;
      const follows = { attemptId: refused.attemptId, proof: refused.ended?.proof ?? null };
      tx.append({ type: 'order.signed', userId, atMs, intentId, attemptId, follows });
    },
  };
}

/** What an attempt is signed with; undefined where the venue has nothing to sign now. */
async function preparedOrNot(
  signer: OrderSigner,
  draft: Parameters<NonNullable<OrderSigner['prepare']>>[0],
): Promise<JsonValue | undefined> {
  try {
    return (await signer.prepare?.(draft)) ?? null;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function mayFollow(
  tx: StoreReader,
  { intent, state, attempts, cancelWanted }: OrderRecord,
  { traits, atMs }: { readonly traits: VenueTraits; readonly atMs: number },
): boolean {
  return (
    state === 'rejected' &&
    !cancelWanted &&
    attempts.length < traits.attemptsMaximum &&
    atMs <= intent.sendUntilMs &&
    stopOver(tx, intent) === null &&
    accessRefusal(tx, intent, atMs) === null
  );
}
