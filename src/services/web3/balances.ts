import { WALLET_VIEW } from '../../../config/limits/wallet-view.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import { knownTokens } from '../../domain/known-tokens.ts';
import { worthMicros } from '../../domain/token-amount.ts';
import type { TokenPrice } from '../../domain/token-price.ts';
import type { KnownToken, Web3Chain, Web3ChainId } from '../../domain/web3-chains.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Solana, SolanaTokenAccount } from '../../ports/solana.ts';

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

/** Price of a token, or with null of the chain's own coin; null while absent or stale. */
export type PriceOf = (chain: Web3ChainId, address: string | null) => TokenPrice | null;

/** Whether a balance is of the chain's coin or of a token, and how much. */
type Amount = Pick<TokenBalance, 'address' | 'symbol' | 'decimals' | 'raw'>;

/** What one wallet holds on one chain, before it is priced. */
export interface HeldAmounts {
  readonly chain: Web3ChainId;
  readonly native: Amount;
  readonly tokens: readonly Amount[];
}

/** A token somebody has traded: its ticker is the one it was traded by. */
export type TradedToken = Pick<KnownToken, 'address' | 'symbol' | 'decimals'>;

/**
 * Reads the coin, the chain's dollars and the tokens its owner has traded of an EVM wallet in one
 * multicall. A traded token that tells no balance is left out: it must not hide the others. Errors:
 * `chain_unavailable`, `chain_reverted`.
 */
export async function evmAmounts(
  evm: EvmChain,
  {
    owner,
    facts,
    traded,
  }: {
    readonly owner: Address;
    readonly facts: Web3Chain;
    readonly traded: readonly TradedToken[];
  },
): Promise<HeldAmounts> {
  const read = async (tokens: readonly TradedToken[]) => {
    const found = await evm.balances(
      owner,
      tokens.map(({ address }) => asId<Address>(address)),
    );
    return {
      wei: found.wei,
      amounts: tokens.map(({ address, symbol, decimals }, index) => ({
        address,
        symbol,
        decimals,
        raw: found.tokens[index] ?? 0n,
      })),
    };
  };
  const whole = await read([...facts.tokens, ...traded]).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'chain_reverted' && traded.length > 0)
      return null;
    throw error;
  });
  if (whole !== null)
    return {
      chain: facts.chain,
      native: nativeAmount(facts, whole.wei),
      tokens: whole.amounts.filter(
        ({ address, raw }) => raw > 0n || facts.tokens.some((row) => row.address === address),
      ),
    };
  const sound: TradedToken[] = [];
  for (const token of traded) if (await tellsBalance(() => read([token]))) sound.push(token);
  return evmAmounts(evm, { owner, facts, traded: sound });
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

/** Reads the coin and every token of a Solana wallet, ours first. Errors: `chain_unavailable`. */
export async function solanaAmounts(
  solana: Solana,
  { owner, facts }: { readonly owner: string; readonly facts: Web3Chain },
): Promise<HeldAmounts> {
  const [lamports, accounts] = await Promise.all([
    solana.lamports(owner),
    solana.tokenAccounts(owner),
  ]);
  const sums = sumByMint(accounts);
  const ours = knownTokens(facts.chain);
  const known = ours
    .map((token) => knownAmount(token, sums.get(token.address)?.amount ?? 0n))
    .filter(({ address, raw }) => raw > 0n || facts.tokens.some((row) => row.address === address));
  const others = [...sums.values()].filter(
    ({ mint, amount, decimals }) =>
      !ours.some(({ address }) => address === mint) && !(decimals === 0 && amount === 1n),
  );
  return {
    chain: facts.chain,
    native: nativeAmount(facts, lamports),
    tokens: [
      ...known,
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
    tokens: tokens.map((token) => priced(token, priceOf(chain, token.address))),
  };
}

/** An amount of a token in the table. */
function knownAmount({ address, symbol, decimals }: KnownToken, raw: bigint): Amount {
  return { address, symbol, decimals, raw };
}

/** An amount of a token that is not in the table. */
function unknownAmount(address: string, decimals: number, raw: bigint): Amount {
  return { address, symbol: null, decimals, raw };
}

/** An amount of a chain's own coin. */
export function nativeAmount({ native: { symbol, decimals } }: Web3Chain, raw: bigint): Amount {
  return { address: null, symbol, decimals, raw };
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
    const decimals = Number(BigInt(await evm.call(token, DECIMALS_CALL)));
    if (decimals <= DECIMALS_MAXIMUM) return unknownAmount(token, decimals, raw);
  } catch (error) {
    if (
      !(error instanceof AppError && error.code === 'chain_reverted') &&
      !(error instanceof SyntaxError)
    )
      throw error;
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

/** Selector of `decimals()`. */
const DECIMALS_CALL = '0x313ce567';
/** Some tokens have 24; beyond this a number means nothing. */
const DECIMALS_MAXIMUM = 36;

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
