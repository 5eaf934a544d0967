import { ORDER } from '../../../config/limits.ts';
import type { GasPaid, VenueFill } from '../../domain/fill.ts';
import { asId, type TradeId, type UserId } from '../../domain/ids.ts';
import type { OrderHandle } from '../../domain/order.ts';
import {
  TICKS_PER_USD,
  priceTicks,
  shareMicros,
  usdcMicros,
  type PriceTicks,
} from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Solana, SolanaChanges, SolanaStatus, SolanaTrials } from '../../ports/solana.ts';
import type {
  LookupOutcome,
  OrderGateway,
  SubmitOutcome,
  VenueOrder,
} from '../../ports/order-gateway.ts';
import { createChainGateway } from '../chain-gateway.ts';
import type { VenueClient } from './client.ts';
import { feeInside } from './fees.ts';
import { readOrderStatus, type OrderStatus } from './order-status.ts';
import { readPrepared, type PreparedOrder } from './prepared.ts';

export interface OrderGatewayParts {
  readonly client: VenueClient;
  readonly solana: Pick<Solana, 'send' | 'status' | 'blockHeight'> & Pick<SolanaChanges, 'taken'>;
  readonly walletOf: (userId: UserId) => Promise<string>;
  readonly trials: Pick<SolanaTrials, 'isAlive'>;
  readonly clock: Clock;
}

/**
 * Creates the gateway. The bytes go to a node of the chain, whose answer accepts nothing: what
 * became of an order is what the chain says of its transactions and the venue of its fills and
 * returns, both asked (L2). The venue keeps no orders and has no channel of a user's own.
 */
export function createOrderGateway(parts: OrderGatewayParts): OrderGateway {
  return createChainGateway({
    submit: (order, permission) => submit(parts, order, permission?.isGranted),
    lookup: (order) => lookup(parts, order),
  });
}

async function submit(
  { solana }: OrderGatewayParts,
  { attempt }: OrderHandle,
  isGranted: (() => boolean) | undefined,
): Promise<SubmitOutcome> {
  if (isGranted?.() === false)
    return { kind: 'deferred', retryAfterMs: ORDER.reconcileFirstMs, reason: 'given up' };
  const outcome = await solana.send(Buffer.from(attempt.body, 'base64'), { skipsTrial: true });
  if (outcome.kind === 'accepted') return { kind: 'sent' };
  // A node that passes on nothing itself may have done so all the same, and another may have the
  // bytes.
  return {
    kind: 'unknown',
    cause: outcome.kind === 'refused' ? outcome.reason : outcome.cause,
  };
}

async function lookup(parts: OrderGatewayParts, order: OrderHandle): Promise<LookupOutcome> {
  const { client, solana } = parts;
  const { attemptId, extra } = order.attempt;
  const prepared = readPrepared(extra);
  const status = await readOrderStatus(client, attemptId, prepared.lastValidBlockHeight);
  const opening = await solana.status(attemptId);
  if (opening.kind === 'absent') {
    const known = status?.status;
    // The node may be behind the venue's.
    if (known === 'open' || known === 'pendingClose' || known === 'closed')
      return underWay(order, []);
    return { kind: 'absent', proof: await proofOfNever(parts, attemptId, prepared) };
  }
  if (opening.failure !== null)
    return opening.commitment === 'finalized'
      ? failed(parts, order, opening.failure)
      : underWay(order, []);
  return status === null ? underWay(order, []) : opened(parts, { order, prepared, status });
}

/** An order whose transaction a final block has, and which did nothing but pay the network. */
async function failed(
  parts: OrderGatewayParts,
  order: OrderHandle,
  failure: string,
): Promise<LookupOutcome> {
  return {
    kind: 'absent',
    proof: `it failed on the chain: ${failure}`,
    ...(await gasOf(parts, order, [order.attempt.attemptId])),
  };
}

/**
 * What transactions of an order took of its user's own wallet: fees, and rents less those that came
 * back. Nothing where a sponsor has paid, and while one of them is not final.
 */
async function gasOf(
  { solana, walletOf }: OrderGatewayParts,
  { intent: { userId } }: OrderHandle,
  signatures: readonly string[],
): Promise<{ readonly gas?: GasPaid }> {
  const wallet = await walletOf(userId);
  let sum = 0n;
  for (const signature of new Set(signatures)) {
    const lamports = await solana.taken(signature, wallet);
    if (lamports === null) return {};
    sum += lamports;
  }
  return sum > 0n ? { gas: { chain: 'SOLANA', units: String(sum) } } : {};
}

/**
 * Proves that a transaction can never land: final blocks have passed the height and take its
 * blockhash no more, and after that the whole history does not have it. Each is read after the one
 * before, so that what lands in between is found. Null while it may land.
 */
async function proofOfNever(
  { solana, trials }: OrderGatewayParts,
  attemptId: string,
  { lastValidBlockHeight, seenAtHeight, blockhash }: PreparedOrder,
): Promise<string | null> {
  const height = await solana.blockHeight('finalized');
  if (height <= lastValidBlockHeight || height < seenAtHeight) return null;
  if (await trials.isAlive(blockhash)) return null;
  const status = await solana.status(attemptId);
  return status.kind === 'absent'
    ? `height ${height} has passed ${lastValidBlockHeight} and no block has it`
    : null;
}

interface Opened {
  readonly order: OrderHandle;
  readonly prepared: PreparedOrder;
  readonly status: OrderStatus;
}

/**
 * Opened is not filled: it is over once fills and returns account for all that was given, each seen
 * on the chain. What came back may be filled after all where a fork drops it, and
 * an order that has ended with less is not read again: it has ended once its last transaction is
 * final.
 */
