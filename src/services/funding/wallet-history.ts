import { sharesMoved, type FillRecord } from '../../domain/fill.ts';
import { asId, type OrderId, type TokenId, type UserId } from '../../domain/ids.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { WalletMovement } from '../../ports/venue.ts';
import { FILLS, ORDER_IDS, ORDERS } from '../books/tables.ts';
import { namesOf, ownTransactions } from './own-transactions.ts';

/** Whose wallet, and what in it: a token, or with null its USDC. */
export interface WalletPlace {
  readonly userId: UserId;
  readonly chain: Web3ChainId;
  readonly tokenId: TokenId | null;
}

/**
 * Returns the movements of a wallet, oldest first, that no own order, fill or transfer has
 * booked; `unsettled` where one is a trade whose fills are not all booked yet. What comes back of
 * an order that found too little has no name, so that is known by its sum: what its opening gave,
 * less its fills.
 */
export function strangersAmong(
  reader: StoreReader,
  place: WalletPlace,
  movements: readonly WalletMovement[],
): readonly WalletMovement[] | 'unsettled' {
  const [trades, others] = [true, false].map((isTrade) =>
    movements.filter((movement) => (movement.isTrade ?? false) === isTrade),
  ) as [WalletMovement[], WalletMovement[]];
  const booked = new Map<string, number>();
  if (trades.length > 0)
    for (const fill of fillsOf(reader, place.userId))
      booked.set(
        fill.transactionHash,
        (booked.get(fill.transactionHash) ?? 0) + movedBy(fill, place.tokenId),
      );
  if (trades.some(({ transactionHash, micros }) => booked.get(transactionHash) !== micros))
    return 'unsettled';
  const owed = owedBy(reader, place, others);
  return others.filter(({ transactionHash, micros }) => {
    if (owed.known.has(transactionHash)) return false;
    // What an own transaction takes out was held for it; what one brings in is not booked yet.
    if (micros < 0 && owed.sent.has(transactionHash)) return false;
    const at = micros > 0 ? owed.returns.indexOf(micros) : -1;
    if (at >= 0) owed.returns.splice(at, 1);
    return at < 0;
  });
}

interface Owed {
  /** Those of orders and their fills. */
  readonly known: ReadonlySet<string>;
  /** Other own transactions: transfers, and the steps of swaps. */
  readonly sent: ReadonlySet<string>;
  /** Sums that came back by an unnamed transaction. */
  readonly returns: number[];
}

function owedBy(
  reader: StoreReader,
  { userId, chain, tokenId }: WalletPlace,
  movements: readonly WalletMovement[],
): Owed {
  const moved = new Map(movements.map((one) => [one.transactionHash, one.micros]));
  const known = new Set<string>();
  const sent = new Set<string>();
  // What a venue's own call brings is booked by its end, or by the fills of its order.
  for (const record of ownTransactions(reader, userId, chain))
    for (const name of namesOf([record]))
      (record.purpose.owner === 'venue' ? known : sent).add(name);
  const given = new Map<OrderId, number>();
  for (const [hash, micros] of moved) {
    const ref = reader.get(ORDER_IDS, [hash])?.value;
    if (ref?.userId !== userId) continue;
    known.add(hash);
    const side = reader.get(ORDERS, [ref.userId, ref.intentId])?.value.intent.side;
    const isGiven = side === (tokenId === null ? 'buy' : 'sell');
    if (isGiven && micros < 0) given.set(asId(hash), -micros);
  }
  const closings = new Set<string>();
  for (const fill of fillsOf(reader, userId)) {
    known.add(fill.transactionHash);
    const left = given.get(fill.orderId);
    if (left === undefined) continue;
    // A closing that fills an order in parts is one transaction with one return.
    const returned = closings.has(fill.transactionHash)
      ? 0
      : Math.max(0, moved.get(fill.transactionHash) ?? 0);
    closings.add(fill.transactionHash);
    const spent = fill.side === 'buy' ? fill.usdc + fill.fee : fill.shares;
    given.set(fill.orderId, left - spent - returned);
  }
  return { known, sent, returns: [...given.values()].filter((left) => left > 0) };
}

/** Fills that count and have a transaction. */
function fillsOf(reader: StoreReader, userId: UserId) {
  return reader
    .range(FILLS, { prefix: [userId] })
    .flatMap(({ value: { transactionHash, ...fill } }) =>
      fill.settlement === 'reversed' || transactionHash === null
        ? []
        : [{ ...fill, transactionHash }],
    );
}

/** What a fill has moved of a token, or with null of the USDC, micros. */
function movedBy(fill: Omit<FillRecord, 'transactionHash'>, tokenId: TokenId | null): number {
  const sign = fill.side === 'buy' ? 1 : -1;
  if (tokenId !== null) return fill.tokenId === tokenId ? sign * sharesMoved(fill) : 0;
  return -sign * fill.usdc - fill.fee;
}
