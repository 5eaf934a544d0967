import { SWAP } from '../../../config/limits/tokens.ts';
import { cashAccountRow } from '../../domain/cash.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { SwapId, UserId } from '../../domain/ids.ts';
import {
  isSwapOver,
  receivedSide,
  type SwapReceipts,
  type SwapRecord,
  type SwapSide,
} from '../../domain/swap.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { OPEN_SWAPS, POSSIBLE_ARRIVALS, SWAPS, type CashArrival } from './tables.ts';

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
  if (isSwapOver(after.state)) {
    tx.remove(OPEN_SWAPS, [userId, swapId]);
    noticeArrivals(tx, after);
  }
  if (!isSwapOver(after.state) && before === null)
    tx.put(OPEN_SWAPS, [userId, swapId], { sinceMs: after.createdAtMs });
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

/**
 * Reports whether a swap brought this, or gave it back, or may have, whose end notifies its user of
 * it: one that names the transaction, or one under way. Of what may be a swap's it is noted, in the
 * commit that books it, that its user was not notified.
 */
export function awaitSwapEnd(tx: StoreWriter, userId: UserId, arrival: CashArrival): boolean {
  const { transactionHash } = arrival;
  if (transactionHash === null) return false;
  const swaps = newestSwaps(tx, userId);
  if (swaps.some((swap) => isOf(swap, arrival))) return true;
  const isPossible = swaps.some((swap) => mayBeOf(swap, arrival));
  if (isPossible) tx.put(POSSIBLE_ARRIVALS, [userId, transactionHash], arrival);
  return isPossible;
}

function newestSwaps(reader: StoreReader, userId: UserId): readonly SwapRecord[] {
  return reader
    .range(SWAPS, { prefix: [userId], reverse: true, limit: SWAP.rememberedMaximum })
    .map(({ value }) => value);
}

/**
 * True of a swap that ended with this arrival: it was given back, is what was bought, or what was
 * paid instead.
 */
function isOf(swap: SwapRecord, arrival: CashArrival): boolean {
  const { cashAccount, receivingAccount, state, receivedHash, receivedToken } = swap;
  if (!isSwapOver(state) || state === 'failed') return false;
  if (receivedHash !== arrival.transactionHash) return false;
  if (receivedToken !== null) return isPaidInto(receivedSide(swap), arrival);
  return (state === 'refunded' ? cashAccount : receivingAccount) === arrival.cashAccount;
}

/** True of a side that is the dollars of the wallet they came to. */
function isPaidInto(side: SwapSide | null, { cashAccount }: CashArrival): boolean {
  const { chain, token } = cashAccountRow(cashAccount);
  return side !== null && side.chain === chain && side.symbol === token;
}

/**
 * True of a swap under way that may have brought this: at least what it promised, exactly what it
 * took, or whatever it is where a bridge to its chain buys something else, which may pay dollars
 * instead. Which of them it was, its end says by the transaction.
 */
function mayBeOf(
  { cashAccount, receivingAccount, state, sell, buy, amount, minimumOut }: SwapRecord,
  arrival: CashArrival,
): boolean {
  if (isSwapOver(state)) return false;
  const isInstead =
    receivingAccount === undefined &&
    sell.chain !== buy.chain &&
    buy.chain === cashAccountRow(arrival.cashAccount).chain;
  const isBought =
    receivingAccount === arrival.cashAccount && BigInt(arrival.usdc) >= BigInt(minimumOut);
  const isGivenBack =
    state === 'following' && cashAccount === arrival.cashAccount && amount === String(arrival.usdc);
  return isBought || isInstead || isGivenBack;
}

/**
 * Notifies, in the commit of a swap's end, of what came while it was under way and is no swap's.
 */
function noticeArrivals(tx: StoreWriter, ended: SwapRecord): void {
  const { userId, updatedAtMs: atMs } = ended;
  const noted = tx.range(POSSIBLE_ARRIVALS, { prefix: [userId] });
  if (noted.length === 0) return;
  const swaps = newestSwaps(tx, userId);
  for (const { key, value: arrival } of noted) {
    const isProceeds = isOf(ended, arrival);
    if (!isProceeds && swaps.some((swap) => mayBeOf(swap, arrival))) continue;
    tx.remove(POSSIBLE_ARRIVALS, key);
    if (!isProceeds) tx.append({ type: 'deposit.noticed', userId, atMs, ...arrival });
  }
}
