import { LAUNCH } from '../../config/limits/launches.ts';
import { TOKEN_WARNINGS } from '../../config/limits/tokens.ts';
import type { CashAccount } from '../domain/cash.ts';
import { foldedAddress } from '../domain/chain-address.ts';
import type { UserId } from '../domain/ids.ts';
import { knownTokenAt } from '../domain/known-tokens.ts';
import { judgeName } from '../domain/token-listing.ts';
import type { Web3ChainId } from '../domain/web3-chains.ts';
import type { StoreReader } from '../ports/store.ts';
import { POSITIONS, TRADED_MARKETS } from '../services/books/tables.ts';
import { UNKNOWN_TOKENS } from '../services/funding/tables.ts';
import { tokensLaunched } from '../services/launches/launch-records.ts';
import { tokensSwapped } from '../services/swaps/swap-records.ts';
import { tokensAdded } from '../services/web3/added-tokens.ts';
import type { OwnToken } from '../services/web3/balances.ts';

/** Shares are counted in millionths. */
const SHARE_DECIMALS = 6;

/**
 * Returns the tokens a user has launched, added and swapped on a chain, and those that no list
 * vouches for and that just came to them, each once and judged by what it is called, and the
 * outcomes they have or had positions in; those of our own list are left out.
 */
export function ownTokens(
  reader: StoreReader,
  userId: UserId,
  chain: Web3ChainId,
): readonly OwnToken[] {
  const judged = (
    token: { readonly address: string; readonly symbol: string; readonly name: string },
    decimals: number,
    origin: OwnToken['origin'],
  ): OwnToken => {
    const { symbol, warnings } = judgeName({ ...token, chain }, TOKEN_WARNINGS);
    return { address: token.address, symbol, decimals, origin, warnings };
  };
  const launched = (chain === 'SOLANA' ? tokensLaunched(reader, userId) : []).map(
    ({ mint: address, symbol, name }) =>
      judged({ address, symbol, name }, LAUNCH.decimals, 'launched'),
  );
  const added = tokensAdded(reader, userId, chain).filter(
    ({ address }) => !launched.some((own) => own.address === address),
  );
  const chosen = new Set(
    [...launched, ...added].map(({ address }) => foldedAddress(chain, address)),
  );
  const traded = tokensSwapped(reader, userId, chain)
    .filter(
      ({ address }) =>
        knownTokenAt(chain, address) === null && !chosen.has(foldedAddress(chain, address)),
    )
    .map(({ address, symbol, decimals }) =>
      judged({ address, symbol, name: symbol }, decimals, 'traded'),
    );
  const named = [...launched, ...added, ...traded];
  const outcomes = outcomeTokens(reader, userId, chain).filter(
    ({ address }) => !named.some((own) => own.address === address),
  );
  const all = [...named, ...outcomes];
  const seen = new Set(all.map(({ address }) => foldedAddress(chain, address)));
  const unknown = unknownTokens(reader, userId, chain).filter(
    ({ address }) => !seen.has(foldedAddress(chain, address)),
  );
  return [...all, ...unknown];
}

/** Unverified tokens: what they call themselves proves nothing. */
function unknownTokens(
  reader: StoreReader,
  userId: UserId,
  chain: Web3ChainId,
): readonly OwnToken[] {
  return reader
    .range(UNKNOWN_TOKENS, { prefix: [userId, chain] })
    .map(({ key, value: { decimals, warnings } }) => ({
      address: String(key[2]),
      symbol: null,
      decimals,
      origin: 'unknown',
      warnings,
    }));
}

/** Chains whose wallets hold outcomes as tokens like any other, by what pays for them. */
const OUTCOME_WALLETS: Readonly<Partial<Record<CashAccount, Web3ChainId>>> = {
  'usdc:solana': 'SOLANA',
};

/** Outcomes of markets, which have no ticker and the six decimals of shares. */
function outcomeTokens(
  reader: StoreReader,
  userId: UserId,
  chain: Web3ChainId,
): readonly OwnToken[] {
  return reader
    .range(POSITIONS, { prefix: [userId] })
    .filter(({ value }) => OUTCOME_WALLETS[value.cashAccount] === chain)
    .flatMap(({ value: { tokenId, marketId, question, outcomeLabel } }) => {
      const venue = reader.get(TRADED_MARKETS, [marketId])?.value.venue;
      return venue === undefined
        ? []
        : [
            {
              address: tokenId,
              symbol: null,
              decimals: SHARE_DECIMALS,
              origin: 'outcome' as const,
              warnings: [],
              outcome: { venue, marketId, question, label: outcomeLabel },
            },
          ];
    });
}
