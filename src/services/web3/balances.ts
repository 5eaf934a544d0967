import { WALLET_VIEW } from '../../../config/limits/wallet-view.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type MarketId, type VenueId } from '../../domain/ids.ts';
import { knownTokens } from '../../domain/known-tokens.ts';
import { worthMicros } from '../../domain/token-amount.ts';
import type { TokenWarning } from '../../domain/token-listing.ts';
import type { TokenPrice } from '../../domain/token-price.ts';
import type { KnownToken, Web3Chain, Web3ChainId } from '../../domain/web3-chains.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Solana, SolanaTokenAccount } from '../../ports/solana.ts';
import { evmDecimals } from '../tokens/evm-decimals.ts';

/**
 * Why a token is shown: it is in our own list; its owner traded it, launched it or added it; it is
 * an outcome its owner has or had a position in; an indexer says that it is held; none of these, it
 * just lies there.
 */
type TokenOrigin = 'known' | 'traded' | 'launched' | 'added' | 'outcome' | 'indexed' | 'unknown';

/** Which outcome of which market a token is, in the venue's words. */
interface TokenOutcome {
  readonly venue: VenueId;
  readonly marketId: MarketId;
  readonly question: string;
  readonly label: string;
}

/** An amount of one token, or of the chain's own coin. */
export interface TokenBalance {
  /** Null for the chain's own coin. */
  readonly address: string | null;
  /** Null for a token we do not know: what it calls itself proves nothing. */
  readonly symbol: string | null;
  readonly decimals: number;
  readonly raw: bigint;
  /** Coins are known. */
  readonly origin: TokenOrigin;
  /** What its ticker and name say against it. */
  readonly warnings: readonly TokenWarning[];
  /** Absent for what is no outcome of a market. */
  readonly outcome?: TokenOutcome;
  /** Null where none is known or the newest is too old (L8). */
  readonly price: TokenPrice | null;
  /** Millionths of a dollar; null without a price. */
  readonly worthMicros: bigint | null;
}

/** What one wallet holds on one chain, of one moment. */
export interface WalletBalances {
  readonly native: TokenBalance;
  readonly tokens: readonly TokenBalance[];
}

/** Price of a token, or with null of the chain's own coin; null while absent or stale. */
export type PriceOf = (chain: Web3ChainId, address: string | null) => TokenPrice | null;

/** Whether a balance is of the chain's coin or of a token, and how much. */
type Amount = Omit<TokenBalance, 'price' | 'worthMicros'>;

/** What one wallet holds on one chain, before it is priced. */
export interface HeldAmounts {
  readonly chain: Web3ChainId;
  readonly native: Amount;
  readonly tokens: readonly Amount[];
}

/**
 * A token of a user's own choice, or an unverified one that just came: its ticker
 * is the one it was traded or launched by, or what it calls itself, cleaned; null where that is not
 * stated.
 */
export interface OwnToken extends Pick<KnownToken, 'address' | 'decimals'> {
  readonly symbol: string | null;
  readonly origin: Exclude<TokenOrigin, 'known'>;
  readonly warnings: readonly TokenWarning[];
  readonly outcome?: TokenOutcome;
}

type Listed = Omit<Amount, 'raw'> & { readonly address: string };

/**
 * Reads the coin, the tokens we know on the chain and those of its owner's choice of an EVM wallet
 * in one multicall. One that tells no balance is left out: it must not hide the others. Errors:
 * `chain_unavailable`, `chain_reverted`.
 */
