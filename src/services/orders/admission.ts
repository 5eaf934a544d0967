import { ORDER } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type IntentId, type MarketId, type UserId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import {
  withAttempt,
  type OrderIntent,
  type OrderRecord,
  type SignedAttempt,
} from '../../domain/order.ts';
import {
  reserveFor,
  tightestCaps,
  type RiskCaps,
  type RiskRequest,
} from '../../domain/reservation.ts';
import { formatMicros, shareMicros, usdcMicros } from '../../domain/units.ts';
import type { OrderRules } from '../../ports/order-rules.ts';
import type { OrderSigner, Prepared } from '../../ports/order-signer.ts';
import type { StoreReader, StoreWriter, Versioned } from '../../ports/store.ts';
import { assertKeyCharge, claimKeyCharge, type KeyCharge } from '../api-keys/key-spends.ts';
import { agentShares, openOrdersOf } from '../books/agent-shares.ts';
import type { PlaceOrder } from './place-order.ts';
import { assertUndisputed } from '../books/funds-disputes.ts';
import { assertWalletMatches } from '../books/wallet-mismatches.ts';
import { assertSettling, claimSettling } from '../books/settlement-health.ts';
import { assertNotStopped } from './stop-check.ts';
import { assertAccess, claimAccess } from './access-gate.ts';
import {
  agentRiskOf,
  balanceOf,
  putOrder,
  riskOf,
  assignHoldingsToAgent,
} from '../books/record-changes.ts';
import {
  AGENT_MARKETS,
  OPEN_ORDERS,
  ORDERS,
  ORDER_KEYS,
  TRADED_MARKETS,
  USER_CAPS,
  type OpenOrder,
} from '../books/tables.ts';

/** What an order waited for before it was drafted, in ms of the market clock. */
export interface OrderWaits {
  /** Until the market was known. */
  readonly preparationMs: number;
  /** Until other trades of the user gave the lock back; 0 when it was free. */
  readonly lockMs: number;
  /**
   * Of these, how many pass in one of the time the order's age is counted in: wall time for a
   * person, the markets' for an agent.
   */
  readonly speed: number;
  /** How long an order is good for on its venue, ms in that time. */
  readonly goodForMs: number;
}

/** An order that asks to be made. */
export interface Admission {
  readonly intent: OrderIntent;
  readonly market: Market;
  readonly request: PlaceOrder;
  readonly rules: Pick<OrderRules, 'worstFee'>;
  /** Of the operator, for each user. */
  readonly caps: RiskCaps;
}

/** What is to be taken in. */
export interface AdmissionInput extends Admission {
  readonly signer: OrderSigner;
  /** Starts the time of the signature; what it gives ends it. */
  readonly signing: () => () => void;
  readonly prepared: Prepared | null;
  readonly waits: OrderWaits;
}

/** An order that was taken in, or the one made before under the same key. */
export interface Admitted {
  readonly isNew: boolean;
  readonly record: OrderRecord;
}

/**
 * Takes an order in, all or nothing, in the caller's transaction: its age (L8), stops and agents
 * (L6), fence (L2), a venue that takes orders, funds in dispute, settlements that fail, one trade
 * per agent and market (L7), shares of the agent's own, caps and funds (L5), the limits of the API
 * key it came by, then the signature over what was just reserved, and the record with the exact
 * bytes (L1). The signature is inside on purpose: no record says "intended" without its bytes, and
 * no stop can slip between the check and the signer. Signing is deterministic, so a transaction
 * that runs twice signs the same.
 */
