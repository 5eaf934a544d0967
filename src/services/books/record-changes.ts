import { assert } from '../../domain/errors.ts';
import type { FillRecord } from '../../domain/fill.ts';
import {
  AGENT_IDS,
  type AgentId,
  type MarketId,
  type TokenId,
  type UserId,
  type VenueId,
} from '../../domain/ids.ts';
import type { LedgerAsset, LedgerBalance, LedgerEntry, LedgerOwner } from '../../domain/ledger.ts';
import { postEntry } from '../../domain/ledger-post.ts';
import { isAtRest, isTerminal, type OrderRecord } from '../../domain/order.ts';
import type { PositionRecord } from '../../domain/position.ts';
import {
  NO_RISK,
  withFill,
  withHeld,
  withOrder,
  withPosition,
  type RiskState,
  type PositionChange,
} from '../../domain/risk.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { endDispute } from './funds-disputes.ts';
import { countEntry, countPosition } from './agent-results.ts';
import { countAtVenue } from './venue-results.ts';
import { isFencing, isAccepted, isUndecided } from './order-fold.ts';
import {
  AGENT_MARKETS,
  AGENT_RISK,
  BALANCES,
  FILLS,
  LEDGER_ENTRIES,
  MARKET_ORDERS,
  OPEN_FILLS,
  OPEN_ORDERS,
  OPEN_POSITIONS,
  ORDERS,
  ORDER_IDS,
  POSITIONS,
  POSITION_TIMES,
  RISK,
  type PositionGroup,
} from './tables.ts';

const EMPTY_BALANCE: LedgerBalance = { provisional: 0, settled: 0 };

/** What a user has at risk, as stored. */
export function riskOf(reader: StoreReader, userId: UserId): RiskState {
  return reader.get(RISK, [userId])?.value ?? NO_RISK;
}

/**
 * What an agent has at risk, as stored: its own orders, and all that its user holds in markets it
 * has entered. Shares bought manually there count as the agent's, for they cannot be distinguished
 * at the venue: its caps may bind early, never late.
 */
export function agentRiskOf(reader: StoreReader, userId: UserId, agentId: AgentId): RiskState {
  return reader.get(AGENT_RISK, [userId, agentId])?.value ?? NO_RISK;
}

/** Agents of the user that have entered the market. */
function enteredBy(reader: StoreReader, userId: UserId, marketId: MarketId): readonly AgentId[] {
  return AGENT_IDS.filter(
    (agentId) => reader.get(AGENT_MARKETS, [userId, agentId, marketId]) !== null,
  );
}

/** Balance of an account, zeros when nothing was ever posted to it. */
export function balanceOf(
  reader: StoreReader,
  owner: LedgerOwner,
  asset: LedgerAsset,
): LedgerBalance {
  return reader.get(BALANCES, [owner, asset])?.value ?? EMPTY_BALANCE;
}

/**
 * Writes an order, null before its first record, with all that follows it: indexes, fence, risk,
 * the end of a dispute, and the fact.
 */
export function putOrder(tx: StoreWriter, before: OrderRecord | null, after: OrderRecord): void {
  const { userId, intentId } = after.intent;
  countEntry(tx, before, after);
  tx.put(ORDERS, [userId, intentId], after);
  if (before === null) tx.put(MARKET_ORDERS, [userId, after.intent.marketId, intentId], true);
  putOpenOrder(tx, before, after);
  nameOrder(tx, before, after);
  tx.put(RISK, [userId], withOrder(riskOf(tx, userId), before, after));
  const { origin } = after.intent;
  if (origin.kind === 'agent')
    tx.put(
      AGENT_RISK,
      [userId, origin.agentId],
      withOrder(agentRiskOf(tx, userId, origin.agentId), before, after),
    );
  if (before !== null && isUndecided(before.state) && isAccepted(after.state) && !isAtRest(after))
    endDispute(tx, after);
  if (before !== null && before.state !== after.state) {
    tx.append({
      type: 'order.changed',
      userId,
      atMs: after.updatedAtMs,
      intentId,
      from: before.state,
      to: after.state,
      reason: after.reason,
    });
  }
  if (after.intent.side === 'sell') markClosing(tx, after);
}

