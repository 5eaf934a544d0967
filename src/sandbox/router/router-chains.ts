import type { TokenChain } from '../tokens/token-table.ts';

/** A chain as the router names it (web3.md section 1). */
export interface RouterChain {
  readonly chain: TokenChain;
  readonly id: number;
  readonly key: string;
  readonly name: string;
  readonly chainType: 'EVM' | 'SVM';
  readonly coin: string;
  readonly decimals: number;
  readonly explorer: string;
}

const evm = (
  chain: TokenChain,
  id: number,
  key: string,
  name: string,
  coin: string,
  explorer: string,
): RouterChain => ({ chain, id, key, name, chainType: 'EVM', coin, decimals: 18, explorer });

/** The chains the router serves. */
export const ROUTER_CHAINS: readonly RouterChain[] = [
  evm('ETHEREUM', 1, 'eth', 'Ethereum', 'ETH', 'https://etherscan.io/'),
  evm('BASE', 8_453, 'bas', 'Base', 'ETH', 'https://basescan.org/'),
  evm('POLYGON', 137, 'pol', 'Polygon', 'POL', 'https://polygonscan.com/'),
  evm('BSC', 56, 'bsc', 'BSC', 'BNB', 'https://bscscan.com/'),
  evm('ARBITRUM', 42_161, 'arb', 'Arbitrum', 'ETH', 'https://arbiscan.io/'),
  {
    chain: 'SOLANA',
    id: 1_151_111_081_099_710,
    key: 'sol',
    name: 'Solana',
    chainType: 'SVM',
    coin: 'SOL',
    decimals: 9,
    explorer: 'https://solscan.io/',
  },
];

/** The address that represents a chain's own coin at the router (web3.md section 2.2). */
export function coinAddress({ chainType }: RouterChain): string {
  return chainType === 'EVM'
    ? '0x0000000000000000000000000000000000000000'
    : '11111111111111111111111111111111';
}