export function admit(tx: StoreWriter, intake: AdmissionInput): Admitted {
  const { intent, market, request, signer, prepared, waits } = intake;
  const { userId, intentId } = intent;
  const made =
    request.idempotencyKey === undefined ? null : madeBefore(tx, userId, request.idempotencyKey);
  if (made !== null) return { isNew: false, record: made };
  assertFresh(intent, waits);
  assertHeld(tx, intake);
  assertAdmitted(tx, intent);
  // The places of those that try first are for what goes out.
  if (intent.restsAt === undefined) claimTrials(tx, intent);
  claimMarket(tx, intent);
  const reserved = reserveFor(riskOf(tx, userId), riskRequestOf(tx, intake));
  const charge = keyChargeOf(intent, reserved);
  if (charge !== null) claimKeyCharge(tx, charge);
  if (request.idempotencyKey !== undefined)
    tx.put(ORDER_KEYS, [userId, request.idempotencyKey], { userId, intentId }, 0);
  keepMarket(tx, market);
  request.alongside?.(tx, intent);
  if (intent.restsAt === 'service')
    return { isNew: true, record: putMade(tx, { intent, signed: null, reserved }) };
  const stopTimer = intake.signing();
  const signed = signer.sign(intent, prepared);
  stopTimer();
  return { isNew: true, record: putMade(tx, { intent, signed, reserved }) };
}

/**
 * Refuses an order that may not be made now, whatever it asks for: stops and agents (L6), fence
 * (L2), a venue that takes orders, funds the chain or the venue does not have, settlements that
 * fail, one trade per agent and
 * market (L7), shares of the agent's own. It only reads. Errors: `trading_stopped`,
 * `agent_stopped`, `market_fenced`, `limit_reached`, `venue_restricted`, `funds_disputed`,
 * `agent_degraded`, `already_traded`, `insufficient_shares`.
 */
function assertAdmitted(reader: StoreReader, intent: OrderIntent): void {
  assertNotStopped(reader, intent);
  assertRoom(reader, intent);
  assertAccess(reader, intent);
  assertWalletMatches(reader, intent);
  assertUndisputed(reader, intent);
  assertSettling(reader, intent);
  assertNotTraded(reader, intent);
  assertOwnShares(reader, intent);
}

/**
 * Refuses an order that could not be taken in as the records stand: what `assertAdmitted` refuses,
 * and what money, shares, caps and the limits of its key do not allow. It only reads. Errors:
 * theirs.
 */
export function assertAdmissible(reader: StoreReader, admission: Admission): void {
  const { intent } = admission;
  assertHeld(reader, admission);
  assertAdmitted(reader, intent);
  const reserved = reserveFor(riskOf(reader, intent.userId), riskRequestOf(reader, admission));
  const charge = keyChargeOf(intent, reserved);
  if (charge !== null) assertKeyCharge(reader, charge);
}

/**
 * Refuses a person's sale of more than is free before it is said to wait for another of theirs:
 * waiting would not help.
 */
function assertHeld(reader: StoreReader, admission: Admission): void {
  const { side, origin, userId } = admission.intent;
  if (side === 'sell' && origin.kind === 'manual')
    reserveFor(riskOf(reader, userId), riskRequestOf(reader, admission));
}

/** Returns what an order asks of the API key it came by; null where it came by none. */
export function keyChargeOf(
  { origin, userId, venue, createdAtMs: atMs }: OrderIntent,
  { usdc }: Pick<OrderRecord['reserved'], 'usdc'>,
): KeyCharge | null {
  return origin.kind === 'manual' && origin.keyId !== undefined
    ? {
        userId,
        keyId: origin.keyId,
        venue,
        usdc,
        confirmationId: origin.confirmationId ?? null,
        atMs,
      }
    : null;
}

/**
 * Claims the place of the one that tries whether a venue takes orders again, and whether trades
 * settle again, where it is free.
 */
export function claimTrials(tx: StoreWriter, intent: OrderIntent): void {
  claimAccess(tx, intent);
  claimSettling(tx, intent);
}

/**
 * Returns what an order asks of the money, the shares and the caps of its user as they stand (L5).
 */
