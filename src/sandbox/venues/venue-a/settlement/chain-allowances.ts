import type { Address } from '../../../../domain/ids.ts';
import type { AllowedAsset, Allowances } from '../../../engine/allowances.ts';

/** What one account lets one contract take, as of a block; micros. */
export interface ChainAllowance {
  readonly account: Address;
  readonly asset: AllowedAsset;
  readonly spender: Address;
  readonly micros: bigint;
}

/** Keeps what the chain says of allowances, in memory only: the ledger asks for all at a start. */
export class ChainAllowances implements Allowances {
  #known = new Map<string, ChainAllowance>();

  allowed(account: Address, asset: AllowedAsset, spender: Address): bigint {
    return this.#known.get(keyOf({ account, asset, spender }))?.micros ?? 0n;
  }

  /**
   * Takes news over, in the place of all there was where `isAnew`; gives the accounts that may
   * allow less than before.
   */
  take(news: readonly ChainAllowance[], isAnew: boolean): ReadonlySet<Address> {
    const before = this.#known;
    if (isAnew) this.#known = new Map();
    for (const allowance of news) {
      if (allowance.micros === 0n) this.#known.delete(keyOf(allowance));
      else this.#known.set(keyOf(allowance), allowance);
    }
    return new Set([...(isAnew ? before.values() : []), ...news].map(({ account }) => account));
  }
}

function keyOf({ account, asset, spender }: Omit<ChainAllowance, 'micros'>): string {
  return `${account} ${asset} ${spender}`;
}
