import type { Output } from '../../api/routes.ts';
import { shortHash } from '../../format/text.ts';

type Wallets = Output<'GET /api/web3/view'>;

/** A chain of the wallets. */
export type Chain = Wallets['wallets'][number]['chain'];

/** Every chain there is a wallet on, that of venue a first. */
export const CHAINS: readonly Chain[] = [
  'POLYGON',
  'ETHEREUM',
  'BASE',
  'ARBITRUM',
  'BSC',
  'SOLANA',
];

/** Something that one's own wallet holds on a chain. */
export interface Holding {
  readonly chain: Chain;
  /** How calls name it: its ticker where our list has it, its address otherwise. */
  readonly token: string;
  /** How people name it. */
  readonly shown: string;
  readonly balance: string;
  /** Set for the chain's own coin, which pays for its gas. */
  readonly isCoin?: true;
  /** Dollars; null without a price, and of a token that nothing but its own name speaks for. */
  readonly valueUsd: string | null;
}

/**
 * What the EVM and Solana wallets hold that can be sent or swapped. The Safe is no part of it, nor
 * are outcomes of markets.
 */
export function holdingsOf({ wallets }: Wallets): readonly Holding[] {
  return wallets
    .filter(({ walletType }) => walletType !== 'SAFE')
    .flatMap(({ chain, native, tokens }) => [
      ...(native === null || native.balanceRaw === '0'
        ? []
        : [{ ...holding(chain, native, true), isCoin: true as const, valueUsd: native.valueUsd }]),
      ...tokens
        .filter(({ balanceRaw, outcome }) => balanceRaw !== '0' && outcome === null)
        .map((token) => ({
          ...holding(chain, token, token.origin === 'known'),
          valueUsd: UNVOUCHED.has(token.origin) ? null : token.valueUsd,
        })),
    ]);
}

/** Origins of tokens that others may have sent, and that nothing here vouches for. */
const UNVOUCHED: ReadonlySet<string> = new Set(['indexed', 'unknown']);

function holding(
  chain: Chain,
  {
    symbol,
    address,
    balance,
  }: { readonly symbol: string | null; readonly address: string | null; readonly balance: string },
  isByTicker: boolean,
): Omit<Holding, 'valueUsd' | 'isCoin'> {
  return {
    chain,
    token: (isByTicker ? symbol : address) ?? symbol ?? '',
    shown: symbol ?? shortHash(address ?? ''),
    balance,
  };
}

/** Writes a chain as people do: `Polygon`. */
export function chainName(chain: string): string {
  return chain === 'BSC' ? 'BNB Smart Chain' : chain.charAt(0) + chain.slice(1).toLowerCase();
}
