import { ORDER } from '../../../../config/limits.ts';
import { VENUE_C_POOL_TRAITS } from '../../../../config/limits/venue-c.ts';
import { AppError } from '../../../domain/errors.ts';
import { type GasPaid, sumOfGas, type VenueFill } from '../../../domain/fill.ts';
import { asId, type Address, type TradeId } from '../../../domain/ids.ts';
import type { OrderHandle } from '../../../domain/order.ts';
import { isTransactionOver, type TransactionRecord } from '../../../domain/transaction.ts';
import {
  TICKS_PER_USD,
  priceTicks,
  shareMicros,
  usdcMicros,
  type PriceTicks,
} from '../../../domain/units.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { EvmChain, EvmReceipt } from '../../../ports/evm.ts';
import type { LookupOutcome, OrderGateway, SubmitOutcome } from '../../../ports/order-gateway.ts';
import type { TransactionDraft } from '../../../services/transactions/transaction-records.ts';
import type { TransactionQueue } from '../../../services/transactions/transactions.ts';
import { VENUE_C_ID } from '../id.ts';
import { createChainGateway } from '../../chain-gateway.ts';
import { tradeIn } from './contract.ts';
import { readPrepared, type PreparedTrade } from './prepared.ts';

const NOT_IN_TIME = 'no transaction was made of it in its time';

/**
 * Makes the gateway of trades with pools. To submit is to put the trade into the queue of the
 * user's account, once for each attempt; from there on the queue signs, sends and follows it (L1).
 * What became of it is what the queue has proven, and the contract's own event in the block (L2).
 */
export function createPoolGateway({
  transactions,
  evm,
  clock,
}: {
  readonly transactions: TransactionQueue;
  readonly evm: Pick<EvmChain, 'receipt'>;
  /** Market time. */
  readonly clock: Clock;
}): OrderGateway {
  return createChainGateway({
    // Asked in the change that makes it: a lookup that has found it late finds it never.
    submit: (order, permission) =>
      submit(
        transactions,
        order,
        () => (permission?.isGranted() ?? true) && clock.nowMs() < sendUntilOf(order),
      ),
    async lookup(order) {
      const { key } = readPrepared(order.attempt.extra);
      const { userId } = order.intent;
      const record = transactions.find(userId, key);
      if (record === null)
        return {
          kind: 'absent',
          proof: clock.nowMs() >= sendUntilOf(order) ? NOT_IN_TIME : null,
        };
      const right = transactions.find(userId, rightKey(key));
      if (record.state === 'failed') return failed(record, right);
      const receipt = await receiptOf(evm, record);
      const fees = receipt === null ? [] : [receipt.fee, await rightFee(evm, right)];
      const fill = receipt && fillOf(order, record, { receipt, fees, nowMs: clock.nowMs() });
      if (record.state !== 'done') return found(order, 'delayed', { fill, reason: record.reason });
      if (receipt === null) {
        // Its block was taken back, or the node is behind: whatever the wallet has, the queue asks.
        await transactions.askAgain(userId, 'BASE');
        throw new AppError('chain_unavailable', 'the node does not show a final transaction', {
          retryable: true,
        });
      }
      if (fill === null)
        throw new AppError('venue_protocol', `transaction ${record.transactionId} shows no trade`);
      return over(order, fill);
    },
  });
}

async function submit(
  transactions: TransactionQueue,
  order: OrderHandle,
  isWanted: () => boolean,
): Promise<SubmitOutcome> {
  try {
    const made = await transactions.enqueue(draftsOf(order), isWanted);
    if (made.length > 0) return { kind: 'sent' };
    return { kind: 'deferred', retryAfterMs: ORDER.reconcileFirstMs, reason: NOT_IN_TIME };
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'limit_reached') throw cause;
    return {
      kind: 'deferred',
      retryAfterMs: ORDER.deferMaximumMs,
      reason: cause.message,
    };
  }
}

/** The right that is missing, and behind it in the account's queue the trade. */
function draftsOf(order: OrderHandle): readonly TransactionDraft[] {
  const { intent, attempt } = order;
  const { key, wallet, trade, right, gasWei } = readPrepared(attempt.extra);
  const { userId, side, marketId } = intent;
  const draftOf = (
    { to, data }: PreparedTrade['trade'],
    named: Pick<TransactionDraft, 'key' | 'reserves'>,
    what: string,
  ): TransactionDraft => ({
    userId,
    account: { chain: 'BASE', rail: 'evm', address: wallet },
    purpose: {
      owner: 'venue',
      kind: 'venue_call',
      data: { venue: VENUE_C_ID, side, untilMs: sendUntilOf(order), data: { what, marketId } },
    },
    body: {
      kind: 'calls',
      // written by `prepare`
      calls: [{ to: asId<Address>(to), data: data as `0x${string}`, valueWei: '0' }],
    },
    ...named,
  });
  const reserves = [{ wallet, token: null, units: gasWei }];
  return [
    ...(right === null ? [] : [draftOf(right, { key: rightKey(key) }, 'pool right')]),
    draftOf(trade, { key, reserves }, 'pool trade'),
  ];
}

