import { LAUNCH } from '../../config/limits/launches.ts';
import { TOKEN_WARNINGS } from '../../config/limits/tokens.ts';
import type { UserId } from '../domain/ids.ts';
import { knownTokenAt } from '../domain/known-tokens.ts';
import { judgeName } from '../domain/token-listing.ts';
import type { Web3ChainId } from '../domain/web3-chains.ts';
import type { StoreReader } from '../ports/store.ts';
import { tokensLaunched } from '../services/launches/launch-records.ts';
import { tokensSwapped } from '../services/swaps/swap-records.ts';
import { tokensAdded } from '../services/web3/added-tokens.ts';
import type { OwnToken } from '../services/web3/balances.ts';

/**
 * Returns the tokens a user has launched, added and swapped on a chain, each once and judged by
 * what it is called; those of our own list are none.
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
  const chosen = new Set([...launched, ...added].map(({ address }) => folded(chain, address)));
  const traded = tokensSwapped(reader, userId, chain)
    .filter(
      ({ address }) => knownTokenAt(chain, address) === null && !chosen.has(folded(chain, address)),
    )
    .map(({ address, symbol, decimals }) =>
      judged({ address, symbol, name: symbol }, decimals, 'traded'),
    );
  return [...launched, ...added, ...traded];
}

/** Case is significant on Solana alone. */
function folded(chain: Web3ChainId, address: string): string {
  return chain === 'SOLANA' ? address : address.toLowerCase();
}
