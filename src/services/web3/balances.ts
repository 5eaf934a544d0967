import { WALLET_VIEW } from '../../../config/limits/wallet-view.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, Asset } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import { worthMicros } from '../../domain/token-amount.ts';
import type { KnownToken, Web3Chain } from '../../domain/web3-chains.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Solana, SolanaTokenAccount } from '../../ports/solana.ts';

/** A price and the moment it is of; dollars times 10^8. */
export interface TokenPrice {
  readonly priceE8: bigint;
  /** Null for what is worth a dollar by definition. */
  readonly atMs: number | null;
}

/** An amount of one token, or of the chain's own coin. */
export interface TokenBalance {
  /** Null for the chain's own coin. */
  readonly address: string | null;
  /** Null for a token we do not know: what it calls itself is nobody's word. */
  readonly symbol: string | null;
  readonly decimals: number;
  readonly raw: bigint;
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

/** Price of an asset that is followed; null while absent or stale. */
export type PriceOf = (asset: Asset) => TokenPrice | null;

const ONE_DOLLAR: TokenPrice = { priceE8: 100_000_000n, atMs: null };

/** Reads the coin and the known tokens of an EVM wallet in one multicall. Errors: `chain_unavailable`. */
export async function evmBalances(
  evm: EvmChain,
  {
    owner,
    facts,
    priceOf,
  }: { readonly owner: Address; readonly facts: Web3Chain; readonly priceOf: PriceOf },
): Promise<WalletBalances> {
  const { wei, tokens } = await evm.balances(
    owner,
    facts.tokens.map(({ address }) => asId<Address>(address)),
  );
  return {
    native: nativeBalance(facts, wei, priceOf),
    tokens: facts.tokens.map((token, index) => knownBalance(token, tokens[index] ?? 0n)),
  };
}

/** Reads the coin and every token of a Solana wallet, ours first. Errors: `chain_unavailable`. */
export async function solanaBalances(
  solana: Solana,
  {
    owner,
    facts,
    priceOf,
  }: { readonly owner: string; readonly facts: Web3Chain; readonly priceOf: PriceOf },
): Promise<WalletBalances> {
  const [lamports, accounts] = await Promise.all([
    solana.lamports(owner),
    solana.tokenAccounts(owner),
  ]);
  const sums = sumByMint(accounts);
  const known = facts.tokens.map((token) =>
    knownBalance(token, sums.get(token.address)?.amount ?? 0n),
  );
  const others = [...sums.values()].filter(
    ({ mint, amount, decimals }) =>
      !facts.tokens.some(({ address }) => address === mint) && !(decimals === 0 && amount === 1n),
  );
  return {
    native: nativeBalance(facts, lamports, priceOf),
    tokens: [
      ...known,
      ...others.map(({ mint, amount, decimals }) => unknownBalance(mint, decimals, amount)),
    ].slice(0, WALLET_VIEW.tokensMaximum),
  };
}

/** An amount of a token in the table. */
function knownBalance(
  { address, symbol, decimals, isDollar }: KnownToken,
  raw: bigint,
): TokenBalance {
  return priced({ address, symbol, decimals, raw }, isDollar ? ONE_DOLLAR : null);
}

/** An amount of a token that is not in the table. */
function unknownBalance(address: string, decimals: number, raw: bigint): TokenBalance {
  return priced({ address, symbol: null, decimals, raw }, null);
}

/** An amount of a chain's own coin. */
export function nativeBalance(
  { native: { symbol, decimals, pricedAs } }: Web3Chain,
  raw: bigint,
  priceOf: PriceOf,
): TokenBalance {
  return priced(
    { address: null, symbol, decimals, raw },
    pricedAs === null ? null : priceOf(pricedAs),
  );
}

/** Sum of what has a price, in millionths of a dollar, and whether anything held has none. */
export function totalWorth(balances: readonly TokenBalance[]): {
  readonly micros: bigint;
  readonly isPartial: boolean;
} {
  return {
    micros: balances.reduce((sum, { worthMicros: worth }) => sum + (worth ?? 0n), 0n),
    isPartial: balances.some(({ raw, price }) => raw > 0n && price === null),
  };
}

/** Reads one token of a wallet by its address in lower case; the table tells what it is, else the token itself its decimals. Errors: `chain_unavailable`, `not_found` for no token. */
export async function evmTokenBalance(
  evm: EvmChain,
  {
    owner,
    facts,
    token,
  }: { readonly owner: Address; readonly facts: Web3Chain; readonly token: Address },
): Promise<TokenBalance> {
  const known = facts.tokens.find(({ address }) => address.toLowerCase() === token);
  try {
    const {
      tokens: [raw = 0n],
    } = await evm.balances(owner, [known === undefined ? token : asId<Address>(known.address)]);
    if (known !== undefined) return knownBalance(known, raw);
    const decimals = Number(BigInt(await evm.call(token, DECIMALS_CALL)));
    if (decimals <= DECIMALS_MAXIMUM) return unknownBalance(token, decimals, raw);
  } catch (error) {
    if (
      !(error instanceof AppError && error.code === 'chain_reverted') &&
      !(error instanceof SyntaxError)
    )
      throw error;
  }
  throw new AppError('not_found', `there is no token at ${token} on ${facts.name}`);
}

/** Reads one token of a Solana wallet by its mint. Errors: `chain_unavailable`, `invalid_request`, `not_found` for no token. */
export async function solanaTokenBalance(
  solana: Solana,
  {
    owner,
    facts,
    mint,
  }: { readonly owner: string; readonly facts: Web3Chain; readonly mint: string },
): Promise<TokenBalance> {
  const known = facts.tokens.find(({ address }) => address === mint);
  const [accounts, decimals] = await Promise.all([
    solana.tokenAccounts(owner),
    known === undefined ? decimalsOf(solana, mint) : known.decimals,
  ]);
  const raw = sumByMint(accounts).get(mint)?.amount ?? 0n;
  if (known !== undefined) return knownBalance(known, raw);
  if (decimals === null)
    throw new AppError('not_found', `there is no token at ${mint} on ${facts.name}`);
  return unknownBalance(mint, decimals, raw);
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

/** Selector of `decimals()`. */
const DECIMALS_CALL = '0x313ce567';
/** Some tokens have 24; beyond this a number means nothing. */
const DECIMALS_MAXIMUM = 36;

function priced(
  balance: Pick<TokenBalance, 'address' | 'symbol' | 'decimals' | 'raw'>,
  price: TokenPrice | null,
): TokenBalance {
  return {
    ...balance,
    price,
    worthMicros: price === null ? null : worthMicros(balance.raw, balance.decimals, price.priceE8),
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
