import type { Address } from '@solana/kit';
import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import type { SolanaChain } from '../../../chains/solana/chain.ts';
import type { LandedTransaction } from '../../../chains/solana/landed-transaction.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import type { OutcomeSide } from '../model/listing.ts';
import { memosOf, tokenChange } from '../../../chains/solana/transactions.ts';

/** What was agreed with `/order`. Plain JSON. */
export interface OrderTerms {
  readonly id: string;
  readonly user: Address;
  readonly kind: 'buy' | 'sell' | 'redeem';
  readonly ticker: string;
  readonly side: OutcomeSide;
  readonly inputMint: Address;
  readonly outputMint: Address;
  /** Micros of the input. */
  readonly amount: number;
  /** Highest price of a buy, lowest of a sale, ticks; whatever for a redemption. */
  readonly limitTicks: number;
  readonly lastValidBlockHeight: number;
}

/** How an order ended. */
interface Closed {
  readonly signature: string;
  /** Micros given of the output, and given back of the input. */
  readonly outAmount: number;
  readonly refunded: number;
}

/** An order whose opening has landed. */
export interface OpenedOrder {
  readonly terms: OrderTerms;
  /** The transaction that opened it. */
  readonly opening: LandedTransaction;
  readonly closed: Closed | null;
}

/** Orders as the chain tells of them: only their terms are kept beside it. */
export interface Orders {
  /** Keeps the terms of an order until it can no longer land. */
  agree(terms: OrderTerms): void;
  /** The order that a transaction opened; null for any other. */
  openedBy(signature: string): OpenedOrder | null;
  /** Landed and not closed yet, oldest first. */
  open(): readonly OpenedOrder[];
  /** Called for each that opens, and for one whose end a fork has taken back. */
  onOpened(listener: (order: OpenedOrder) => void): void;
  stop(): void;
}

/** Follows a chain, its past included. `kept` is where terms outlive a stop. */
export function followOrders(
  chain: SolanaChain,
  router: Address,
  kept: RecordStore<OrderTerms>,
): Orders {
  const opened = new Map<string, OpenedOrder>();
  const idBySignature = new Map<string, string>();
  const listeners: ((order: OpenedOrder) => void)[] = [];

  const see = (transaction: LandedTransaction): void => {
    if (transaction.error !== null || !transaction.accountKeys.includes(router)) return;
    for (const note of memosOf(transaction)) {
      const [verb, id = ''] = note.split(':');
      if (verb === 'order') begin(id, transaction);
      // Only the router writes into a transaction that it pays for.
      else if (transaction.accountKeys[0] === router) end(id, transaction);
    }
  };
  const begin = (id: string, opening: LandedTransaction): void => {
    const terms = kept.get(id);
    if (terms === null || opened.has(id) || !opens(opening, terms, router)) return;
    const order: OpenedOrder = { terms, opening, closed: null };
    opened.set(id, order);
    idBySignature.set(opening.signature, id);
    for (const listener of listeners) listener(order);
  };
  const end = (id: string, closing: LandedTransaction): void => {
    const order = opened.get(id);
    if (order === undefined || order.closed !== null) return;
    const { user, inputMint, outputMint } = order.terms;
    opened.set(id, {
      ...order,
      closed: {
        signature: closing.signature,
        outAmount: tokenChange(closing, user, outputMint),
        refunded: tokenChange(closing, user, inputMint),
      },
    });
  };
  for (const transaction of [...chain.transactionsOf(router)].reverse()) see(transaction);
  const forget = (signatures: ReadonlySet<string>): void => {
    for (const [id, order] of opened) {
      if (signatures.has(order.opening.signature)) {
        opened.delete(id);
        idBySignature.delete(order.opening.signature);
      } else if (order.closed !== null && signatures.has(order.closed.signature)) {
        const again: OpenedOrder = { ...order, closed: null };
        opened.set(id, again);
        for (const listener of listeners) listener(again);
      }
    }
  };
  const unfollow = [chain.onLanded(see), chain.onDropped(forget)];
  return {
    agree(terms) {
      kept.put(terms.id, terms);
      if (kept.size() > CONTRACT_VENUE.ordersKeptMaximum) dropOldest(chain, kept, opened);
    },
    openedBy: (signature) => opened.get(idBySignature.get(signature) ?? '') ?? null,
    open: () => [...opened.values()].filter(({ closed }) => closed === null),
    onOpened: (listener) => void listeners.push(listener),
    stop() {
      for (const end of unfollow) end();
    },
  };
}

/**
 * A transaction opens an order when it is the user's and pays in exactly what was agreed: a note
 * alone is anybody's to write.
 */
function opens(opening: LandedTransaction, terms: OrderTerms, router: Address): boolean {
  return (
    tokenChange(opening, router, terms.inputMint) === terms.amount &&
    tokenChange(opening, terms.user, terms.inputMint) === -terms.amount
  );
}

/**
 * Drops the oldest terms that can no longer land and never did, then the oldest that are closed.
 */
function dropOldest(
  chain: SolanaChain,
  kept: RecordStore<OrderTerms>,
  opened: ReadonlyMap<string, OpenedOrder>,
): void {
  const height = chain.time.blockHeight();
  const over = kept.size() - CONTRACT_VENUE.ordersKeptMaximum * 0.9;
  const useless = kept.all().filter(({ id, lastValidBlockHeight }) => {
    const order = opened.get(id);
    return order === undefined ? lastValidBlockHeight < height : order.closed !== null;
  });
  for (const { id } of useless.slice(0, over)) kept.remove(id);
}