/** Lists an order by every name its attempts have, ours and the venue's. */
function nameOrder(
  tx: StoreWriter,
  before: OrderRecord | null,
  { intent: { userId, intentId }, attempts }: OrderRecord,
): void {
  if (before?.attempts === attempts) return;
  for (const [index, { attemptId, orderId }] of attempts.entries()) {
    const known = before?.attempts[index];
    if (known === undefined) tx.put(ORDER_IDS, [attemptId], { userId, intentId }, 0);
    const isLearned = orderId !== null && known?.orderId !== orderId;
    if (isLearned && String(orderId) !== String(attemptId))
      tx.put(ORDER_IDS, [orderId], { userId, intentId }, 0);
  }
}

/**
 * Writes a fill, null before its first record, with its index and the risk of the user and of
 * agents in its market.
 */
export function putFill(tx: StoreWriter, before: FillRecord | null, after: FillRecord): void {
  const key = [after.userId, after.orderId, after.tradeId];
  tx.put(FILLS, key, after);
  if (after.settlement !== 'provisional') tx.remove(OPEN_FILLS, key);
  else if (before === null)
    tx.put(OPEN_FILLS, key, { sinceMs: after.matchedAtMs, venue: venueOf(tx, after) });
  const { userId, marketId } = after;
  tx.put(RISK, [userId], withFill(riskOf(tx, userId), before, after));
  for (const agentId of enteredBy(tx, userId, marketId))
    tx.put(
      AGENT_RISK,
      [userId, agentId],
      withFill(agentRiskOf(tx, userId, agentId), before, after),
    );
}

function venueOf(tx: StoreWriter, { userId, intentId, tradeId }: FillRecord): VenueId {
  const order = tx.get(ORDERS, [userId, intentId])?.value;
  assert(order !== undefined, `the order of fill ${tradeId} has a record`);
  return order.intent.venue;
}

/**
 * Writes a position, null before its first record, with its index, the risk of the user and of
 * agents in its market, and the fact.
 */
export function putPosition(
  tx: StoreWriter,
  before: PositionRecord | null,
  after: PositionRecord,
  moment: number | Pick<PositionChange, 'atMs' | 'takesBackFromMs'>,
): void {
  const { userId, marketId, tokenId } = after;
  const change: PositionChange = {
    before,
    after,
    ...(typeof moment === 'number' ? { atMs: moment } : moment),
  };
  countPosition(tx, before, after);
  countAtVenue(tx, before, after);
  tx.put(POSITIONS, [userId, tokenId], after);
  if (after.shares !== 0)
    tx.put(OPEN_POSITIONS, [marketId, userId, tokenId], { sinceMs: after.openedAtMs });
  placePosition(tx, before, after);
  tx.put(RISK, [userId], withPosition(riskOf(tx, userId), change));
  for (const agentId of enteredBy(tx, userId, marketId))
    tx.put(AGENT_RISK, [userId, agentId], withPosition(agentRiskOf(tx, userId, agentId), change));
  tx.append({ type: 'position.changed', userId, atMs: change.atMs, position: after });
}

/** Lists a position by when it was opened, in the group it belongs to now. */
function placePosition(
  tx: StoreWriter,
  before: PositionRecord | null,
  after: PositionRecord,
): void {
  const keyOf = ({ userId, shares, openedAtMs, tokenId }: PositionRecord) =>
    [userId, shares === 0 ? 'closed' : 'open', openedAtMs, tokenId] satisfies [
      UserId,
      PositionGroup,
      number,
      TokenId,
    ];
  const [old, key] = [before === null ? null : keyOf(before), keyOf(after)];
  if (old?.every((part, index) => part === key[index]) === true) return;
  if (old !== null) tx.remove(POSITION_TIMES, old);
  tx.put(POSITION_TIMES, key, true);
}