export async function evmAmounts(
  evm: EvmChain,
  {
    owner,
    facts,
    own,
  }: {
    readonly owner: Address;
    readonly facts: Web3Chain;
    readonly own: readonly OwnToken[];
  },
): Promise<HeldAmounts> {
  const dollars = facts.tokens.map(listedAsKnown);
  const others = knownTokens(facts.chain)
    .filter(({ address }) => !facts.tokens.some((row) => row.address === address))
    .map(listedAsKnown);
  const read = async (tokens: readonly Listed[]) => {
    const found = await evm.balances(
      owner,
      tokens.map(({ address }) => asId<Address>(address)),
    );
    return {
      wei: found.wei,
      amounts: tokens.map((token, index) => ({ ...token, raw: found.tokens[index] ?? 0n })),
    };
  };
  const whole = await readSound(read, dollars, [...others, ...own.map(listed)]);
  return {
    chain: facts.chain,
    native: nativeAmount(facts, whole.wei),
    tokens: whole.amounts.filter((token) => isShown(token, facts)),
  };
}

/** Dollars, and what its owner wants to see, are shown at zero too. */
function isShown({ address, raw, origin }: Amount, facts: Web3Chain): boolean {
  return (
    raw > 0n ||
    origin === 'added' ||
    origin === 'launched' ||
    facts.tokens.some((row) => row.address === address)
  );
}

/** Reads all at once, or where that cannot be, without those that tell no balance. */
async function readSound<Read>(
  read: (tokens: readonly Listed[]) => Promise<Read>,
  needed: readonly Listed[],
  others: readonly Listed[],
): Promise<Read> {
  try {
    return await read([...needed, ...others]);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'chain_reverted') || others.length === 0)
      throw error;
  }
  const sound: Listed[] = [];
  for (const token of others) if (await tellsBalance(() => read([token]))) sound.push(token);
  return read([...needed, ...sound]);
}

async function tellsBalance(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'chain_reverted') return false;
    throw error;
  }
}

/**
 * Reads the coin and every token of a Solana wallet: those we know first, then those of its owner's
 * choice. Errors: `chain_unavailable`.
 */
export async function solanaAmounts(
  solana: Solana,
  {
    owner,
    facts,
    own,
  }: { readonly owner: string; readonly facts: Web3Chain; readonly own: readonly OwnToken[] },
): Promise<HeldAmounts> {
  const [lamports, accounts] = await Promise.all([
    solana.lamports(owner),
    solana.tokenAccounts(owner),
  ]);
  const sums = sumByMint(accounts);
  const named = [...knownTokens(facts.chain).map(listedAsKnown), ...own.map(listed)];
  const others = [...sums.values()].filter(
    ({ mint, amount, decimals }) =>
      !named.some(({ address }) => address === mint) && !(decimals === 0 && amount === 1n),
  );
  return {
    chain: facts.chain,
    native: nativeAmount(facts, lamports),
    tokens: [
      ...named
        .map((token) => ({ ...token, raw: sums.get(token.address)?.amount ?? 0n }))
        .filter((token) => isShown(token, facts)),
      ...others.map(({ mint, amount, decimals }) => unknownAmount(mint, decimals, amount)),
    ].slice(0, WALLET_VIEW.tokensMaximum),
  };
}

/** Puts prices to what a wallet holds. */
export function pricedBalances(
  { chain, native, tokens }: HeldAmounts,
  priceOf: PriceOf,
): WalletBalances {
  return {
    native: priced(native, priceOf(chain, null)),
    // anybody may send what their own pool says is worth a fortune
    tokens: tokens.map((token) =>
      priced(token, hasWorth(token) ? priceOf(chain, token.address) : null),
    ),
  };
}

/** Reports whether a token is more than what others sent, or an indexer alone reported. */
export function hasWorth({ origin }: Pick<TokenBalance, 'origin'>): boolean {
  return origin !== 'indexed' && origin !== 'unknown';
}

function listedAsKnown({ address, symbol, decimals }: KnownToken): Listed {
  return { address, symbol, decimals, origin: 'known', warnings: [] };
}

function listed({ address, symbol, decimals, origin, warnings, outcome }: OwnToken): Listed {
  const token = { address, symbol, decimals, origin, warnings };
  return outcome === undefined ? token : { ...token, outcome };
}

/** An amount of a token in the table. */
function knownAmount(token: KnownToken, raw: bigint): Amount {
  return { ...listedAsKnown(token), raw };
}