export function riskRequestOf(
  reader: StoreReader,
  { intent, market, request, rules, caps }: Admission,
): RiskRequest {
  const { origin, userId, createdAtMs } = intent;
  return {
    order: intent,
    worstFee:
      intent.side === 'buy'
        ? rules.worstFee(market, intent.spendMicros, intent.price)
        : usdcMicros(0),
    settledUsdc: balanceOf(reader, userId, intent.cashAccount).settled,
    settledShares: balanceOf(reader, userId, intent.tokenId).settled,
    caps: userCaps(reader, caps, { userId, request }),
    ...(origin.kind === 'agent' && request.agentLimits !== undefined
      ? {
          part: {
            whose: `agent ${origin.agentId}`,
            state: agentRiskOf(reader, userId, origin.agentId),
            caps: request.agentLimits(reader),
          },
        }
      : {}),
    atMs: createdAtMs,
  };
}

/**
 * Refuses what waited for so long that what it was decided by is no fact any more (L8), by what
 * held it up for longest. Errors: `lock_busy` when that were other trades of the user, else
 * `preparation_timeout`; both retryable.
 */
function assertFresh(
  { createdAtMs, sendUntilMs }: OrderIntent,
  { preparationMs, lockMs, speed, goodForMs }: OrderWaits,
): void {
  if (createdAtMs <= sendUntilMs) return;
  const seconds = (ms: number): string => (ms / speed / 1_000).toFixed(1);
  const good = `an order is good for ${goodForMs / 1_000} s, and nothing was sent`;
  const later = { retryable: true, retryAfterMs: ORDER.retryAfterMs };
  if (lockMs > preparationMs)
    throw new AppError(
      'lock_busy',
      `waited ${seconds(lockMs)} s for other trades of yours; ${good}`,
      later,
    );
  throw new AppError(
    'preparation_timeout',
    `reading the market took ${seconds(preparationMs)} s; ${good}`,
    later,
  );
}

/**
 * The caps over all that a user has at risk: for each the tightest of the operator's, the user's
 * own and the request's.
 */
function userCaps(
  reader: StoreReader,
  operator: RiskCaps,
  { userId, request }: { readonly userId: UserId; readonly request: Pick<PlaceOrder, 'limits'> },
): RiskCaps {
  return tightestCaps(operator, reader.get(USER_CAPS, [userId])?.value ?? {}, request.limits ?? {});
}

/**
 * Stores an order whose money is set aside: the record with the exact bytes that may leave (L1),
 * without any where it waits with this service, its fence (L2), and the facts.
 */
function putMade(
  tx: StoreWriter,
  {
    intent,
    signed,
    reserved,
  }: {
    readonly intent: OrderIntent;
    readonly signed: SignedAttempt | null;
    readonly reserved: OrderRecord['reserved'];
  },
): OrderRecord {
  const { userId, intentId, createdAtMs } = intent;
  const record: OrderRecord = {
    intent,
    attempts: signed === null ? [] : withAttempt([], signed, createdAtMs),
    state: signed === null ? 'live' : 'signed',
    reason: null,
    filledShares: shareMicros(0),
    filledUsdc: usdcMicros(0),
    feesUsdc: usdcMicros(0),
    matchedShares: null,
    ending: null,
    reserved,
    cancelWanted: false,
    updatedAtMs: createdAtMs,
  };
  tx.append({ type: 'order.intended', userId, atMs: createdAtMs, intent });
  putOrder(tx, null, record);
  if (signed !== null) {
    const { attemptId } = signed;
    tx.append({ type: 'order.signed', userId, atMs: createdAtMs, intentId, attemptId });
  }
  return record;
}

/** The order made before under a caller's key; null without one. */
export function madeBefore(reader: StoreReader, userId: UserId, key: string): OrderRecord | null {
  const ref = reader.get(ORDER_KEYS, [userId, key])?.value;
  return ref === undefined ? null : (reader.get(ORDERS, [ref.userId, ref.intentId])?.value ?? null);
}

/**
 * Refuses while an order of the user on the market is not decided (L2), and beyond the orders a
 * user may have open.
 */