/**
 * Has an agent answer from now on for what its user already holds, and has sold without proof yet,
 * in a market it enters.
 */
export function assignHoldingsToAgent(
  tx: StoreWriter,
  {
    userId,
    agentId,
    marketId,
  }: { readonly userId: UserId; readonly agentId: AgentId; readonly marketId: MarketId },
): void {
  const held = tx
    .range(OPEN_POSITIONS, { prefix: [marketId, userId] })
    .flatMap(({ key }) => tx.get(POSITIONS, [userId, key[2] ?? ''])?.value ?? []);
  const moving = tx
    .range(OPEN_FILLS, { prefix: [userId] })
    .flatMap(({ key }) => tx.get(FILLS, key)?.value ?? [])
    .filter((fill) => fill.marketId === marketId);
  if (held.length + moving.length === 0) return;
  const holding = held.reduce(withHeld, agentRiskOf(tx, userId, agentId));
  tx.put(
    AGENT_RISK,
    [userId, agentId],
    moving.reduce((state, fill) => withFill(state, null, fill), holding),
  );
}

/** What is known of an entry beside what it posts. */
export interface PostingFacts {
  readonly isToldByTransfer?: boolean;
  /** Of the transaction that moved it; null where none is known. */
  readonly transactionHash?: string | null;
}

/** Books an entry once, with the fact; false when it was booked before (L4). */
export function postToLedger(
  tx: StoreWriter,
  userId: UserId,
  entry: LedgerEntry,
  { isToldByTransfer = false, transactionHash = null }: PostingFacts = {},
): boolean {
  const accounts = postEntry(entry, {
    isBooked: (entryId) => tx.get(LEDGER_ENTRIES, [entryId]) !== null,
    balanceOf: (owner, asset) => tx.get(BALANCES, [owner, asset])?.value ?? null,
  });
  if (accounts === null) return false;
  tx.put(LEDGER_ENTRIES, [entry.entryId], entry);
  for (const { owner, asset, balance } of accounts) tx.put(BALANCES, [owner, asset], balance);
  tx.append({
    type: 'ledger.posted',
    userId,
    atMs: entry.atMs,
    entry,
    ...(isToldByTransfer ? { isToldByTransfer } : {}),
    ...(transactionHash === null ? {} : { transactionHash }),
  });
  return true;
}

/**
 * The fence goes up with the intent, before anything can leave, and comes down with the venue's
 * word (L2).
 */
function putOpenOrder(tx: StoreWriter, before: OrderRecord | null, after: OrderRecord): void {
  const { userId, intentId, venue, marketId, createdAtMs } = after.intent;
  if (isTerminal(after.state)) return tx.remove(OPEN_ORDERS, [userId, intentId]);
  if (before !== null && isFencing(before) === isFencing(after)) return;
  tx.put(OPEN_ORDERS, [userId, intentId], {
    sinceMs: createdAtMs,
    venue,
    marketId,
    isFencing: isFencing(after),
  });
}

/** A position is closing while shares of it are set aside for a sale. */
function markClosing(tx: StoreWriter, order: OrderRecord): void {
  const { userId, tokenId } = order.intent;
  const position = tx.get(POSITIONS, [userId, tokenId])?.value;
  if (position === undefined) return;
  const isSelling = (riskOf(tx, userId).tokens[tokenId]?.reservedShares ?? 0) > 0;
  if (position.state === 'open' && isSelling)
    putPosition(tx, position, { ...position, state: 'closing' }, order.updatedAtMs);
  if (position.state === 'closing' && !isSelling)
    putPosition(tx, position, { ...position, state: 'open' }, order.updatedAtMs);
}
