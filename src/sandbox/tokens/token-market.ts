import { createHash } from 'node:crypto';
import { base58Of } from '../../adapters/wire/base58.ts';
import type { Asset } from '../../domain/ids.ts';
import { STARTING_PRICES } from '../calibration/calibration.ts';
import type { SettlementPrices } from '../feeds/prices/settlement-prices.ts';
import { hashedNormal, hashedUniform, streamOf } from '../hashed-chance.ts';
import {
  SANDBOX_TOKENS,
  type PriceDriver,
  type SandboxToken,
  type TokenChain,
} from './token-table.ts';

/** A pool of one token against another. */
export interface SandboxPool {
  readonly address: string;
  readonly base: SandboxToken;
  readonly quote: SandboxToken;
  readonly dex: string;
}

/** What a pool shows at a moment. */
export interface PoolFigures {
  readonly basePriceUsd: number;
  readonly quotePriceUsd: number;
  /** Relative moves of the base's price, in percent. */
  readonly changePercent: Readonly<Record<'m5' | 'h1' | 'h6' | 'h24', number>>;
  readonly volumeUsd: Readonly<Record<'m5' | 'h1' | 'h6' | 'h24', number>>;
  readonly liquidityUsd: number;
}

/**
 * Every token's price, from the process all feeds follow, so that no two servers contradict each
 * other.
 */
export interface TokenMarket {
  readonly tokens: readonly SandboxToken[];
  readonly pools: readonly SandboxPool[];
  /** Dollars for one whole token at a second of the market clock. */
  priceAt(driver: PriceDriver, stream: string, second: number): number;
  priceOf(token: SandboxToken, second: number): number;
  figures(pool: SandboxPool, second: number): PoolFigures;
}

const KNOT_SECONDS = 900;
const WINDOWS = { m5: 300, h1: 3_600, h6: 21_600, h24: 86_400 } as const;

/** Makes the market of a seed over the settlement prices. */
export function createTokenMarket(seed: number, prices: SettlementPrices): TokenMarket {
  const assetAt = (asset: Asset, second: number): number =>
    prices.valueAt(asset, second) ?? STARTING_PRICES[asset];

  function priceAt(driver: PriceDriver, stream: string, second: number): number {
    if (driver.kind === 'dollar') return 1;
    if (driver.kind === 'asset') return assetAt(driver.asset, second);
    const drift =
      driver.beta * Math.log(assetAt(driver.asset, second) / STARTING_PRICES[driver.asset]);
    return (
      driver.startUsd * Math.exp(drift + driver.spread * wander(seed, streamOf(stream), second))
    );
  }

  const priceOf = (token: SandboxToken, second: number): number =>
    priceAt(token.driver, nameOf(token), second);

  return {
    tokens: SANDBOX_TOKENS,
    pools: POOLS,
    priceAt,
    priceOf,
    figures(pool, second) {
      const now = priceOf(pool.base, second);
      const change = (seconds: number): number =>
        (now / priceOf(pool.base, second - seconds) - 1) * 100;
      const { volumeUsd, liquidityUsd } = pool.base;
      const busy =
        0.75 + 0.5 * hashedUniform(seed, streamOf(pool.address), Math.floor(second / WINDOWS.h1));
      const volume = (seconds: number): number => (volumeUsd * busy * seconds) / WINDOWS.h24;
      return {
        basePriceUsd: now,
        quotePriceUsd: priceOf(pool.quote, second),
        changePercent: {
          m5: change(WINDOWS.m5),
          h1: change(WINDOWS.h1),
          h6: change(WINDOWS.h6),
          h24: change(WINDOWS.h24),
        },
        volumeUsd: {
          m5: volume(WINDOWS.m5),
          h1: volume(WINDOWS.h1),
          h6: volume(WINDOWS.h6),
          h24: volume(WINDOWS.h24),
        },
        liquidityUsd,
      };
    },
  };
}

/**
 * Two tokens of one name on different chains have prices of their own unless they go by a shared
 * driver.
 */
function nameOf({ symbol, address, driver }: SandboxToken): string {
  return driver.kind === 'own' && SHARED_COINS.has(symbol) ? symbol : address;
}

const SHARED_COINS: ReadonlySet<string> = new Set(['WPOL', 'WBNB']);

/** A standard normal number that wanders between fresh values. */
function wander(seed: number, stream: number, second: number): number {
  const knot = Math.floor(second / KNOT_SECONDS);
  const from = hashedNormal(seed, stream, knot);
  const to = hashedNormal(seed, stream, knot + 1);
  return from + (to - from) * (second / KNOT_SECONDS - knot);
}

/** Tokens stand against the chain's dollar, the dollar against the chain's wrapped coin. */
function quoteOf(base: SandboxToken): SandboxToken | null {
  const ofChain = SANDBOX_TOKENS.filter(({ chain }) => chain === base.chain);
  const dollar = ofChain.find(({ symbol }) => symbol === 'USDC') ?? null;
  return base === dollar ? (ofChain.find(({ symbol }) => WRAPPED.has(symbol)) ?? null) : dollar;
}

const WRAPPED: ReadonlySet<string> = new Set(['WETH', 'WPOL', 'WBNB', 'wSOL']);

const DEXES: Readonly<Record<TokenChain, string>> = {
  ETHEREUM: 'uniswap_v2',
  BASE: 'uniswap_v2',
  POLYGON: 'quickswap',
  BSC: 'pancakeswap',
  ARBITRUM: 'sushiswap',
  SOLANA: 'raydium',
};

function poolAddress(base: SandboxToken, quote: SandboxToken): string {
  const bytes = createHash('sha256')
    .update(`${base.chain}:${base.address}:${quote.address}`)
    .digest();
  return base.chain === 'SOLANA' ? base58Of(bytes) : `0x${bytes.subarray(0, 20).toString('hex')}`;
}

const POOLS: readonly SandboxPool[] = SANDBOX_TOKENS.flatMap((base) => {
  const quote = quoteOf(base);
  return quote === null
    ? []
    : [{ base, quote, address: poolAddress(base, quote), dex: DEXES[base.chain] }];
});