/** An amount of a token that is not in the table. */
function unknownAmount(address: string, decimals: number, raw: bigint): Amount {
  return { address, symbol: null, decimals, raw, origin: 'unknown', warnings: [] };
}

/** An amount of a chain's own coin. */
export function nativeAmount({ native: { symbol, decimals } }: Web3Chain, raw: bigint): Amount {
  return { address: null, symbol, decimals, raw, origin: 'known', warnings: [] };
}

/**
 * Sum of what has a price, in millionths of a dollar, and whether anything held has none; what
 * is unverified counts for nothing. Shares of a market have none by design: they are positions.
 */
export function totalWorth(balances: readonly TokenBalance[]): {
  readonly micros: bigint;
  readonly isPartial: boolean;
} {
  return {
    micros: balances.reduce((sum, { worthMicros: worth }) => sum + (worth ?? 0n), 0n),
    isPartial: balances.some(
      (token) =>
        token.raw > 0n && token.price === null && token.outcome === undefined && hasWorth(token),
    ),
  };
}

/**
 * Reads one token of a wallet by its address in lower case; the table tells what it is, else the
 * token itself its decimals. Errors: `chain_unavailable`, `not_found` for no token.
 */
export async function evmTokenBalance(
  evm: EvmChain,
  {
    owner,
    facts,
    token,
  }: { readonly owner: Address; readonly facts: Web3Chain; readonly token: Address },
): Promise<Amount> {
  const known = knownTokens(facts.chain).find(({ address }) => address.toLowerCase() === token);
  try {
    const {
      tokens: [raw = 0n],
    } = await evm.balances(owner, [known === undefined ? token : asId<Address>(known.address)]);
    if (known !== undefined) return knownAmount(known, raw);
    const decimals = await evmDecimals(evm, token);
    if (decimals !== null) return unknownAmount(token, decimals, raw);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'chain_reverted')) throw error;
  }
  throw new AppError('not_found', `there is no token at ${token} on ${facts.name}`);
}

/**
 * Reads one token of a Solana wallet by its mint. Errors: `chain_unavailable`, `invalid_request`,
 * `not_found` for no token.
 */
export async function solanaTokenBalance(
  solana: Solana,
  {
    owner,
    facts,
    mint,
  }: { readonly owner: string; readonly facts: Web3Chain; readonly mint: string },
): Promise<Amount> {
  const known = knownTokens(facts.chain).find(({ address }) => address === mint);
  const [accounts, decimals] = await Promise.all([
    solana.tokenAccounts(owner),
    known === undefined ? decimalsOf(solana, mint) : known.decimals,
  ]);
  const raw = sumByMint(accounts).get(mint)?.amount ?? 0n;
  if (known !== undefined) return knownAmount(known, raw);
  if (decimals === null)
    throw new AppError('not_found', `there is no token at ${mint} on ${facts.name}`);
  return unknownAmount(mint, decimals, raw);
}

async function decimalsOf(solana: Solana, mint: string): Promise<number | null> {
  try {
    return await solana.tokenDecimals(mint);
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'invalid_request') throw cause;
    throw new AppError('invalid_request', `token: ${cause.message}`, {
      cause,
      fields: [{ path: '/token', message: cause.message }],
    });
  }
}

/** An amount with its worth at a price. */
export function priced(amount: Amount, price: TokenPrice | null): TokenBalance {
  return {
    ...amount,
    price,
    worthMicros: price === null ? null : worthMicros(amount.raw, amount.decimals, price.priceE18),
  };
}

function sumByMint(
  accounts: readonly SolanaTokenAccount[],
): ReadonlyMap<string, Pick<SolanaTokenAccount, 'mint' | 'amount' | 'decimals'>> {
  const sums = new Map<string, Pick<SolanaTokenAccount, 'mint' | 'amount' | 'decimals'>>();
  for (const { mint, amount, decimals } of accounts)
    sums.set(mint, { mint, decimals, amount: amount + (sums.get(mint)?.amount ?? 0n) });
  return sums;
}
