import { SWAP } from '../../../config/limits/tokens.ts';
import type { CashAccount } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type SwapId, type UserId } from '../../domain/ids.ts';
import type { SwapRecord, SwapSide } from '../../domain/swap.ts';
import { faultsOfOffer, soldMicros } from '../../domain/swap-checks.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { usdcMicros } from '../../domain/units.ts';
import type { Store, StoreReader } from '../../ports/store.ts';
import type { Clock } from '../../ports/clock.ts';
import { claimKeyCharge } from '../api-keys/key-spends.ts';
import { audit } from '../audit.ts';
import { openHold } from '../books/holds.ts';
import type { Commit } from '../commit.ts';
import { newIdBody } from '../new-id.ts';
import { reserveOut } from '../transactions/daily-out.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { prepareSwap, type PreparedSwap } from './swap-preparing.ts';
import type { SwapQuote } from './swap-quotes.ts';
import { refuseFaults, rulesFor, type QuoteDeps } from './swap-quoting.ts';
import { putSwap } from './swap-records.ts';
import { OPEN_SWAPS } from './tables.ts';

/** What executing works with. */
export interface ExecuteDeps
  extends Pick<
    QuoteDeps,
    | 'quotes'
    | 'prices'
    | 'targets'
    | 'programs'
    | 'nodesOf'
    | 'clock'
    | 'random'
    | 'log'
    | 'metrics'
  > {
  readonly store: Store;
  readonly commit: Commit;
  readonly transactions: Pick<Transactions, 'intend'>;
  /**
   * Which balance in the books a token of a user's wallet is; null for what is no cash of theirs.
   */
  readonly cashAccountOf: (side: SwapSide) => CashAccount | null;
  /** Throws what keeps a user's money from leaving (L6). Errors: `trading_stopped`. */
  readonly assertMayLeave: (reader: StoreReader, userId: UserId) => void;
  /** What may leave in a day without a fresh sign-in, millionths of a dollar. */
  readonly dailyOutMicros: number;
  /** The markets' time, in which the books are kept. */
  readonly marketClock: Clock;
}

/** What is to be executed, and by whom. */
export interface SwapExecution {
  readonly quoteId: string;
  /** A repetition with the same one finds the first swap. */
  readonly key?: string;
  /** True for somebody who has just signed in. */
  readonly isFresh: boolean;
  /** The API key the call came by; absent for somebody who signed in. */
  readonly keyId?: string;
}

/**
 * Checks once more, simulates, and queues approval and swap in one change (L1, L5). Errors: those
 * of `Swaps.execute`.
 */
export async function executeQuote(
  deps: ExecuteDeps,
  userId: UserId,
  request: SwapExecution,
): Promise<SwapRecord> {
  const { quotes, store, nodesOf } = deps;
  const quote = quotes.take(userId, request.quoteId);
  deps.assertMayLeave(store, userId);
  const nodes = nodesOf(quote.sell.chain);
  if (nodes === null) throw new AppError('no_route', `there is no node of ${quote.sell.chain}`);
  const rules = rulesFor(deps, quote.sell, quote.buy);
  const sold = soldMicros(quote.asked, rules);
  refuseFaults(deps, userId, {
    stage: 'execution',
    faults: faultsOfOffer(quote.asked, quote.offer, rules),
  });
  const prepared = await prepareSwap(deps, nodes, quote);
  // somebody may have executed it meanwhile: from here to its spending nothing is awaited
  quotes.take(userId, request.quoteId);
  quotes.spend(request.quoteId);
  try {
    return await deps.commit((tx) => {
      deps.assertMayLeave(tx, userId);
      assertRoom(tx, userId);
      if (request.keyId !== undefined)
        claimKeyCharge(tx, {
          userId,
          keyId: request.keyId,
          venue: null,
          usdc: sold === null ? null : Number(sold),
          confirmationId: null,
          atMs: deps.marketClock.nowMs(),
        });
      return queue(deps, tx, { quote, prepared, outMicros: outOf(quote, sold), ...request });
    });
  } catch (error) {
    // nothing was stored, so it may be executed yet
    quotes.put(quote);
    throw error;
  }
}

/**
 * A swap on one chain is proven by its trial, and counts by what it may lose; a bridge is somebody
 * else's promise, and counts in full.
 */
function outOf({ sell, buy, worstLossMicros }: SwapQuote, sold: bigint | null): number | null {
  if (sell.chain === buy.chain) return worstLossMicros;
  return sold === null ? null : Number(sold);
}

function assertRoom(reader: StoreReader, userId: UserId): void {
  const open = reader.range(OPEN_SWAPS, { prefix: [userId] }).length;
  if (open >= SWAP.openPerUserMaximum)
    throw new AppError('limit_reached', `${open} swaps of yours are under way already`, {
      retryable: true,
    });
}

function queue(
  { transactions, cashAccountOf, clock, marketClock, random, dailyOutMicros }: ExecuteDeps,
  tx: Parameters<Transactions['intend']>[0],
  {
    quote,
    prepared: { account, approvals, body },
    outMicros,
    key,
    isFresh,
  }: {
    readonly quote: SwapQuote;
    readonly prepared: PreparedSwap;
    /** What counts against what may leave in a day; null where nobody knows. */
    readonly outMicros: number | null;
    readonly key?: string;
    readonly isFresh: boolean;
  },
): SwapRecord {
  const { userId, asked, sell, buy, offer, worstLossMicros } = quote;
  const swapId = asId<SwapId>(`swp_${newIdBody({ clock, random })}`);
  const queued = approvals.map((approval) =>
    transactions.intend(tx, {
      userId,
      account,
      purpose: { kind: 'swap_approval', swapId },
      body: approval,
    }),
  );
  const sent = transactions.intend(tx, {
    userId,
    account,
    purpose: { kind: 'swap', swapId },
    body,
    ...(key === undefined ? {} : { key }),
  });
  const nowMs = clock.nowMs();
  const { transactionId } = sent;
  reserveOut(
    tx,
    { userId, transactionId, micros: outMicros, atMs: nowMs, isFresh },
    dailyOutMicros,
  );
  const cashAccount = cashAccountOf(sell);
  if (cashAccount !== null)
    openHold(
      tx,
      {
        userId,
        holdId: sent.transactionId,
        purpose: sell.chain === buy.chain ? 'swap' : 'bridge',
        cashAccount,
        usdc: usdcMicros(Number(asked.amount)),
      },
      marketClock.nowMs(),
    );
  const record: SwapRecord = {
    swapId,
    userId,
    sell,
    buy,
    amount: asked.amount.toString(),
    expectedOut: offer.out.toString(),
    minimumOut: offer.minimumOut.toString(),
    tool: offer.tool,
    worstLossMicros,
    state: 'queued',
    approvalId: queued.at(-1)?.transactionId ?? null,
    transactionId: sent.transactionId,
    cashAccount,
    sentHash: null,
    receivedHash: null,
    received: null,
    receivedToken: null,
    reason: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  putSwap(tx, { before: null, after: record });
  audit(tx, {
    userId,
    atMs: nowMs,
    action: 'swap_requested',
    subject: swapId,
    detail: `${formatTokenAmount(asked.amount, sell.decimals)} ${sell.symbol} on ${sell.chain} for ${buy.symbol} on ${buy.chain}`,
  });
  return record;
}
