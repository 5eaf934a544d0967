import { WALLET_VIEW } from '../../../config/limits/wallet-view.ts';
import { cashAccountRow, SAFE_CASH, type CashAccount } from '../../domain/cash.ts';
import { foldedAddress } from '../../domain/chain-address.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type UserId } from '../../domain/ids.ts';
import {
  WEB3_CHAINS,
  web3Chain,
  type Web3Chain,
  type Web3ChainId,
} from '../../domain/web3-chains.ts';
import { knownTokenAt, knownTokens } from '../../domain/known-tokens.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Solana } from '../../ports/solana.ts';
import type { Wallets } from '../sign-in/accounts.ts';
import type { TokenPrices } from '../tokens/token-prices.ts';
import { within } from '../tokens/within.ts';
import type { AddedTokens, ReadToken } from './added-tokens.ts';
import type { IndexedTokens } from './indexed-tokens.ts';
import { namedByRouter, type SolanaNames } from './solana-names.ts';
import {
  evmAmounts,
  evmTokenBalance,
  hasWorth,
  nativeAmount,
  priced,
  pricedBalances,
  solanaAmounts,
  solanaTokenBalance,
  type HeldAmounts,
  type OwnToken,
  type TokenBalance,
  type WalletBalances,
} from './balances.ts';

/** One wallet on one chain, or why it could not be read. */
export interface WalletView {
  readonly chain: Web3ChainId;
  readonly walletType: 'EVM' | 'SVM' | 'SAFE';
  readonly address: string;
  readonly balances: WalletBalances | null;
  /** Worth of its dollars that are cash in the books, millionths of a dollar. */
  readonly cashMicros: bigint;
  /** A sentence for people; null where there are balances. */
  readonly error: string | null;
  /** Why tokens that an indexer tells of may be missing, in a sentence; null where none are. */
  readonly indexError: string | null;
  readonly asOfMs: number;
}

/** A chain and whether this service has a node of it. */
export interface ChainView extends Web3Chain {
  readonly isConnected: boolean;
}

/** A Safe as the chain has it. */
export interface SafeView {
  readonly address: Address;
  readonly isDeployed: boolean;
  readonly balances: WalletBalances;
  readonly asOfMs: number;
}

/** What the Safe pays its venue with. */
export const COLLATERAL_SYMBOL = cashAccountRow(SAFE_CASH).token;

/** Looks at users' wallets on their chains; the ledger is another story. */
export interface WalletViews {
  /**
   * Every wallet on every chain: one that this service has no node of, or that does not answer, is
   * named with the reason and fails no other. No part of it was read before `sinceMs` of wall time,
   * by default WALLET_VIEW.keptMs ago.
   */
  view(userId: UserId, sinceMs?: number): Promise<readonly WalletView[]>;
  /** Errors: `chain_unavailable`. */
  safe(userId: UserId): Promise<SafeView>;
  /**
   * Balance of a token named by its address, its symbol in the table, or the chain's coin by its
   * symbol. Errors: `chain_unavailable`, `not_found`.
   */
  token(
    userId: UserId,
    query: { readonly chain: Web3ChainId; readonly token: string },
  ): Promise<{
    readonly walletAddress: string;
    readonly balance: TokenBalance;
    readonly asOfMs: number;
  }>;
  /**
   * Has a token shown in the view from now on, as the chain tells of it; the same one again is read
   * anew. Errors: `chain_unavailable`, `not_found` for no token, `invalid_request` for one of our
   * own list or an address of another kind of chain, `limit_reached`.
   */
  addToken(userId: UserId, token: TokenPlace): Promise<TokenBalance>;
  /** Has it shown no more, unless for another reason; nothing happens where it was not added. */
  removeToken(userId: UserId, token: TokenPlace): Promise<void>;
  chains(): readonly ChainView[];
}

/** Where a token is. */
interface TokenPlace {
  readonly chain: Web3ChainId;
  readonly address: string;
}

export interface WalletViewsDeps extends SolanaNames {
  readonly walletsOf: (userId: UserId) => Wallets;
  /** Nodes there are, by chain. */
  readonly evm: { readonly POLYGON: EvmChain } & Readonly<Partial<Record<Web3ChainId, EvmChain>>>;
  readonly solana: Solana;
  readonly prices: TokenPrices;
  /** Tokens a user has traded, launched or added on a chain, each once, beside those we know. */
  readonly ownTokensOf: (userId: UserId, chain: Web3ChainId) => readonly OwnToken[];
  readonly added: AddedTokens;
  /** Balance in the books that a token of a user's own wallet is; null for another token. */
  readonly cashAccountOf: (place: TokenPlace) => CashAccount | null;
  /** What an indexer says a wallet holds; null where none is asked. */
  readonly indexed: IndexedTokens | null;
  /**
   * What a token calls itself; null where it is no token, empty where it does not say. Errors:
   * `chain_unavailable`.
   */
  readonly textsOf: (
    chain: Web3ChainId,
    address: string,
  ) => Promise<Pick<ReadToken, 'symbol' | 'name'> | null>;
}

