import { createHash } from 'node:crypto';
import { asId, type TradeId } from '../../domain/ids.ts';
import type { Random } from '../../ports/random.ts';
import { VENUE_MODEL } from '../../../config/limits/sandbox.ts';
import type { Posting } from '../exchange/accounts.ts';
import {
  endOrder,
  holdingOf,
  isMakerOwner,
  isWireTrade,
  post,
  type EngineState,
  type TradeResult,
  type TradeRecord,
} from './engine-state.ts';
import type { EngineTrade } from './exchange-types.ts';

/** Runs engine work that was scheduled: in its own turn, events delivered after it. */
export type RunScheduled = (work: () => void) => void;

/** A fresh trade id: a version 4 UUID from the seed. */
export function newTradeId(state: EngineState): TradeId {
  // A restarted world may draw its seed again; ids already given are passed over.
  for (;;) {
    const tradeId = asId<TradeId>(uuidFrom(state.random));
    if (!state.trades.has(tradeId)) return tradeId;
  }
}

/** A version 4 UUID from seeded chance. */
export function uuidFrom(random: Random): string {
  const hex = Buffer.from(random.bytes(16)).toString('hex');
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** Hash of the transaction that carries a trade; each attempt has its own. */
export function transactionHashOf(name: string, attempt: number): string {
  return `0x${createHash('sha256').update(`${name}:${attempt}`).digest('hex')}`;
}

/**
 * Draws how a trade will end. Faults strike only where a wire user takes part: one with a count
 * must not be spent on trades among market makers.
 */
export function drawResult(state: EngineState, trade: EngineTrade): TradeResult {
  if (!isWireTrade(trade)) return 'settles';
  const subject = {
    owner: trade.takerOwner,
    address: trade.taker,
    marketId: trade.marketId,
    tokenId: trade.tokenId,
    orderId: trade.takerOrderId,
  };
  if (state.faults.take('ghost-fill', subject) !== null) return 'fails';
  if (state.faults.isArmed('reverted-35-percent', subject) && state.random.integer(100) < 35)
    return 'fails';
  return state.faults.take('retrying-then-confirmed', subject) === null ? 'settles' : 'retries';
}

/** Records a fresh trade and starts it on its way to finality. */
export function startSettlement(state: EngineState, record: TradeRecord, run: RunScheduled): void {
  indexTrade(state, record);
  markUnsettled(state, record, 1);
  if (isWireTrade(record.trade)) state.dirty.trades.add(record);
  state.outbox.push({ kind: 'trade', trade: record.trade });
  goOn(state, record, run);
}

/** Lets a trade that is not final go on: by the settler where there is one, by time otherwise. */
export function goOn(state: EngineState, record: TradeRecord, run: RunScheduled): void {
  if (record.job !== null && state.settler !== null)
    state.settler.settle(record.job, record.trade.status);
  else scheduleNext(state, record, run);
}

/** Puts a trade under its id and its parties. */
export function indexTrade(state: EngineState, record: TradeRecord): void {
  state.trades.set(record.trade.tradeId, record);
  for (const [name, isMaker] of partiesOf(record.trade)) {
    const list = state.tradesByParty.get(name) ?? [];
    if (list.length === 0) state.tradesByParty.set(name, list);
    list.push(record);
    const most = isMaker ? VENUE_MODEL.makerTradesMaximum : VENUE_MODEL.tradesPerOwnerMaximum;
    // Dropped in blocks: taking one from the front of a long list each time would cost its whole
    // length.
    if (list.length > most * 1.25)
      for (const old of list.splice(0, list.length - most)) dropIfUnlisted(state, old);
  }
}

/**
 * Owners and addresses that take part in a trade, each once, and whether they are market makers.
 * Keys and addresses are never the same.
 */
function partiesOf(trade: EngineTrade): ReadonlyMap<string, boolean> {
  const parties = [{ owner: trade.takerOwner, maker: trade.taker }, ...trade.makers];
  return new Map(
    parties.flatMap(
      ({ owner, maker }) =>
        [
          [owner, isMakerOwner(owner)],
          [maker, isMakerOwner(owner)],
        ] as const,
    ),
  );
}

/** Schedules the next stage of a trade, if there is one. */
function scheduleNext(state: EngineState, record: TradeRecord, run: RunScheduled): void {
  const next = nextStage(state, record);
  if (next === null) return;
  const delayMs = Math.max(0, record.trade.matchedAtMs + next.afterMs - state.clock.nowMs());
  record.timer = state.clock.after(delayMs, () =>
    run(() => {
      advance(state, record, next.status, hashAt(state, record, next.status));
      scheduleNext(state, record, run);
    }),
  );
}

/**
 * Brings a trade to its end at once: a market cannot pay out while its trades are open. One that is
 * settled outside has its own pace.
 */
export function settleNow(state: EngineState, record: TradeRecord): void {
  if (record.job !== null && state.settler !== null) return;
  record.timer?.cancel();
  for (let next = nextStage(state, record); next !== null; next = nextStage(state, record))
    advance(state, record, next.status, hashAt(state, record, next.status));
}

function nextStage(
  { settlement }: EngineState,
  { trade, result }: TradeRecord,
): { readonly status: EngineTrade['status']; readonly afterMs: number } | null {
  const { minedAfterMs, confirmedAfterMs } = settlement;
  if (trade.status === 'CONFIRMED' || trade.status === 'FAILED') return null;
  if (trade.status === 'MINED') return { status: 'CONFIRMED', afterMs: confirmedAfterMs };
  if (result === 'fails') return { status: 'FAILED', afterMs: confirmedAfterMs };
  if (trade.status === 'MATCHED' && result === 'retries')
    return { status: 'RETRYING', afterMs: minedAfterMs };
  return {
    status: 'MINED',
    afterMs:
      trade.status === 'RETRYING' ? Math.ceil((minedAfterMs + confirmedAfterMs) / 2) : minedAfterMs,
  };
}

/** Hash a trade has at a stage where no chain gives it one. */
function hashAt(
  state: EngineState,
  { trade, result }: TradeRecord,
  status: EngineTrade['status'],
): string | null {
  const attempt = status === 'RETRYING' ? 0 : result === 'retries' ? 1 : 0;
  const together = state.faults.isArmed('several-fills-one-tx', { marketId: trade.marketId });
  const carrier = together ? `second ${Math.floor(trade.matchedAtMs / 1_000)}` : trade.tradeId;
  return status === 'FAILED' ? trade.transactionHash : transactionHashOf(carrier, attempt);
}

/** Takes a trade to its next status; one that fails gives back what it moved. */
export function advance(
  state: EngineState,
  record: TradeRecord,
  status: EngineTrade['status'],
  transactionHash: string | null,
): void {
  const { trade } = record;
  record.trade = { ...trade, status, transactionHash, updatedAtMs: state.clock.nowMs() };
  record.timer = null;
  if (isWireTrade(trade)) state.dirty.trades.add(record);
  if (status === 'CONFIRMED' || status === 'FAILED') markUnsettled(state, record, -1);
  state.outbox.push({ kind: 'trade', trade: record.trade });
  if (status === 'FAILED') giveBack(state, record.postings);
}

/**
 * Takes a failed trade's movements back; orders that lost their funds by it are cancelled, as the
 * venue does (section 6.1).
 */
function giveBack(state: EngineState, postings: readonly Posting[]): void {
  post(state, postings, -1);
  const losers = new Set(
    postings
      .filter(({ micros }) => micros > 0)
      .map(({ account, holding }) => `${account} ${holding}`),
  );
  for (const records of state.openByOwner.values()) {
    for (const record of records) {
      const holding = holdingOf(record.order);
      if (
        !losers.has(`${record.order.maker} ${holding}`) ||
        !state.accounts.isOverdrawn(record.order.maker, holding)
      )
        continue;
      if (record.status === 'LIVE' || record.status === 'DELAYED')
        endOrder(state, record, 'INVALID', 'not enough balance');
    }
  }
}

/** Marks the shares a trade brought as not final, or takes the mark away. */
export function markUnsettled(state: EngineState, { postings }: TradeRecord, sign: 1 | -1): void {
  for (const { account, holding, micros } of postings) {
    if (micros > 0 && holding !== 'usdc')
      state.accounts.markUnsettled(account, holding, sign * micros);
  }
}

function dropIfUnlisted(state: EngineState, record: TradeRecord): void {
  const listed = [...partiesOf(record.trade).keys()].some((name) =>
    state.tradesByParty.get(name)?.includes(record),
  );
  if (!listed) state.trades.delete(record.trade.tradeId);
}
