import { WALLET_VIEW } from '../../../config/limits/wallet-view.ts';
import { AppError } from '../../domain/errors.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import type { Web3Chain, Web3ChainId } from '../../domain/web3-chains.ts';
import { WEB3_CHAINS, web3Chain } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Solana } from '../../ports/solana.ts';
import type { Wallets } from '../sign-in/accounts.ts';
import type { PriceOf, TokenBalance, WalletBalances } from './balances.ts';
import {
  evmBalances,
  evmTokenBalance,
  nativeBalance,
  solanaBalances,
  solanaTokenBalance,
} from './balances.ts';

/** One wallet on one chain, or why it could not be read. */
export interface WalletView {
  readonly chain: Web3ChainId;
  readonly walletType: 'EVM' | 'SVM' | 'SAFE';
  readonly address: string;
  readonly balances: WalletBalances | null;
  /** A sentence for people; null where there are balances. */
  readonly error: string | null;
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

/** Looks at users' wallets on their chains; the ledger is another story. */
export interface WalletViews {
  /** Every wallet on every chain: one that this service has no node of, or that does not answer, is named with the reason and fails no other. */
  view(userId: UserId): Promise<readonly WalletView[]>;
  /** Errors: `chain_unavailable`. */
  safe(userId: UserId): Promise<SafeView>;
  /** Balance of a token named by its address, its symbol in the table, or the chain's coin by its symbol. Errors: `chain_unavailable`, `not_found`. */
  token(
    userId: UserId,
    query: { readonly chain: Web3ChainId; readonly token: string },
  ): Promise<{
    readonly walletAddress: string;
    readonly balance: TokenBalance;
    readonly asOfMs: number;
  }>;
  chains(): readonly ChainView[];
}

/** What looking needs. */
export interface WalletViewsDeps {
  readonly walletsOf: (userId: UserId) => Wallets;
  /** Nodes there are, by chain. */
  readonly evm: { readonly POLYGON: EvmChain } & Readonly<Partial<Record<Web3ChainId, EvmChain>>>;
  readonly solana: Solana;
  readonly priceOf: PriceOf;
  readonly clock: Clock;
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

  async function safe(userId: UserId): Promise<SafeView> {
    const address = walletsOf(userId).safe;
    const node = nodeOf('POLYGON');
    const [balances, isDeployed] = await Promise.all([
      evmBalances(node, { owner: address, facts: web3Chain('POLYGON'), priceOf: deps.priceOf }),
      node.hasCode(address),
    ]);
    return { address, isDeployed, balances, asOfMs: clock.nowMs() };
  }

  return {
    safe,
    view(userId) {
      const known = recent.get(userId);
      if (known !== undefined && clock.nowMs() - known.atMs < WALLET_VIEW.keptMs) return known.view;
      const view = viewAll(deps, walletsOf(userId));
      recent.delete(userId);
      recent.set(userId, { atMs: clock.nowMs(), view });
      const [oldest] = recent.keys();
      if (oldest !== undefined && recent.size > WALLET_VIEW.keptMaximum) recent.delete(oldest);
      return view;
    },
    async token(userId, { chain, token }) {
      const facts = web3Chain(chain);
      const wallets = walletsOf(userId);
      const isNative =
        sameSymbol(token, facts.native.symbol) || (chain === 'POLYGON' && sameSymbol(token, 'POL'));
      const address =
        facts.tokens.find(({ symbol }) => sameSymbol(symbol, token))?.address ?? token;
      if (facts.walletType === 'SVM') {
        const balance = isNative
          ? nativeBalance(facts, await solana.lamports(wallets.solana), deps.priceOf)
          : await solanaTokenBalance(solana, { owner: wallets.solana, facts, mint: address });
        return { walletAddress: wallets.solana, balance, asOfMs: clock.nowMs() };
      }
      const node = nodeOf(chain);
      if (!isNative && !EVM_ADDRESS.test(address))
        throw new AppError(
          'not_found',
          `${token} is no token we know on ${facts.name}: name it by its address`,
        );
      const balance = isNative
        ? nativeBalance(facts, (await node.balances(wallets.evm, [])).wei, deps.priceOf)
        : await evmTokenBalance(node, {
            owner: wallets.evm,
            facts,
            token: asId<Address>(address.toLowerCase()),
          });
      return { walletAddress: wallets.evm, balance, asOfMs: clock.nowMs() };
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

function sameSymbol(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

async function viewAll(
  { evm, solana, priceOf, clock }: WalletViewsDeps,
  wallets: Wallets,
): Promise<readonly WalletView[]> {
  const read = async (
    facts: Web3Chain,
    walletType: WalletView['walletType'],
    address: string,
    balances: Promise<WalletBalances>,
  ): Promise<WalletView> => {
    const view = { chain: facts.chain, walletType, address };
    try {
      return { ...view, balances: await balances, error: null, asOfMs: clock.nowMs() };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { ...view, balances: null, error: error.message, asOfMs: clock.nowMs() };
    }
  };
  const reads = WEB3_CHAINS.flatMap((facts): Promise<WalletView>[] => {
    if (facts.walletType === 'SVM')
      return [
        read(
          facts,
          'SVM',
          wallets.solana,
          solanaBalances(solana, { owner: wallets.solana, facts, priceOf }),
        ),
      ];
    const node = evm[facts.chain];
    if (node === undefined)
      return [read(facts, 'EVM', wallets.evm, Promise.reject(withoutNode(facts.chain)))];
    const own = read(
      facts,
      'EVM',
      wallets.evm,
      evmBalances(node, { owner: wallets.evm, facts, priceOf }),
    );
    return facts.chain === 'POLYGON'
      ? [
          own,
          read(
            facts,
            'SAFE',
            wallets.safe,
            evmBalances(node, { owner: wallets.safe, facts, priceOf }),
          ),
        ]
      : [own];
  });
  return Promise.all(reads);
}
