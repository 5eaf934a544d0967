import { SWAP } from '../../../config/limits/tokens.ts';
import type { CashAccount } from '../../domain/cash.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { SwapId, UserId } from '../../domain/ids.ts';
import {
  isSwapOver,
  type SwapReceipts,
  type SwapRecord,
  type SwapSide,
} from '../../domain/swap.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import type { Page, PageQuery } from '../../ports/catalogue.ts';
import { OPEN_SWAPS, SWAPS } from './tables.ts';

/**
 * Writes a swap, null before its first record, with all that follows it: its place among the open
 * ones, and the fact.
 */
export function putSwap(
  tx: StoreWriter,
  { before, after }: { readonly before: SwapRecord | null; readonly after: SwapRecord },
): void {
  const { userId, swapId } = after;
  // a block that was taken back undoes one that was completed
  const isUndone = before?.state === 'completed' && after.state === 'failed';
  assert(before === null || !isSwapOver(before.state) || isUndone, `swap ${swapId} has not ended`);
  tx.put(SWAPS, [userId, swapId], after);
  if (isSwapOver(after.state)) tx.remove(OPEN_SWAPS, [userId, swapId]);
  else if (before === null) tx.put(OPEN_SWAPS, [userId, swapId], { sinceMs: after.createdAtMs });
  if (before?.state !== after.state)
    tx.append({
      type: 'swap.changed',
      userId,
      atMs: after.updatedAtMs,
      from: before?.state ?? null,
      swap: after,
    });
}

/** Returns one swap as stored. Errors: `not_found`. */
export function readSwap(reader: StoreReader, userId: UserId, swapId: SwapId): SwapRecord {
  const found = reader.get(SWAPS, [userId, swapId])?.value;
  if (found === undefined) throw new AppError('not_found', `there is no swap ${swapId}`);
  return found;
}

/**
 * Returns one page of a user's swaps, newest first; a cursor is the id of the last one of the page
 * before. Errors: `invalid_request` for an invalid cursor.
 */
export function pageOfSwaps(
  reader: StoreReader,
  userId: UserId,
  { limit, cursor }: PageQuery,
): Page<SwapRecord> {
  if (cursor !== null && reader.get(SWAPS, [userId, cursor]) === null)
    throw new AppError('invalid_request', 'cursor: not a cursor of this list', {
      fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
    });
  const rows = reader.range(SWAPS, {
    prefix: [userId],
    reverse: true,
    limit: limit + 1,
    ...(cursor === null ? {} : { after: [userId, cursor] }),
  });
  const data = rows.slice(0, limit).map(({ value }) => value);
  return { data, nextCursor: rows.length > limit ? (data.at(-1)?.swapId ?? null) : null };
}

/**
 * Returns the tokens a user has swapped on a chain, those of the newest swaps first, each once;
 * coins are none.
 */
export function tokensSwapped(
  reader: StoreReader,
  userId: UserId,
  chain: Web3ChainId,
): readonly (SwapSide & { readonly address: string })[] {
  const found = new Map<string, SwapSide & { readonly address: string }>();
  for (const { value } of reader.range(SWAPS, {
    prefix: [userId],
    reverse: true,
    limit: SWAP.rememberedMaximum,
  }))
    for (const side of [value.buy, value.sell])
      if (side.chain === chain && side.address !== null && !found.has(side.address.toLowerCase()))
        found.set(side.address.toLowerCase(), { ...side, address: side.address });
  return [...found.values()].slice(0, SWAP.tokensShownMaximum);
}

/** Returns what swaps bring to wallets, for whoever looks for what others sent there. */
export function swapReceipts(reader: StoreReader): SwapReceipts {
  const openSides = (userId: UserId): readonly SwapSide[] =>
    reader.range(OPEN_SWAPS, { prefix: [userId] }).flatMap(({ key }) => {
      const swap = reader.get(SWAPS, key)?.value;
      return swap === undefined ? [] : [swap.sell, swap.buy];
    });
  return {
    isAwaited: (userId, chain, token) =>
      openSides(userId).some((side) => side.chain === chain && side.address === token),
    isUnderWay: (userId, chain) => openSides(userId).some((side) => side.chain === chain),
    on: (userId, chain, sinceMs = 0) =>
      new Set(
        reader
          .range(SWAPS, { prefix: [userId] })
          .filter(({ value: { updatedAtMs } }) => updatedAtMs >= sinceMs)
          .filter(({ value: { sell, buy } }) => sell.chain === chain || buy.chain === chain)
          .flatMap(({ value: { receivedHash } }) => receivedHash ?? []),
      ),
  };
}

/** USDC that came to one of a user's wallets. */
interface CashArrival {
  readonly cashAccount: CashAccount;
  readonly micros: number;
  /** Null for the sum of what no transaction explains. */
  readonly transactionHash: string | null;
}

/**
 * Reports whether a bridge gave this back, whose end notifies its user of it: one that says so of
 * the transaction, or one under way that took exactly so much and is not known to have ended yet.
 */
export function isRefundOfSwap(
  reader: StoreReader,
  userId: UserId,
  { cashAccount, micros, transactionHash }: CashArrival,
): boolean {
  if (transactionHash === null) return false;
  return reader
    .range(SWAPS, { prefix: [userId], reverse: true, limit: SWAP.rememberedMaximum })
    .filter(({ value }) => value.cashAccount === cashAccount)
    .some(({ value: { state, amount, receivedHash } }) =>
      state === 'following'
        ? amount === String(micros)
        : state === 'refunded' && receivedHash === transactionHash,
    );
}
