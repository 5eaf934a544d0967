import { API } from '../../../config/limits/api.ts';
import type { DecisionRecord, SignalReceipt } from '../../domain/agent.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { AgentId, DecisionId, UserId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { UsdcMicros } from '../../domain/units.ts';
import type { Store, StoreReader } from '../../ports/store.ts';
import type { Page } from '../../ports/catalogue.ts';
import { mergedNewestFirst, newestFirst } from '../newest-first.ts';
import { timeOfId } from '../new-id.ts';
import { ENABLED_PERIODS, SIGNAL_RECEIPTS } from './tables.ts';
import { DECISIONS, ORDERS, paperTable, POSITIONS, type Chained } from '../books/tables.ts';

/**
 * The place of a receipt in the journal's chain: its entry, that entry's link, and the link before.
 */
interface ReceiptPlace {
  readonly seq: number;
  readonly hash: string;
  readonly previousHash: string;
}

/** A receipt with the order it led to, as the order is now; null when it led to none. */
export interface DecisionView {
  readonly decision: DecisionRecord;
  readonly order: OrderRecord | null;
  /** What its entry brought once the position ended; null before, and where it entered nothing. */
  readonly realizedPnl: UsdcMicros | null;
  /** Null for a receipt whose entry the journal has not. */
  readonly place: ReceiptPlace | null;
}

/** Which page of a list, newest first. */
export interface PageQuery {
  /** From 1 to API.pageMaximum. */
  readonly limit: number;
  /** `nextCursor` of the page before; null for the first. */
  readonly cursor: string | null;
}

/** What lists are read from. */
type ReceiptsReader = StoreReader & Pick<Store, 'readChain'>;
/** A receipt as it is stored. */
type Receipt = Chained<DecisionRecord>;

/** Whose receipts. */
export interface ReceiptsOwner {
  readonly userId: UserId;
  readonly agentId: AgentId;
}

/** A place in a list that runs from new to old: what follows is older. */
interface Place {
  readonly atMs: number;
  readonly decisionId: string;
}

/** Sorts behind every decision id. */
const AFTER_ALL_IDS = 'dec_~';
const CURSOR = /^(\d{1,15})\.(dec_[0-9A-Z]{26})$/;

/**
 * Lists an agent's receipts, newest first: its own, and those of the signals it shared in the
 * periods in which it did. Errors: `invalid_request` for an invalid cursor or a limit out of
 * range.
 */
export function listReceipts(
  store: ReceiptsReader,
  owner: ReceiptsOwner,
  query: PageQuery,
): Page<DecisionView> {
  const before = placeOf(query);
  return pageOf(
    store,
    mergedNewestFirst([own(store, owner, before), shared(store, owner, before)], (one, other) =>
      isOlder(other, one),
    ),
    query.limit,
  );
}

/** Lists an agent's receipts that led to an order, newest first. Errors as `listReceipts`. */
export function listTrades(
  store: ReceiptsReader,
  owner: ReceiptsOwner,
  query: PageQuery,
): Page<DecisionView> {
  return pageOf(store, withOrder(own(store, owner, placeOf(query))), query.limit);
}

/** A receipt with all it can be decided by again, and the text that the journal chains. */
export interface RecordedDecision extends DecisionView {
  /** The journal's entry that holds the receipt: what its link covers. */
  readonly text: string;
}

/** A receipt is named after the moment it is made, which an entry may come to this much later. */
const MADE_WITHIN_MS = 600_000;

/** Finds an agent's receipt, its own or of a signal it shared; null where it has none such. */
export function findReceipt(
  store: ReceiptsReader,
  owner: ReceiptsOwner,
  decisionId: DecisionId,
): RecordedDecision | null {
  const madeAtMs = timeOfId(decisionId.slice('dec_'.length));
  const before = { atMs: madeAtMs + 1, decisionId: AFTER_ALL_IDS };
  for (const { value } of newestFirst(store, DECISIONS, {
    prefix: [owner.userId, owner.agentId],
    start: [owner.userId, owner.agentId, before.atMs, before.decisionId],
  })) {
    if (value.atMs < madeAtMs - MADE_WITHIN_MS) break;
    if (value.decisionId !== decisionId) continue;
    const { journalSeq: _place, ...decision } = value;
    const { userId, atMs } = value;
    return recorded(store, value, { type: 'decision.made', userId, atMs, decision });
  }
  for (const { receipt, kept } of sharedIn(store, owner, before)) {
    if (kept.atMs < madeAtMs - MADE_WITHIN_MS) return null;
    if (kept.decisionId !== decisionId) continue;
    const { journalSeq: _place, ...judged } = kept;
    return recorded(store, receipt, { type: 'signal.judged', atMs: kept.atMs, receipt: judged });
  }
  return null;
}

/** The fact is made of the record as it was when it was chained: each name in its place. */
function recorded(store: ReceiptsReader, receipt: Receipt, fact: DomainEvent): RecordedDecision {
  const [view] = pageOf(store, [receipt], 1).data;
  assert(view !== undefined, 'a page of one receipt has it');
  return { ...view, text: JSON.stringify(fact) };
}

