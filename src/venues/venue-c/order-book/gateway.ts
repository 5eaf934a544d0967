import { VENUE_C } from '../../../../config/limits/venue-c.ts';
import { AppError } from '../../../domain/errors.ts';
import { asId, type OrderId, type UserId } from '../../../domain/ids.ts';
import type { OrderHandle } from '../../../domain/order.ts';
import { shareMicros } from '../../../domain/units.ts';
import type {
  CancelOutcome,
  LookupOutcome,
  OrderGateway,
  VenueOrder,
} from '../../../ports/order-gateway.ts';
import type { VenueAccount } from '../account.ts';
import type { Allowances } from '../allowances.ts';
import type { VenueClient } from '../client.ts';
import type { EarlierTrades } from './earlier-trades.ts';
import { fillsOf } from './fills.ts';
import type { OrderRow, StatedOrder } from './schema.ts';
import { readMarketRows, readResting, readStatus } from './status.ts';
import { cancelOutcome, isWhole, lacksRight, sharesOf, submitOutcome } from './write-outcomes.ts';

/** Users' accounts at the venue, as orders need them. */
export interface OrderAccounts {
  /** Errors: those of an account that cannot be opened or read. */
  accountOf(userId: UserId): Promise<VenueAccount>;
  /** The venue took no more of what an account is known by: it is read again at its next use. */
  refused(userId: UserId): void;
}

/**
 * Makes the gateway. Writes are sent once, and asked about by our own id of the order until the
 * venue's is known. It has no list of fills by their orders, so they come with each order that is
 * looked up.
 */
export function createOrderGateway(parts: {
  readonly client: VenueClient;
  readonly accounts: OrderAccounts;
  readonly allowances: Pick<Allowances, 'forget'>;
  readonly earlier: EarlierTrades;
  readonly watch: OrderGateway['watch'];
}): OrderGateway {
  const { client, accounts, allowances, earlier, watch } = parts;
  return {
    watch,
    async submit(order, permission) {
      const { userId } = order.intent;
      const account = await accounts.accountOf(userId).catch(reasonOf);
      if (typeof account === 'string')
        return { kind: 'deferred', retryAfterMs: VENUE_C.retryAfterDefaultMs, reason: account };
      const answer = await client.send({
        method: 'POST',
        path: '/orders',
        body: order.attempt.body,
        account,
        signal: permission?.signal,
        isGranted: permission?.isGranted,
      });
      const outcome = submitOutcome(order, answer);
      const isRefused = answer.kind === 'answered' && answer.status === 401;
      const isRightMissing = outcome.kind === 'reissue' && lacksRight(outcome.reason);
      if (isRightMissing) allowances.forget(userId);
      else if (isRefused || outcome.kind === 'reissue') accounts.refused(userId);
      return outcome;
    },
    async cancel(order) {
      try {
        return await cancel(client, await accounts.accountOf(order.intent.userId), order);
      } catch (cause) {
        return { kind: 'unknown', cause: reasonOf(cause) };
      }
    },
    async lookup(order) {
      try {
        const account = await accounts.accountOf(order.intent.userId);
        const outcome = await lookup(client, account, order);
        if (outcome.kind !== 'found' || outcome.fills === undefined) return outcome;
        const fills = await earlier.settled(order, account.address, outcome.fills);
        return { ...outcome, fills };
      } catch (cause) {
        return { kind: 'unreachable', cause: reasonOf(cause) };
      }
    },
    fills: null,
    async openOrders(userId) {
      const { rows, unread } = await readResting(client, await accounts.accountOf(userId));
      return { read: rows.map((row) => restingOrder(row)), unread };
    },
  };
}

async function cancel(
  client: VenueClient,
  account: VenueAccount,
  { attempt }: OrderHandle,
): Promise<CancelOutcome> {
  const orderId = attempt.orderId ?? (await readStatus(client, account, attempt))?.order.id;
  if (orderId === undefined) return { kind: 'unclear', reason: 'the venue knows no such order' };
  return cancelOutcome(
    await client.send({
      method: 'DELETE',
      path: `/orders/${encodeURIComponent(orderId)}`,
      account,
    }),
  );
}

/**
 * What is stated of an order says what was matched, and not whether it still rests: that is in the
 * list of its market. What is not there although it was stated before has ended, and is asked about
 * once more, for it may have been matched in between.
 */
async function lookup(
  client: VenueClient,
  account: VenueAccount,
  { intent, attempt }: OrderHandle,
): Promise<LookupOutcome> {
  const stated = await readStatus(client, account, attempt);
  if (stated === null) return { kind: 'absent', proof: null };
  const found = (last: StatedOrder, order: Omit<VenueOrder, 'orderId'>): LookupOutcome => ({
    kind: 'found',
    order: { orderId: asId<OrderId>(last.order.id), ...order },
    fills: fillsOf(last, intent),
  });
  if (stated.order.orderType !== 'GTC' || isDecided(stated)) return found(stated, atOnce(stated));
  const rows = await readMarketRows(client, account, intent.marketId);
  const row = rows?.find(({ id }) => id === stated.order.id);
  if (row !== undefined) return found(stated, restingOrder(row, stated));
  if (rows === null)
    return { kind: 'unreachable', cause: 'the list of the market may have been cut' };
  const named = { ...attempt, orderId: asId<OrderId>(stated.order.id) };
  const ended = await readStatus(client, account, named);
  if (ended === null) return { kind: 'absent', proof: null };
  return found(ended, isDecided(ended) ? atOnce(ended) : endedWith(ended, null));
}

/** True for one whose end is stated with it, or that is held back. */
function isDecided(stated: StatedOrder): boolean {
  const { settlementStatus } = stated.execution;
  return settlementStatus === 'DELAYED' || settlementStatus === 'CANCELED' || isWhole(stated);
}

/** Returns how far an order is that does not rest. */
function atOnce(stated: StatedOrder): Omit<VenueOrder, 'orderId'> {
  const { settlementStatus, reason, totalsRaw } = stated.execution;
  const matchedShares = totalsRaw.contractsGross;
  if (settlementStatus === 'DELAYED') return { status: 'delayed', matchedShares, reason: null };
  // Those by a sum of money state no number of shares: what was matched is all of it.
  if (isWhole(stated) || stated.order.orderType === 'FOK')
    return matchedShares === 0
      ? { status: 'unmatched', matchedShares, reason: 'nothing to be had at once' }
      : { status: 'matched', matchedShares, reason: null };
  return endedWith(
    stated,
    reason ?? (matchedShares === 0 ? 'nothing to be had at once' : 'the rest was not to be had'),
  );
}

function endedWith({ execution }: StatedOrder, reason: string | null): Omit<VenueOrder, 'orderId'> {
  return { status: 'cancelled', matchedShares: execution.totalsRaw.contractsGross, reason };
}

/** An order as its row has it, or as was stated where that is more. */
function restingOrder(row: OrderRow, stated?: StatedOrder): VenueOrder {
  const left = Math.max(0, row.originalSize - row.remainingSize);
  const known = stated?.execution.totalsRaw.contractsGross ?? 0;
  return {
    orderId: asId<OrderId>(row.id),
    // One that is for what is to be had at once never rests: it is held back.
    status: row.status === 'MATCHED' ? 'matched' : row.type === 'GTC' ? 'live' : 'delayed',
    matchedShares: shareMicros(
      Math.min(Math.max(left, known), stated === undefined ? left : sharesOf(stated.order)),
    ),
    reason: null,
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  return error.message;
}