/** Makes the views. */
export function createWalletViews(deps: WalletViewsDeps): WalletViews {
  const { walletsOf, evm, solana, clock } = deps;
  const recent = new Map<
    UserId,
    { readonly atMs: number; readonly view: Promise<readonly WalletView[]> }
  >();
  const nodeOf = (chain: Web3ChainId): EvmChain => {
    const node = evm[chain];
    if (node === undefined) throw withoutNode(chain);
    return node;
  };

  const priceNow = async (amounts: HeldAmounts): Promise<WalletBalances> => {
    await deps.prices.warm(heldTokens([amounts]), WALLET_VIEW.priceWaitMs);
    return pricedBalances(amounts, deps.prices.last);
  };

  async function safe(userId: UserId): Promise<SafeView> {
    const address = walletsOf(userId).safe;
    const node = nodeOf('POLYGON');
    const facts = web3Chain('POLYGON');
    const [amounts, isDeployed] = await Promise.all([
      evmAmounts(node, { owner: address, facts, own: [] }),
      node.hasCode(address),
    ]);
    const dollars = amounts.tokens.filter((token) =>
      facts.tokens.some((row) => row.address === token.address),
    );
    const balances = await priceNow({ ...amounts, tokens: dollars });
    return { address, isDeployed, balances, asOfMs: clock.nowMs() };
  }

  const token: WalletViews['token'] = async (userId, { chain, token: named }) => {
    const facts = web3Chain(chain);
    const wallets = walletsOf(userId);
    const isNative =
      sameSymbol(named, facts.native.symbol) || (chain === 'POLYGON' && sameSymbol(named, 'POL'));
    const address =
      knownTokens(chain).find(({ symbol }) => sameSymbol(symbol, named))?.address ?? named;
    const walletAddress = facts.walletType === 'SVM' ? wallets.solana : wallets.evm;
    const amount =
      facts.walletType === 'SVM'
        ? isNative
          ? nativeAmount(facts, await solana.lamports(wallets.solana))
          : await solanaTokenBalance(solana, { owner: wallets.solana, facts, mint: address })
        : await evmAmount(nodeOf(chain), {
            owner: wallets.evm,
            facts,
            token: isNative ? null : address,
          });
    await deps.prices.warm([{ chain, address: amount.address }], WALLET_VIEW.priceWaitMs);
    const balance = priced(amount, deps.prices.last(chain, amount.address));
    return { walletAddress, balance, asOfMs: clock.nowMs() };
  };

  return {
    safe,
    token,
    async addToken(userId, place) {
      const address = placeOf(place);
      deps.added.assertRoom(userId, place.chain, address);
      const { balance } = await token(userId, { chain: place.chain, token: address });
      const texts = await deps.textsOf(place.chain, address);
      if (texts === null) throw noToken(place);
      const { symbol, warnings } = await deps.added.add(userId, {
        ...texts,
        chain: place.chain,
        address,
        decimals: balance.decimals,
      });
      recent.delete(userId);
      return { ...balance, symbol, warnings, origin: 'added' };
    },
    async removeToken(userId, { chain, address }) {
      await deps.added.remove(userId, chain, foldedAddress(chain, address));
      recent.delete(userId);
    },
    view(userId, sinceMs = clock.nowMs() - WALLET_VIEW.keptMs + 1) {
      const known = recent.get(userId);
      if (known !== undefined && known.atMs >= sinceMs) return known.view;
      const view = viewAll(deps, userId);
      recent.delete(userId);
      recent.set(userId, { atMs: clock.nowMs(), view });
      const [oldest] = recent.keys();
      if (oldest !== undefined && recent.size > WALLET_VIEW.keptMaximum) recent.delete(oldest);
      return view;
    },
    chains: () =>
      WEB3_CHAINS.map((facts) => ({
        ...facts,
        isConnected: facts.walletType === 'SVM' || evm[facts.chain] !== undefined,
      })),
  };
}

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

function withoutNode(chain: Web3ChainId): AppError {
  return new AppError('not_found', `this service has no node of ${chain}`);
}

/** Returns the address as it is kept. Errors: `invalid_request`. */
function placeOf({ chain, address }: TokenPlace): string {
  const refused = (message: string) =>
    new AppError('invalid_request', `address: ${message}`, {
      fields: [{ path: '/address', message }],
    });
  if (EVM_ADDRESS.test(address) === (chain === 'SOLANA'))
    throw refused(`no address of ${web3Chain(chain).name}`);
  const known = knownTokenAt(chain, address);
  if (known !== null) throw refused(`${known.symbol} is shown by itself as soon as you hold any`);
  return foldedAddress(chain, address);
}

function noToken({ chain, address }: TokenPlace): AppError {
  return new AppError('not_found', `there is no token at ${address} on ${web3Chain(chain).name}`);
}

