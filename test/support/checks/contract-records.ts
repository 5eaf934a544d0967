import type { Address } from '@solana/kit';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { isTerminal, type OrderRecord } from '../../../src/domain/order.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { SolanaChain } from '../../../src/sandbox/chains/solana/chain.ts';
import { accountOf, type Token } from '../../../src/sandbox/chains/solana/instructions.ts';
import type { LandedTransaction } from '../../../src/sandbox/chains/solana/landed-transaction.ts';
import { readTokenData } from '../../../src/sandbox/chains/solana/token-layout.ts';
import { memosOf, tokenChange } from '../../../src/sandbox/chains/solana/transactions.ts';
import { USDC } from '../../../src/sandbox/venues/venue-b/chain/settlement.ts';
import { largestFee } from '../../../src/venues/venue-b/fees.ts';
import type { DirectVenue } from '../../../src/sandbox/venues/venue-b/direct/direct-venue.ts';
import { FILLS } from '../../../src/services/books/tables.ts';

/** What one opening moved, with its end: by the chain alone. */
export interface Opening {
  readonly user: Address;
  readonly transactions: readonly LandedTransaction[];
}

/**
 * Openings of these wallets on the chain, each with the transaction that closed it, by signature.
 */
export function openingsOf(
  { chain, venue }: Pick<DirectVenue, 'chain' | 'venue'>,
  wallets: readonly Address[],
): ReadonlyMap<string, Opening> {
  const closings = new Map<string, LandedTransaction>();
  for (const transaction of chain.transactionsOf(venue.settlement.router.address))
    for (const note of memosOf(transaction)) {
      const [verb, id = ''] = note.split(':');
      if (verb !== 'order' && transaction.error === null) closings.set(id, transaction);
    }
  const openings = new Map<string, Opening>();
  for (const user of wallets)
    for (const transaction of chain.transactionsOf(user)) {
      const id = openedIn(transaction);
      if (id === null || transaction.error !== null) continue;
      const closing = closings.get(id);
      openings.set(transaction.signature, {
        user,
        transactions: closing === undefined ? [transaction] : [transaction, closing],
      });
    }
  return openings;
}

/** Returns the order that a transaction opens, by its note; null for any other. */
export function openedIn(transaction: LandedTransaction): string | null {
  const note = memosOf(transaction).find((text) => text.startsWith('order:'));
  return note?.slice('order:'.length) ?? null;
}

/** What an order of the service came to, beside what the chain says of its attempts. */
export interface JudgedOrder {
  /** That the chain gave or took, micros. */
  readonly contracts: number;
  /** Openings beyond the one of a market order, and more given than it was for. */
  readonly doubled: readonly string[];
  /** Undecided, or books that hold otherwise than the chain gave. */
  readonly guessed: readonly string[];
}

/** Compares an order with the openings of its attempts, and its fills with what these moved. */
export function judgeOrder(
  store: Store,
  { intent, attempts, state }: OrderRecord,
  openings: ReadonlyMap<string, Opening>,
): JudgedOrder {
  const own = attempts.flatMap(({ attemptId }) => openings.get(String(attemptId)) ?? []);
  const moved = (mint: string): number =>
    own.reduce(
      (sum, { user, transactions }) =>
        sum + transactions.reduce((part, one) => part + tokenChange(one, user, mint), 0),
      0,
    );
  const sign = intent.side === 'buy' ? 1 : -1;
  const contracts = sign * moved(String(intent.tokenId));
  const paid = -sign * moved(USDC.mint);
  const fills = store
    .range(FILLS, { prefix: [intent.userId] })
    .map(({ value }) => value)
    .filter((fill) => fill.intentId === intent.intentId && fill.settlement !== 'reversed');
  const sum = (of: (fill: FillRecord) => number): number =>
    fills.reduce((total, fill) => total + of(fill), 0);
  const booked = sum(({ shares }) => shares);
  const bookedPaid = sum(({ usdc, fee }) => usdc + sign * fee);
  const name = `${intent.side} ${intent.intentId} (${state})`;
  // A better price gives more contracts than were asked for, for no more money.
  const [given, most] =
    intent.side === 'buy'
      ? [paid, intent.spendMicros + largestFee(intent.spendMicros, intent.price)]
      : [contracts, intent.spendMicros];
  return {
    contracts,
    doubled: [
      ...(intent.life !== 'rests' && own.length > 1
        ? [`${name} was opened ${own.length} times`]
        : []),
      ...(given > most ? [`${name} gave ${given} of ${most}`] : []),
    ],
    guessed: [
      ...(isTerminal(state) ? [] : [`${name} is undecided`]),
      ...(booked === contracts ? [] : [`${name} holds ${booked}, the chain gave ${contracts}`]),
      ...(bookedPaid === paid ? [] : [`${name} moved ${bookedPaid}, on the chain ${paid}`]),
    ],
  };
}

/** Returns openings on the chain that are no attempt of an order, in words. */
export function strangersAmong(
  openings: ReadonlyMap<string, Opening>,
  orders: readonly OrderRecord[],
): readonly string[] {
  const attempts = new Set(
    orders.flatMap((order) => order.attempts.map(({ attemptId }) => String(attemptId))),
  );
  return [...openings.keys()]
    .filter((signature) => !attempts.has(signature))
    .map((signature) => `${signature} is of no order`);
}

/** Returns what a wallet holds of a token, in its smallest units. */
export function heldOf(chain: SolanaChain, wallet: Address, token: Token): number {
  const account = chain.account(accountOf(wallet, token));
  const data = account === null ? null : readTokenData(account.data);
  return data?.kind === 'account' ? Number(data.amount) : 0;
}
