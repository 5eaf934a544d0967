import { foldedAddress } from './chain-address.ts';
import { WEB3_CHAINS, web3Chain, type KnownToken, type Web3ChainId } from './web3-chains.ts';

const token = (
  symbol: string,
  address: string,
  decimals: number,
  isDollar = false,
): KnownToken => ({
  symbol,
  address,
  decimals,
  isDollar,
});

/**
 * Tokens a ticker may stand for without an address, beside the dollars of the table of chains: the
 * issuers' own addresses (web3.md sections 2.3 and 9).
 */
const OTHERS: Readonly<Record<Web3ChainId, readonly KnownToken[]>> = {
  ETHEREUM: [
    token('USDT', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 6, true),
    token('WETH', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 18),
    token('WBTC', '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 8),
  ],
  BASE: [
    token('WETH', '0x4200000000000000000000000000000000000006', 18),
    token('cbBTC', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 8),
  ],
  POLYGON: [
    token('USDT', '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', 6, true),
    token('WPOL', '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', 18),
    token('WETH', '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619', 18),
  ],
  BSC: [
    token('USDT', '0x55d398326f99059fF775485246999027B3197955', 18, true),
    token('WBNB', '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c', 18),
    token('ETH', '0x2170Ed0880ac9A755fd29B2688956BD959F933F8', 18),
  ],
  ARBITRUM: [
    token('USDT', '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 6, true),
    token('WETH', '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1', 18),
  ],
  SOLANA: [
    token('USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 6, true),
    token('wSOL', 'So11111111111111111111111111111111111111112', 9),
  ],
};

/** Returns the tokens of a chain that we know by address, the dollars first. */
export function knownTokens(chain: Web3ChainId): readonly KnownToken[] {
  return [...web3Chain(chain).tokens, ...OTHERS[chain]];
}

/**
 * Returns the known token at an address; null where we know none there. Case is significant on
 * Solana alone.
 */
export function knownTokenAt(chain: Web3ChainId, address: string): KnownToken | null {
  const wanted = foldedAddress(chain, address);
  return knownTokens(chain).find((known) => foldedAddress(chain, known.address) === wanted) ?? null;
}

/** The wrapped form of a chain's own coin, whose price is the coin's. */
export const WRAPPED_COINS: Readonly<Record<Web3ChainId, string>> = {
  ETHEREUM: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  BASE: '0x4200000000000000000000000000000000000006',
  POLYGON: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
  BSC: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
  ARBITRUM: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
  SOLANA: 'So11111111111111111111111111111111111111112',
};

/**
 * Tickers that stand for one thing everywhere: those of the known tokens and of the chains' coins.
 */
export const KNOWN_SYMBOLS: readonly string[] = [
  ...new Set([
    ...WEB3_CHAINS.flatMap(({ chain, native }) => [
      native.symbol,
      ...knownTokens(chain).map(({ symbol }) => symbol),
    ]),
    'POL',
    'BTC',
  ]),
];

/** Names that stand for one thing everywhere: of those tokens, those coins and their chains. */
export const KNOWN_NAMES: readonly string[] = [
  ...WEB3_CHAINS.map(({ name }) => name),
  'USD Coin',
  'Tether',
  'Tether USD',
  'Ether',
  'Wrapped Ether',
  'Bitcoin',
  'Wrapped BTC',
  'Wrapped Bitcoin',
  'Coinbase Wrapped BTC',
  'Wrapped SOL',
  'Wrapped POL',
  'Wrapped BNB',
  'Binance Coin',
];

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Reports whether a text is the ticker of the chain's own coin; POL is also called by its former
 * one.
 */
export function isCoinTicker(chain: Web3ChainId, text: string): boolean {
  const ticker = text.toUpperCase();
  return ticker === web3Chain(chain).native.symbol || (chain === 'POLYGON' && ticker === 'POL');
}

/**
 * Returns the address of a text that is one, or a listed ticker; null for the chain's own coin,
 * undefined where it is neither.
 */
export function coinOrKnownToken(chain: Web3ChainId, text: string): string | null | undefined {
  if (isCoinTicker(chain, text)) return null;
  const known = knownTokens(chain).find(
    ({ symbol }) => symbol.toLowerCase() === text.toLowerCase(),
  );
  if (known !== undefined) return known.address;
  return (chain === 'SOLANA' ? SOLANA_ADDRESS : EVM_ADDRESS).test(text) ? text : undefined;
}