async function opened(
  parts: OrderGatewayParts,
  { order, prepared, status }: Opened,
): Promise<LookupOutcome> {
  const names = [...status.fills, ...status.reverts].map(({ signature }) => signature);
  const seen = new Map<string, SolanaStatus>();
  for (const name of new Set(names)) seen.set(name, await parts.solana.status(name));
  const fills = status.fills.flatMap((fill, index) => {
    // By its place among those of its own transaction: these may be listed in any order.
    const place = status.fills.slice(0, index).filter(isOf(fill.signature)).length;
    const read = fillOf(order, fill, {
      place,
      seen: seen.get(fill.signature),
      nowMs: parts.clock.nowMs(),
    });
    return read === null ? [] : [read];
  });
  const returned = status.reverts.reduce((sum, { amount }) => sum + amount, 0);
  const used = status.fills.reduce((sum, { inAmount }) => sum + inAmount, 0);
  const endsShort = !isWhole(order, fills);
  const isSeen = [...seen.values()].every(
    (one) =>
      one.kind === 'landed' &&
      one.failure === null &&
      (endsShort ? one.commitment === 'finalized' : one.commitment !== 'processed'),
  );
  const isOver =
    (status.status === 'closed' || status.status === 'expired' || status.status === 'failed') &&
    isSeen &&
    used + returned === prepared.amountMicros;
  if (!isOver) return underWay(order, fills);
  const isFinal = [...seen.values()].every(
    (one) => one.kind === 'landed' && one.commitment === 'finalized',
  );
  const gas = isFinal ? await gasOf(parts, order, [order.attempt.attemptId, ...names]) : {};
  return over(order, fills, gas);
}

function underWay(order: OrderHandle, fills: readonly VenueFill[]): LookupOutcome {
  return { kind: 'found', order: stated(order, 'delayed', fills), fills };
}

/** Filled is what got all that it was for; anything less has ended with what it got. */
function over(
  order: OrderHandle,
  fills: readonly VenueFill[],
  gas: Pick<VenueOrder, 'gas'>,
): LookupOutcome {
  const status = isWhole(order, fills) ? 'matched' : 'cancelled';
  return { kind: 'found', order: { ...stated(order, status, fills), ...gas }, fills };
}

function isWhole({ intent }: OrderHandle, fills: readonly VenueFill[]): boolean {
  const { side, spendMicros, receiveMicros } = intent;
  return sharesOf(fills) >= (side === 'buy' ? receiveMicros : spendMicros);
}

/**
 * More contracts than were asked for, at a better price, are the order's all the same: the fills
 * say how many.
 */
function stated(
  { intent, attempt }: OrderHandle,
  status: VenueOrder['status'],
  fills: readonly VenueFill[],
): VenueOrder {
  const { side, exact, spendMicros, receiveMicros } = intent;
  const most = side === 'sell' ? spendMicros : exact === 'receive' ? receiveMicros : Infinity;
  const got = sharesOf(fills);
  return {
    orderId: attempt.orderId ?? asId(attempt.attemptId),
    status,
    matchedShares: shareMicros(Math.min(got, most)),
    reason:
      status === 'cancelled'
        ? got === 0
          ? 'the venue gave all of it back'
          : 'the venue gave the rest back'
        : null,
  };
}

function sharesOf(fills: readonly VenueFill[]): number {
  return fills.flatMap(({ legs }) => legs).reduce((sum, { shares }) => sum + shares, 0);
}

function isOf(name: string): (fill: { readonly signature: string }) => boolean {
  return ({ signature }) => signature === name;
}

interface FillContext {
  /** Fills of the same transaction that the venue names before it. */
  readonly place: number;
  readonly seen: SolanaStatus | undefined;
  readonly nowMs: number;
}

/**
 * A fill as the venue states it, with the chain's word on whether it is final; null for one of
 * nothing.
 */
function fillOf(
  { intent, attempt }: OrderHandle,
  { signature, inAmount, outAmount }: OrderStatus['fills'][number],
  { place, seen, nowMs }: FillContext,
): VenueFill | null {
  const { side, price: limit } = intent;
  const [shares, paid] = side === 'buy' ? [outAmount, inAmount] : [inAmount, outAmount];
  if (shares === 0) return null;
  // Inside the amounts; what won is paid whole.
  const fee =
    intent.isRedemption === true ? 0 : feeInside({ side, contracts: shares, usdc: paid, limit });
  const usdc = side === 'buy' ? paid - fee : paid + fee;
  return {
    tradeId: asId<TradeId>(place === 0 ? signature : `${signature}:${place}`),
    orderId: attempt.orderId ?? asId(attempt.attemptId),
    marketId: intent.marketId,
    tokenId: intent.tokenId,
    side: intent.side,
    role: 'taker',
    legs: [{ shares: shareMicros(shares), price: priceOf(shares, usdc), usdc: usdcMicros(usdc) }],
    fee: { unit: 'cash', micros: fee },
    word: wordOf(seen),
    matchedAtMs: nowMs,
    transactionHash: signature,
  };
}

function wordOf(seen: SolanaStatus | undefined): VenueFill['word'] {
  if (seen === undefined || seen.kind === 'absent') return 'matched';
  if (seen.failure !== null) return seen.commitment === 'finalized' ? 'failed' : 'matched';
  return seen.commitment === 'finalized' ? 'confirmed' : 'mined';
}

/** The nearest tick there is. */
function priceOf(shares: number, usdc: number): PriceTicks {
  const ticks = Math.round((usdc / shares) * TICKS_PER_USD);
  return priceTicks(Math.min(Math.max(ticks, 1), TICKS_PER_USD - 1));
}
