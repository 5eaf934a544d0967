import { cashAccountRow, type CashAccount } from '../domain/cash.ts';
import { web3Chain, type Web3ChainId } from '../domain/web3-chains.ts';
import type { Core } from './core.ts';

/** A token of users' own wallets, or with null a chain's own coin. */
interface TokenPlace {
  readonly chain: Web3ChainId;
  readonly address: string | null;
}

/**
 * Returns what tells which balance in the books a token of users' own wallets is: null for a token
 * without one, also where none of these venues is paid from there.
 */
export function cashAccountsOf(
  venues: readonly { readonly cashAccount: CashAccount }[],
): (place: TokenPlace) => CashAccount | null {
  // A Safe is no wallet of the user's own key.
  const wallets = venues
    .map(({ cashAccount }) => cashAccount)
    .filter((account) => cashAccountRow(account).rail !== 'safe');
  return ({ chain, address }) =>
    web3Chain(chain).tokens.some((dollar) => dollar.address === address)
      ? (wallets.find((account) => cashAccountRow(account).chain === chain) ?? null)
      : null;
}

/** Returns all venues of the service, closed ones too: users may hold money for them. */
export function venuesOf({
  venues,
  closedVenues,
}: Pick<Core, 'venues' | 'closedVenues'>): readonly { readonly cashAccount: CashAccount }[] {
  return [...venues.map(({ venue }) => venue), ...closedVenues];
}
