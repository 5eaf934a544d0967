import { asId, type SwapId, type UserId } from '../../domain/ids.ts';
import type { SwapRecord } from '../../domain/swap.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { claimKeyCharge, walletCharge } from '../api-keys/key-spends.ts';
import { audit } from '../audit.ts';
import { openHold } from '../books/holds.ts';
import { newIdBody } from '../new-id.ts';
import { assertNotLate } from '../tokens/price-late.ts';
import { reserveOut } from '../transactions/daily-out.ts';
import { reservesBefore, reservesOf } from '../transactions/wallet-reserves.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { assertPayable, assertRoom, cashOf, countsOf, tryQuote } from './swap-admission.ts';
import type { SwapDeps } from './swap-deps.ts';
import type { PreparedSwap } from './swap-preparing.ts';
import type { SwapQuote } from './swap-quotes.ts';
import { putSwap } from './swap-records.ts';

/** What is to be executed, and by whom. */
export interface SwapExecution {
  readonly quoteId: string;
  /** A repetition with the same one finds the first swap. */
  readonly key?: string;
  /** True for a user who has just signed in. */
  readonly isFresh: boolean;
  /** The API key the call came by; absent for a signed-in user. */
  readonly keyId?: string;
}

/**
 * Checks once more, simulates, and queues approval and swap in one change (L1, L5). Errors: those
 * of `Swaps.execute`.
 */
export async function executeQuote(
  deps: SwapDeps,
  userId: UserId,
  request: SwapExecution,
): Promise<SwapRecord> {
  const { quotes } = deps;
  const quote = quotes.take(userId, request.quoteId);
  const before = reservesBefore(deps.store, userId);
  const prepared = await tryQuote(deps, quote);
  const counted = countsOf(deps, quote);
  assertNotLate(deps.prices, [quote.sell]);
  // another call may have executed it meanwhile: from here to its spending nothing is awaited
  quotes.take(userId, request.quoteId);
  quotes.spend(request.quoteId);
  try {
    return await deps.commit((tx) => {
      deps.assertMayLeave(tx, userId);
      assertRoom(tx, userId);
      assertPayable(tx, { quote, demands: prepared.demands, before });
      const charge = walletCharge({
        userId,
        keyId: request.keyId,
        usdc: counted.soldMicros,
        atMs: deps.marketClock.nowMs(),
      });
      if (charge !== null) claimKeyCharge(tx, charge);
      return queue(deps, tx, { quote, prepared, outMicros: counted.outMicros, ...request });
    });
  } catch (error) {
    // nothing was stored, so it may be executed yet
    quotes.put(quote);
    throw error;
  }
}

function queue(
  { transactions, cashAccountOf, clock, marketClock, random, dailyOutMicros }: SwapDeps,
  tx: Parameters<Transactions['intend']>[0],
  {
    quote,
    prepared: { account, approvals, body, demands },
    outMicros,
    key,
    isFresh,
  }: {
    readonly quote: SwapQuote;
    readonly prepared: PreparedSwap;
    /** What counts against what may leave in a day; null where unknown. */
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
      purpose: { owner: 'swaps', kind: 'swap_approval', data: { swapId } },
      body: approval,
    }),
  );
  const sent = transactions.intend(tx, {
    userId,
    account,
    purpose: { owner: 'swaps', kind: 'swap', data: { swapId } },
    body,
    reserves: reservesOf({ wallet: asked.sender, demands }),
    key,
  });
  const nowMs = clock.nowMs();
  const { transactionId } = sent;
  reserveOut(
    tx,
    { userId, transactionId, micros: outMicros, atMs: nowMs, isFresh },
    dailyOutMicros,
  );
  const cash = cashOf({ cashAccountOf }, quote);
  const receivingAccount = cashAccountOf(buy);
  if (cash !== null)
    openHold(
      tx,
      {
        ...cash,
        holdId: sent.transactionId,
        purpose: sell.chain === buy.chain ? 'swap' : 'bridge',
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
    cashAccount: cash?.cashAccount ?? null,
    ...(receivingAccount === null ? {} : { receivingAccount }),
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
