import type { Asset } from './ids.ts';

/** Chains wallets live on (spec, Swaps and bridges). */
export type Web3ChainId = 'ETHEREUM' | 'BASE' | 'POLYGON' | 'BSC' | 'ARBITRUM' | 'SOLANA';

/** A token the service knows by itself. */
export interface KnownToken {
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Redeemable for a US dollar, so it counts as one. */
  readonly isDollar: boolean;
}

/** Returns how metrics name a chain: the id of EIP-155, or `solana`. */
export function chainLabel(chain: Web3ChainId): string {
  return String(web3Chain(chain).chainId ?? 'solana');
}

/** What is fixed about a chain. */
export interface Web3Chain {
  readonly chain: Web3ChainId;
  readonly name: string;
  readonly walletType: 'EVM' | 'SVM';
  /** EIP-155; null on Solana. */
  readonly chainId: number | null;
  /** `pricedAs`: the asset whose price is its own; null where no price is followed. */
  readonly native: {
    readonly symbol: string;
    readonly decimals: number;
    readonly pricedAs: Asset | null;
  };
  /** Before a transaction's hash. */
  readonly explorerUrl: string;
  readonly tokens: readonly KnownToken[];
}

const dollar = (symbol: string, address: string, decimals = 6): KnownToken => ({
  address,
  symbol,
  decimals,
  isDollar: true,
});
const ETH = { symbol: 'ETH', decimals: 18, pricedAs: 'ETH' } as const;

/**
 * Chains of the spec and their dollars (web3.md section 1; the collateral: venue_a.md section 1.3).
 */
export const WEB3_CHAINS: readonly Web3Chain[] = [
  {
    chain: 'ETHEREUM',
    name: 'Ethereum',
    walletType: 'EVM',
    chainId: 1,
    native: ETH,
    explorerUrl: 'https://etherscan.io/tx/',
    tokens: [dollar('USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48')],
  },
  {
    chain: 'BASE',
    name: 'Base',
    walletType: 'EVM',
    chainId: 8453,
    native: ETH,
    explorerUrl: 'https://basescan.org/tx/',
    tokens: [dollar('USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')],
  },
  {
    chain: 'POLYGON',
    name: 'Polygon',
    walletType: 'EVM',
    chainId: 137,
    native: { symbol: 'MATIC', decimals: 18, pricedAs: null },
    explorerUrl: 'https://polygonscan.com/tx/',
    tokens: [
      dollar('USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'),
      dollar('USDC.e', '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'),
      dollar('pUSD', '0xC011a7E12a19f7B1f670d46F03B03f3342E82DFB'),
    ],
  },
  // The issuer has no coin there: the exchange's own wrapped one, with eighteen decimals, is what
  // goes by the name.
  {
    chain: 'BSC',
    name: 'BNB Smart Chain',
    walletType: 'EVM',
    chainId: 56,
    native: { symbol: 'BNB', decimals: 18, pricedAs: null },
    explorerUrl: 'https://bscscan.com/tx/',
    tokens: [dollar('USDC', '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', 18)],
  },
  {
    chain: 'ARBITRUM',
    name: 'Arbitrum',
    walletType: 'EVM',
    chainId: 42_161,
    native: ETH,
    explorerUrl: 'https://arbiscan.io/tx/',
    tokens: [dollar('USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831')],
  },
  {
    chain: 'SOLANA',
    name: 'Solana',
    walletType: 'SVM',
    chainId: null,
    native: { symbol: 'SOL', decimals: 9, pricedAs: 'SOL' },
    explorerUrl: 'https://solscan.io/tx/',
    tokens: [dollar('USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')],
  },
];

/** The facts of a chain. */
export function web3Chain(id: Web3ChainId): Web3Chain {
  const found = WEB3_CHAINS.find(({ chain }) => chain === id);
  if (found === undefined) throw new Error(`invariant broken: ${id} is in the table`);
  return found;
}