/** The name of the transaction that gives the right, by that of the trade. */
function rightKey(key: string): string {
  return `${key}:right`;
}

/**
 * A trade that did not come about. Its gas is that of both transactions: the right was given for it
 * alone, and is shown nowhere else.
 */
function failed(trade: TransactionRecord, right: TransactionRecord | null): LookupOutcome {
  // A trade that was given up while its right is on its way: what that costs is known with its
  // end, and an end is asked about once.
  if (right !== null && !isTransactionOver(right.state)) return { kind: 'absent', proof: null };
  return {
    kind: 'absent',
    proof: trade.reason ?? 'its transaction failed',
    ...gasOf([trade.fee, right?.fee]),
  };
}

function over(order: OrderHandle, fill: VenueFill): LookupOutcome {
  if (isWhole(order, fill)) return found(order, 'matched', { fill, reason: null });
  const reason =
    'the pool moved: fewer shares brought the sum that was asked for, and the rest is yours';
  return found(order, 'cancelled', { fill, reason });
}

/** A sale is for a sum: a pool that has moved in its favour takes fewer shares for it. */
function isWhole({ intent, attempt }: OrderHandle, fill: VenueFill): boolean {
  if (intent.side === 'buy') return true;
  const sold = fill.legs.reduce((sum, leg) => sum + leg.shares, 0);
  const given = attempt.part?.spendMicros ?? intent.spendMicros;
  return sold >= given - VENUE_C_POOL_TRAITS.dustShareMicros;
}

async function receiptOf(
  evm: Pick<EvmChain, 'receipt'>,
  { transactionHash }: TransactionRecord,
): Promise<EvmReceipt | null> {
  if (transactionHash === null) return null;
  const receipt = await evm.receipt(transactionHash as `0x${string}`); // named by its chain
  return receipt?.succeeded === true ? receipt : null;
}

/** Wei that the right took; undefined without one, and where its node does not state it. */
async function rightFee(
  evm: Pick<EvmChain, 'receipt'>,
  right: TransactionRecord | null,
): Promise<bigint | string | undefined> {
  if (right === null || right.transactionHash === null) return undefined;
  // a block that has the trade has the right before it, whatever the queue has noticed so far
  return right.fee ?? (await evm.receipt(right.transactionHash as `0x${string}`))?.fee;
}

interface Mined {
  readonly receipt: EvmReceipt;
  /** Wei that each of its transactions took. */
  readonly fees: readonly (bigint | string | undefined)[];
  readonly nowMs: number;
}

function found(
  { attempt }: OrderHandle,
  status: 'delayed' | 'matched' | 'cancelled',
  { fill, reason }: { readonly fill: VenueFill | null; readonly reason: string | null },
): LookupOutcome {
  const shares = fill?.legs.reduce((sum, leg) => sum + leg.shares, 0) ?? 0;
  return {
    kind: 'found',
    order: {
      orderId: attempt.orderId ?? asId(attempt.attemptId),
      status,
      matchedShares: shareMicros(shares),
      reason,
    },
    fills: fill === null ? [] : [fill],
  };
}

/** The trade as the contract's event states it, the pool's fee inside the price. */
function fillOf(
  { intent, attempt }: OrderHandle,
  { state, transactionHash }: TransactionRecord,
  { receipt, fees, nowMs }: Mined,
): VenueFill | null {
  const { pool, wallet } = readPrepared(attempt.extra);
  const [at, by] = [asId<Address>(pool), asId<Address>(wallet)];
  const trade = tradeIn(receipt, { pool: at, wallet: by });
  if (trade === null || trade.side !== intent.side || trade.outcome !== intent.outcome) return null;
  const [shares, dollars] = [Number(trade.shares), Number(trade.dollars)];
  return {
    tradeId: asId<TradeId>(attempt.attemptId),
    orderId: attempt.orderId ?? asId(attempt.attemptId),
    marketId: intent.marketId,
    tokenId: intent.tokenId,
    side: intent.side,
    role: 'taker',
    legs: [
      { shares: shareMicros(shares), price: priceOf(shares, dollars), usdc: usdcMicros(dollars) },
    ],
    fee: { unit: 'cash', micros: 0 },
    word: state === 'done' ? 'confirmed' : 'mined',
    matchedAtMs: nowMs,
    transactionHash,
    ...gasOf(fees),
  };
}

/** Of wei that the account itself paid for each transaction; nothing where none is known. */
function gasOf(fees: readonly (bigint | string | undefined)[]): { readonly gas?: GasPaid } {
  const gas = sumOfGas(
    fees.flatMap((fee) => (fee === undefined ? [] : [{ chain: 'BASE', units: String(fee) }])),
  );
  return gas === undefined ? {} : { gas };
}

/** The nearest tick there is. */
function priceOf(shares: number, dollars: number): PriceTicks {
  const ticks = Math.round((dollars / shares) * TICKS_PER_USD);
  return priceTicks(Math.min(Math.max(ticks, 1), TICKS_PER_USD - 1));
}

function sendUntilOf({ intent, attempt }: OrderHandle): number {
  return attempt.part?.sendUntilMs ?? intent.sendUntilMs;
}
