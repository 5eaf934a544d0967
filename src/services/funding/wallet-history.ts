import { sharesMoved, type FillRecord } from '../../domain/fill.ts';
import { asId, type OrderId, type TokenId, type UserId } from '../../domain/ids.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { WalletMovement } from '../../ports/venue.ts';
import { orderNamed } from '../books/named-order.ts';
import { FILLS } from '../books/tables.ts';
import { isMovementBooked } from './movement-booking.ts';
import { namesOf, ownTransactions } from './own-transactions.ts';

/** Whose wallet, and what in it: a token, or with null its USDC. */
export interface WalletPlace {
  readonly userId: UserId;
  readonly chain: Web3ChainId;
  readonly tokenId: TokenId | null;
}

/**
 * Asks the chain once more about what has ended of a user's, about what came, and about trades that
 * moved other amounts than are booked, by their transactions; true where something is on its way
 * again, or was booked as it ended otherwise. Errors: `chain_unavailable`, `store_unavailable`,
 * those of the venue.
 */
export type AskAgain = (userId: UserId, changed: ReadonlySet<string>) => Promise<boolean>;

/**
 * Resolves with the movements that are in no books and make up a difference between chain and
 * books, micros; null where they do not. Before that own transactions are asked about again, whose
 * block may have been taken back: what is on its way once more is `unsettled`. Errors: those of
 * `askAgain`.
 */
export async function explain(
  reader: StoreReader,
  place: WalletPlace,
  {
    movements,
    difference,
    askAgain,
  }: {
    readonly movements: readonly WalletMovement[];
    readonly difference: number;
    readonly askAgain: AskAgain;
  },
): Promise<readonly WalletMovement[] | 'unsettled' | null> {
  const found = strangersAmong(reader, place, movements);
  if (found === 'unsettled') return found;
  const { strangers, changed } = found;
  const sum = strangers.reduce((total, { micros }) => total + micros, 0);
  if (sum === difference && changed.size === 0) return strangers;
  return (await askAgain(place.userId, changed)) ? 'unsettled' : null;
}

/** Movements of a wallet that no books have as they are. */
interface Unbooked {
  readonly strangers: readonly WalletMovement[];
  /** What a venue had the account do and came to something else than its fills say. */
  readonly changed: ReadonlySet<string>;
}

/**
 * Returns the movements of a wallet, oldest first, that no own order, fill or transfer has
 * booked; `unsettled` where one is a trade whose fills are not all booked yet. What comes back of
 * an order that found too little has no name, so that is known by its sum: what its opening gave,
 * less its fills. A venue's own call is what its fills say.
 */
function strangersAmong(
  reader: StoreReader,
  place: WalletPlace,
  movements: readonly WalletMovement[],
): Unbooked | 'unsettled' {
  const [trades, others] = [true, false].map((isTrade) =>
    movements.filter((movement) => (movement.isTrade ?? false) === isTrade),
  ) as [WalletMovement[], WalletMovement[]];
  const booked = bookedBy(reader, place);
  if (trades.some(({ transactionHash, micros }) => booked.get(transactionHash) !== micros))
    return 'unsettled';
  const owed = owedBy(reader, place, others);
  const strangers = others.filter(({ transactionHash, micros }) => {
    if (owed.known.has(transactionHash)) return false;
    // A reorganisation may have put what moved before the mark into a block behind it.
    const named = {
      kind: micros > 0 ? 'deposit' : 'departure',
      userId: place.userId,
      transferId: `${place.chain}:${transactionHash}`,
    } as const;
    if (place.tokenId === null && isMovementBooked(reader, named)) return false;
    // What an own transaction takes out was held for it; what one brings in is not booked yet.
    if (micros < 0 && owed.sent.has(transactionHash)) return false;
    const at = micros > 0 ? owed.returns.indexOf(micros) : -1;
    if (at >= 0) owed.returns.splice(at, 1);
    return at < 0;
  });
  const changed = others.filter(
    ({ transactionHash, micros }) =>
      owed.calls.has(transactionHash) && micros !== (booked.get(transactionHash) ?? 0),
  );
  return { strangers, changed: new Set(changed.map(({ transactionHash }) => transactionHash)) };
}

/** What fills have moved, by transaction, micros. */
function bookedBy(
  reader: StoreReader,
  { userId, tokenId }: WalletPlace,
): ReadonlyMap<string, number> {
  const booked = new Map<string, number>();
  for (const fill of fillsOf(reader, userId)) {
    const before = booked.get(fill.transactionHash) ?? 0;
    booked.set(fill.transactionHash, before + movedBy(fill, tokenId));
  }
  return booked;
}

interface Owed {
  /** Those of orders and their fills. */
  readonly known: ReadonlySet<string>;
  /** Of those, what venues had the account do: trades and rights. */
  readonly calls: ReadonlySet<string>;
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
  const calls = new Set<string>();
  const sent = new Set<string>();
  // What a venue's own call brings is booked by its end, or by the fills of its order.
  for (const record of ownTransactions(reader, userId, chain))
    for (const name of namesOf([record])) {
      (record.purpose.owner === 'venue' ? known : sent).add(name);
      if (record.purpose.kind === 'venue_call') calls.add(name);
    }
  const given = new Map<OrderId, number>();
  for (const [hash, micros] of moved) {
    const intent = orderNamed(reader, asId<OrderId>(hash))?.intent;
    if (intent?.userId !== userId) continue;
    known.add(hash);
    const isGiven = intent.side === (tokenId === null ? 'buy' : 'sell');
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
  return { known, calls, sent, returns: [...given.values()].filter((left) => left > 0) };
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
