import type { Address, MarketId, TokenId } from '../../domain/ids.ts';

/** What an account holds: collateral or one outcome token. */
export type Holding = 'usdc' | TokenId;

/** An account of the model venue: a user's address, or one of the venue's own. */
export type AccountName = Address | `venue:${string}`;

/** One signed movement in micros. A transaction's collateral postings add up to zero. */
export interface Posting {
  readonly account: AccountName;
  readonly holding: Holding;
  readonly micros: number;
}

/** Where taker fees go. */
export const FEE_ACCOUNT: AccountName = 'venue:fees';

/**
 * Collateral behind the shares of a market: equal to the shares outstanding of each outcome until
 * it resolves.
 */
export function escrowAccount(marketId: MarketId): AccountName {
  return `venue:escrow:${marketId}`;
}

interface Position {
  balance: number;
  /** Part of `balance` promised to open orders. */
  held: number;
  /** Part of `balance` received in trades that are not final yet. */
  unsettled: number;
  /** What the venue's balance cache still says, while it is stale. */
  cached: number | null;
}

/** A balance as the funds check and the balance interface see it. */
export interface Funds {
  readonly balance: number;
  readonly held: number;
  readonly unsettled: number;
}

/** Plain-JSON form of one account's holding. Holds belong to orders and are rebuilt from them. */
export interface SavedHolding {
  readonly account: string;
  readonly holding: string;
  readonly balance: number;
  /**
   * Of an account that lives on the chain, which is asked about it at a start; absent for the
   * model's own.
   */
  readonly isOnChain?: true;
}

/** Keeps balances, what is promised to open orders, and the venue's stale view of them. */
export class Accounts {
  readonly #accounts = new Map<AccountName, Map<Holding, Position>>();

  /** Applies a transaction, or takes it back with `sign` −1. */
  post(postings: readonly Posting[], sign: 1 | -1 = 1): void {
    for (const posting of postings) {
      const position = this.#open(posting.account, posting.holding);
      position.balance += sign * posting.micros;
      if (!Number.isSafeInteger(position.balance))
        throw new RangeError(`balance of ${posting.account} leaves the safe integers`);
    }
  }

  /** Moves what is promised to open orders by `micros`. */
  hold(account: AccountName, holding: Holding, micros: number): void {
    if (micros === 0) return;
    const position = this.#open(account, holding);
    position.held += micros;
    if (position.held < 0) throw new Error(`invariant broken: negative hold on ${account}`);
  }

  /** Moves what was received in trades that are not final by `micros`. */
  markUnsettled(account: AccountName, holding: Holding, micros: number): void {
    this.#open(account, holding).unsettled += micros;
  }

  /** The true balance. */
  balance(account: AccountName, holding: Holding): number {
    return this.#accounts.get(account)?.get(holding)?.balance ?? 0;
  }

  /** What the venue's checks go by: the cached balance while the cache is stale. */
  visible(account: AccountName, holding: Holding): Funds {
    const position = this.#accounts.get(account)?.get(holding);
    if (position === undefined) return { balance: 0, held: 0, unsettled: 0 };
    return {
      balance: position.cached ?? position.balance,
      held: position.held,
      unsettled: position.unsettled,
    };
  }

  /** Freezes the venue's view of a holding at today's balance until `refresh`. */
  freeze(account: AccountName, holding: Holding): void {
    const position = this.#open(account, holding);
    position.cached ??= position.balance;
  }

  /** Lets the venue see the true balances of an account again. */
  refresh(account: AccountName): void {
    for (const position of this.#accounts.get(account)?.values() ?? []) position.cached = null;
  }

  /** True when more is promised to open orders than is there. */
  isOverdrawn(account: AccountName, holding: Holding): boolean {
    const position = this.#accounts.get(account)?.get(holding);
    return position !== undefined && position.balance < position.held;
  }

  /** Every account that holds some of `holding`. */
  *holders(
    holding: Holding,
  ): Generator<{ readonly account: AccountName; readonly balance: number }> {
    for (const [account, holdings] of this.#accounts) {
      const balance = holdings.get(holding)?.balance ?? 0;
      if (balance !== 0) yield { account, balance };
    }
  }

  /** What one account holds that is not zero. */
  *holdings(
    account: AccountName,
  ): Generator<{ readonly holding: Holding; readonly balance: number }> {
    for (const [holding, position] of this.#accounts.get(account) ?? []) {
      if (position.balance !== 0) yield { holding, balance: position.balance };
    }
  }

  /** Forgets an outcome token that cannot be held any more: bounds memory over many rounds. */
  retire(tokenId: TokenId): void {
    for (const holdings of this.#accounts.values()) holdings.delete(tokenId);
  }

  /** Sum over all accounts. Collateral: everything ever deposited. */
  total(holding: Holding): number {
    let sum = 0;
    for (const { balance } of this.holders(holding)) sum += balance;
    return sum;
  }

  /** Balances as plain JSON, in a stable order. */
  save(): readonly SavedHolding[] {
    const saved: SavedHolding[] = [];
    for (const [account, holdings] of this.#accounts) {
      for (const [holding, { balance }] of holdings)
        if (balance !== 0) saved.push({ account, holding, balance });
    }
    return saved;
  }

  /** Takes saved balances over into an empty book of accounts. */
  load(saved: readonly SavedHolding[]): void {
    // Saved by `save`, whose names are account names and holdings.
    for (const { account, holding, balance } of saved)
      this.#open(account as AccountName, holding as Holding).balance = balance;
  }

  #open(account: AccountName, holding: Holding): Position {
    let holdings = this.#accounts.get(account);
    if (holdings === undefined) this.#accounts.set(account, (holdings = new Map()));
    let position = holdings.get(holding);
    if (position === undefined)
      holdings.set(holding, (position = { balance: 0, held: 0, unsettled: 0, cached: null }));
    return position;
  }
}
