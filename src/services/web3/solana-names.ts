import { WALLET_VIEW } from '../../../config/limits/wallet-view.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RoutedListing } from '../tokens/token-lookups.ts';
import { within } from '../tokens/within.ts';
import type { HeldAmounts } from './balances.ts';

/** What the router lists on Solana, and for how long that is waited for. */
export interface SolanaNames {
  /** Errors: those of `TokenLookups.browseRouted`. */
  readonly routedOnSolana: (
    userId: UserId,
  ) => Promise<readonly Pick<RoutedListing, 'address' | 'symbol' | 'warnings'>[]>;
  readonly clock: Clock;
}

/**
 * Gives tokens that just lie there the tickers they are routed by, with what speaks against them; a
 * router that does not answer soon leaves them without.
 */
export async function namedByRouter(
  { routedOnSolana, clock }: SolanaNames,
  userId: UserId,
  amounts: HeldAmounts,
): Promise<HeldAmounts> {
  if (!amounts.tokens.some(({ origin }) => origin === 'unknown')) return amounts;
  const listed = await within(routedOnSolana(userId), clock, WALLET_VIEW.namesWaitMs).catch(
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return null;
    },
  );
  const byMint = new Map((listed ?? []).map((token) => [token.address, token]));
  return {
    ...amounts,
    tokens: amounts.tokens.map((token) => {
      const found = token.origin === 'unknown' ? byMint.get(token.address) : undefined;
      return found === undefined
        ? token
        : { ...token, symbol: found.symbol, warnings: found.warnings };
    }),
  };
}