function sameSymbol(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Reads the coin (null) or one token of an EVM wallet. */
async function evmAmount(
  node: EvmChain,
  {
    owner,
    facts,
    token,
  }: { readonly owner: Address; readonly facts: Web3Chain; readonly token: string | null },
): Promise<HeldAmounts['native']> {
  if (token === null) return nativeAmount(facts, (await node.balances(owner, [])).wei);
  if (!EVM_ADDRESS.test(token))
    throw new AppError(
      'not_found',
      `${token} is no token we know on ${facts.name}: name it by its address`,
    );
  return evmTokenBalance(node, { owner, facts, token: asId<Address>(token.toLowerCase()) });
}

/** What is held of each, so that only that is priced; coins always. */
function heldTokens(
  all: readonly HeldAmounts[],
): readonly { readonly chain: Web3ChainId; readonly address: string | null }[] {
  return all.flatMap(({ chain, native, tokens }) => [
    { chain, address: native.address },
    ...tokens
      .filter((token) => token.raw > 0n && hasWorth(token))
      .map(({ address }) => ({ chain, address })),
  ]);
}

interface WalletRead
  extends Pick<WalletView, 'chain' | 'walletType' | 'address' | 'error' | 'indexError' | 'asOfMs'> {
  readonly amounts: HeldAmounts | null;
}

/** What a chain and, where one is asked, an indexer answered about a wallet. */
interface ReadAmounts {
  readonly amounts: HeldAmounts;
  readonly indexError: string | null;
}

/** Every chain at once, each bounded: one that hangs is missing from the answer and named in it. */
async function viewAll(deps: WalletViewsDeps, userId: UserId): Promise<readonly WalletView[]> {
  const { evm, solana, prices, clock, walletsOf, ownTokensOf } = deps;
  const wallets = walletsOf(userId);
  const read = async (
    { chain }: Web3Chain,
    { walletType, address }: Pick<WalletView, 'walletType' | 'address'>,
    reading: () => Promise<ReadAmounts>,
  ): Promise<WalletRead> => {
    const outcome = await within(reading(), clock, WALLET_VIEW.chainWaitMs).catch(
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        return error.message;
      },
    );
    const failure = typeof outcome === 'string' ? outcome : `${chain} did not answer in time`;
    const { amounts, indexError } =
      typeof outcome === 'string' || outcome === null
        ? { amounts: null, indexError: null }
        : outcome;
    return {
      chain,
      walletType,
      address,
      amounts,
      error: amounts === null ? failure : null,
      indexError,
      asOfMs: clock.nowMs(),
    };
  };
  const reads = await Promise.all(
    WEB3_CHAINS.flatMap((facts) => {
      if (facts.walletType === 'SVM')
        return [
          read(facts, { walletType: 'SVM', address: wallets.solana }, async () => {
            const amounts = await solanaAmounts(solana, {
              owner: wallets.solana,
              facts,
              own: ownTokensOf(userId, facts.chain),
            });
            return { amounts: await namedByRouter(deps, userId, amounts), indexError: null };
          }),
        ];
      const node = evm[facts.chain];
      const ofWallet = (walletType: 'EVM' | 'SAFE', owner: Address) =>
        read(facts, { walletType, address: owner }, async () => {
          if (node === undefined) throw withoutNode(facts.chain);
          if (walletType === 'EVM') return readEvm(deps, node, { userId, owner, facts });
          return { amounts: await evmAmounts(node, { owner, facts, own: [] }), indexError: null };
        });
      const own = ofWallet('EVM', wallets.evm);
      return facts.chain === 'POLYGON' ? [own, ofWallet('SAFE', wallets.safe)] : [own];
    }),
  );
  const held = heldTokens(reads.flatMap(({ amounts }) => amounts ?? []));
  await prices.warm(held, WALLET_VIEW.priceWaitMs);
  return reads.map(({ amounts, ...view }) => {
    const balances = amounts === null ? null : pricedBalances(amounts, prices.last);
    return { ...view, balances, cashMicros: cashIn(deps, view, balances?.tokens ?? []) };
  });
}

/** Worth of what the books count as cash: the Safe's collateral, dollars that pay for a venue. */
function cashIn(
  { cashAccountOf }: WalletViewsDeps,
  { chain, walletType }: Pick<WalletView, 'chain' | 'walletType'>,
  tokens: readonly TokenBalance[],
): bigint {
  return tokens
    .filter(({ address, symbol }) =>
      walletType === 'SAFE'
        ? symbol === COLLATERAL_SYMBOL
        : address !== null && cashAccountOf({ chain, address }) !== null,
    )
    .reduce((sum, { worthMicros }) => sum + (worthMicros ?? 0n), 0n);
}

/** The indexer says where to search; the chain says what is held. */
async function readEvm(
  { ownTokensOf, indexed }: WalletViewsDeps,
  node: EvmChain,
  {
    userId,
    owner,
    facts,
  }: { readonly userId: UserId; readonly owner: Address; readonly facts: Web3Chain },
): Promise<ReadAmounts> {
  const own = ownTokensOf(userId, facts.chain);
  const found = indexed === null ? null : await indexed.of(facts.chain, owner);
  const more = (found?.tokens ?? []).filter(
    ({ address }) => !own.some((one) => one.address.toLowerCase() === address),
  );
  const amounts = await evmAmounts(node, { owner, facts, own: [...own, ...more] });
  return { amounts, indexError: found?.error ?? null };
}