/** The order made for a decision, on paper or not, as it is now; null when none was. */
export function orderOf(
  store: StoreReader,
  { userId, outcome, mode }: DecisionRecord,
): OrderRecord | null {
  if (outcome.kind !== 'order') return null;
  const table = mode === 'paper' ? paperTable(ORDERS) : ORDERS;
  return store.get(table, [userId, outcome.intentId])?.value ?? null;
}

/** What the position that an entry opened has brought in the end, on paper or not. */
function endOf(
  store: StoreReader,
  { agentId, mode, decision }: DecisionRecord,
  order: OrderRecord | null,
): UsdcMicros | null {
  if (decision.verdict !== 'enter' || order === null || order.filledShares === 0) return null;
  const table = mode === 'paper' ? paperTable(POSITIONS) : POSITIONS;
  const { userId, tokenId } = order.intent;
  const position = store.get(table, [userId, tokenId])?.value;
  // what was bought by hand too is no result of the decision
  return position?.agentId === agentId && position.closedAtMs !== null
    ? position.realizedPnl
    : null;
}

function pageOf(
  store: ReceiptsReader,
  receipts: Iterable<Receipt>,
  limit: number,
): Page<DecisionView> {
  const data: DecisionView[] = [];
  for (const receipt of receipts) {
    const last = data.at(-1)?.decision;
    if (data.length === limit && last !== undefined)
      return { data, nextCursor: `${last.atMs}.${last.decisionId}` };
    const { journalSeq, ...decision } = receipt;
    const order = orderOf(store, receipt);
    data.push({
      decision,
      order,
      realizedPnl: endOf(store, receipt, order),
      place: placeInChain(store, journalSeq),
    });
  }
  return { data, nextCursor: null };
}

/** The first entry's link follows one that is all zeros. */
function placeInChain(store: ReceiptsReader, seq: number): ReceiptPlace | null {
  const links = store.readChain(Math.max(0, seq - 2), seq === 1 ? 1 : 2);
  const own = links.at(-1);
  return own?.seq !== seq
    ? null
    : { seq, hash: own.hash, previousHash: links.at(-2)?.hash ?? '0'.repeat(own.hash.length) };
}

function placeOf({ cursor, limit }: PageQuery): Place | null {
  if (!Number.isInteger(limit) || limit < 1 || limit > API.pageMaximum) {
    throw new AppError('invalid_request', `limit ${limit} is not from 1 to ${API.pageMaximum}`, {
      fields: [{ path: '/limit', message: `must be from 1 to ${API.pageMaximum}` }],
    });
  }
  if (cursor === null) return null;
  const [, atMs, decisionId] = CURSOR.exec(cursor) ?? [];
  if (atMs === undefined || decisionId === undefined) {
    throw new AppError('invalid_request', 'invalid cursor for this list', {
      fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
    });
  }
  return { atMs: Number(atMs), decisionId };
}

function* withOrder(receipts: Iterable<Receipt>): Generator<Receipt> {
  for (const receipt of receipts) if (receipt.outcome.kind === 'order') yield receipt;
}

function* own(
  store: StoreReader,
  { userId, agentId }: ReceiptsOwner,
  before: Place | null,
): Generator<Receipt> {
  const start = before === null ? null : [userId, agentId, before.atMs, before.decisionId];
  for (const { value } of newestFirst(store, DECISIONS, { prefix: [userId, agentId], start }))
    yield value;
}

function* shared(
  store: StoreReader,
  owner: ReceiptsOwner,
  before: Place | null,
): Generator<Receipt> {
  for (const { receipt } of sharedIn(store, owner, before)) yield receipt;
}

/** Receipts of shared signals as they are kept, and as the agent's. */
function* sharedIn(
  store: StoreReader,
  { userId, agentId }: ReceiptsOwner,
  before: Place | null,
): Generator<{ readonly receipt: Receipt; readonly kept: Chained<SignalReceipt> }> {
  for (const { key, value: period } of newestFirst(store, ENABLED_PERIODS, {
    prefix: [userId, agentId],
    start: null,
  })) {
    const fromMs = Number(key[2]);
    const from = older(
      period.untilMs === null ? null : { atMs: period.untilMs, decisionId: AFTER_ALL_IDS },
      before,
    );
    const start = from === null ? null : [period.groupKey, from.atMs, from.decisionId];
    for (const { value } of newestFirst(store, SIGNAL_RECEIPTS, {
      prefix: [period.groupKey],
      start,
    })) {
      if (value.atMs < fromMs) break;
      const { groupKey: _shared, ...own } = value;
      const receipt = { ...own, userId, amountUsdc: null, outcome: { kind: 'none' } } as const;
      yield { receipt, kept: value };
    }
  }
}

function isOlder(one: Place, other: Place): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.decisionId < other.decisionId);
}

function older(one: Place | null, other: Place | null): Place | null {
  if (one === null || other === null) return one ?? other;
  return isOlder(one, other) ? one : other;
}
