import { TOKEN_WARNINGS } from '../../../config/limits/tokens.ts';
import { isSameOnChain } from '../../domain/chain-address.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import { coinOrKnownToken, knownTokenAt } from '../../domain/known-tokens.ts';
import { shortAddress, type SwapSide } from '../../domain/swap.ts';
import { judgeName } from '../../domain/token-listing.ts';
import { web3Chain, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { Wallets } from '../sign-in/accounts.ts';
import { evmDecimals } from '../tokens/evm-decimals.ts';
import type { TokenLookups } from '../tokens/token-lookups.ts';
import type { SwapDeps } from './swap-deps.ts';
import type { SwapNodes } from './swap-proof.ts';

/** How a caller names a token. */
export interface NamedToken {
  readonly chain: Web3ChainId;
  readonly ticker: string;
  /** Says which one where the ticker does not; null where it is left out. */
  readonly address: string | null;
  /** Field names, for refusals. */
  readonly tickerField: string;
  readonly addressField: string;
}

/**
 * Finds the one token a name means: a ticker of our own list or the chain's coin by itself, every
 * other by its address alone. Errors: `ambiguous_token` with what goes by the ticker,
 * `invalid_request` where ticker and address contradict each other, `not_found`.
 */
export async function resolveSide(
  {
    nodesOf,
    sides: { readAddress, router, search, launchedBy },
  }: Pick<SwapDeps, 'nodesOf' | 'sides'>,
  userId: UserId,
  { chain, ticker, address, tickerField, addressField }: NamedToken,
): Promise<SwapSide> {
  const byTicker = coinOrKnownToken(chain, ticker);
  const isAddress = byTicker === ticker && knownTokenAt(chain, ticker) === null;
  const named = address === null ? byTicker : coinOrKnownToken(chain, address);
  const meant = typeof named === 'string' ? readAddress(chain, named) : named;
  if (meant === null && named !== null)
    throw refused(
      address === null ? tickerField : addressField,
      'an address whose letters fit its checksum',
    );
  if (meant === undefined)
    throw address === null
      ? await ambiguous(search, userId, { chain, ticker, addressField })
      : refused(addressField, 'an address of this chain');
  if (address !== null && byTicker !== undefined && !isAddress && !isSameOnChain(byTicker, meant))
    throw refused(
      tickerField,
      `${ticker} is ${byTicker ?? "the chain's own coin"} here, not ${meant ?? address}`,
    );
  if (meant === null) {
    const { native } = web3Chain(chain);
    return { chain, address: null, symbol: native.symbol, decimals: native.decimals };
  }
  const known = knownTokenAt(chain, meant);
  if (known !== null)
    return { chain, address: known.address, symbol: known.symbol, decimals: known.decimals };
  const own = chain === 'SOLANA' && launchedBy(userId).find((token) => token.address === meant);
  if (own) return { chain, address: meant, symbol: own.symbol, decimals: own.decimals };
  const [decimals, listed] = await Promise.all([
    decimalsOf(nodesOf(chain), meant, chain),
    router.token(chain, meant),
  ]);
  const symbol =
    listed === null
      ? shortAddress(meant)
      : judgeName({ ...listed, address: meant }, TOKEN_WARNINGS).symbol;
  return { chain, address: meant, symbol, decimals };
}

/** The user's own wallet on a chain. */
export function walletOn({ evm, solana }: Wallets, chain: Web3ChainId): string {
  return chain === 'SOLANA' ? solana : evm;
}

async function decimalsOf(
  nodes: SwapNodes | null,
  address: string,
  chain: Web3ChainId,
): Promise<number> {
  if (nodes === null) throw new AppError('no_route', `this service has no node of ${chain}`);
  const decimals = await statedDecimals(nodes, address);
  if (decimals !== null) return decimals;
  throw new AppError('not_found', `there is no token at ${address} on ${chain}`);
}

/** Decimals as the chain states them; null for no token. Errors: `chain_unavailable`. */
export function statedDecimals(nodes: SwapNodes, address: string): Promise<number | null> {
  return nodes.kind === 'solana'
    ? nodes.solana.tokenDecimals(address)
    : evmDecimals(nodes.evm, asId<Address>(address));
}

async function ambiguous(
  search: TokenLookups['search'],
  userId: UserId,
  {
    chain,
    ticker,
    addressField,
  }: { readonly chain: Web3ChainId; readonly ticker: string; readonly addressField: string },
): Promise<AppError> {
  const { found } = await search(userId, { text: ticker, chains: [chain] });
  const candidates = found
    .slice(0, CANDIDATES_SHOWN)
    .map(({ address, name, warnings }) => [address, `(${name})`, ...warnings].join(' '));
  const message =
    candidates.length === 0
      ? `nothing on ${chain} goes by this ticker: name the token by its address`
      : `name one of these by its address: ${candidates.join('; ')}`;
  return new AppError('ambiguous_token', `${ticker} is no listed ticker on ${chain}: ${message}`, {
    fields: [{ path: `/${addressField}`, message }],
  });
}

const CANDIDATES_SHOWN = 5;

function refused(field: string, message: string): AppError {
  return new AppError('invalid_request', `${field}: ${message}`, {
    fields: [{ path: `/${field}`, message }],
  });
}