function assertRoom(reader: StoreReader, { userId, marketId }: OrderIntent): void {
  const open = openOrders(reader, userId);
  const fence = fenceIn(open, marketId);
  if (fence !== null)
    throw new AppError('market_fenced', `order ${fence} on market ${marketId} is not decided yet`, {
      retryable: true,
    });
  if (open.length >= ORDER.openPerUserMaximum)
    throw new AppError('limit_reached', `${open.length} open orders are the most a user may have`);
}

/** Returns the order of the user that fences a market (L2); null where none does. */
export function fenceOver(
  reader: StoreReader,
  { userId, marketId }: Pick<OrderIntent, 'userId' | 'marketId'>,
): IntentId | null {
  return fenceIn(openOrders(reader, userId), marketId);
}

function openOrders(reader: StoreReader, userId: UserId): readonly Versioned<OpenOrder>[] {
  return reader.range(OPEN_ORDERS, { prefix: [userId], limit: ORDER.openPerUserMaximum });
}

function fenceIn(open: readonly Versioned<OpenOrder>[], marketId: MarketId): IntentId | null {
  const fence = open.find(({ value }) => value.isFencing && value.marketId === marketId);
  return fence === undefined ? null : asId<IntentId>(String(fence.key[1]));
}

/**
 * An agent sells what its own orders brought and no other sale of it is about: shares bought
 * manually are not its to sell, however many of its sales come at once.
 */
function assertOwnShares(
  reader: StoreReader,
  { userId, origin, side, tokenId, spendMicros }: OrderIntent,
): void {
  if (origin.kind !== 'agent' || side !== 'sell') return;
  const agent = { userId, agentId: origin.agentId };
  const aside = openOrdersOf(reader, agent).reduce(
    (sum, { intent, reserved }) => (intent.tokenId === tokenId ? sum + reserved.shares : sum),
    0,
  );
  const own = Math.max(0, agentShares(reader, agent, tokenId) - aside);
  if (spendMicros <= own) return;
  throw new AppError(
    'insufficient_shares',
    `agent ${origin.agentId} has ${formatMicros(shareMicros(own))} shares of its own left to sell, ${formatMicros(shareMicros(spendMicros))} are wanted`,
  );
}

/**
 * Keeps the market as first traded. Positions and payouts go by its id: a second venue's market of
 * the same id would be paid by the first one's end.
 */
function keepMarket(tx: StoreWriter, market: Market): void {
  const { marketId, venue } = market;
  const traded = tx.get(TRADED_MARKETS, [marketId])?.value;
  if (traded === undefined) tx.put(TRADED_MARKETS, [marketId], market);
  else if (traded.venue !== venue)
    throw new AppError(
      'venue_protocol',
      `market ${marketId} of ${venue} has the id of one of ${traded.venue}`,
    );
}

/** An agent enters a market once, for good (L7). */
function assertNotTraded(reader: StoreReader, { userId, origin, marketId }: OrderIntent): void {
  if (origin.kind !== 'agent' || origin.purpose !== 'entry') return;
  if (reader.get(AGENT_MARKETS, [userId, origin.agentId, marketId]) !== null)
    throw new AppError('already_traded', `agent ${origin.agentId} has traded market ${marketId}`);
}

function claimMarket(
  tx: StoreWriter,
  { userId, origin, marketId, intentId, createdAtMs }: OrderIntent,
): void {
  if (origin.kind !== 'agent' || origin.purpose !== 'entry') return;
  const key = [userId, origin.agentId, marketId];
  tx.put(AGENT_MARKETS, key, { intentId, atMs: createdAtMs }, 0);
  assignHoldingsToAgent(tx, { userId, agentId: origin.agentId, marketId });
  tx.append({
    type: 'agent.traded',
    userId,
    atMs: createdAtMs,
    agentId: origin.agentId,
    marketId,
    intentId,
  });
}
