import type { Asset } from '../../domain/ids.ts';
import { ASSETS } from '../feeds/prices/settlement-prices.ts';
import { TOKEN_ROWS } from './token-rows.ts';

/** Networks of the token servers, by the name the spec gives their chain. */
export type TokenChain = 'ETHEREUM' | 'BASE' | 'POLYGON' | 'BSC' | 'ARBITRUM' | 'SOLANA';

/** What moves a token's price. */
export type PriceDriver =
  | { readonly kind: 'dollar' }
  | { readonly kind: 'asset'; readonly asset: Asset }
  /**
   * A price of its own: it goes with an asset by `beta` and wanders about it by `spread` (of the
   * logarithm).
   */
  | {
      readonly kind: 'own';
      readonly startUsd: number;
      readonly asset: Asset;
      readonly beta: number;
      readonly spread: number;
    };

/** A token of the sandbox. */
export interface SandboxToken {
  readonly chain: TokenChain;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly driver: PriceDriver;
  /** Dollars in its deepest pool, and traded there in a day. */
  readonly liquidityUsd: number;
  readonly volumeUsd: number;
  /** Age of that pool when the world is looked at, ms. */
  readonly ageMs: number;
  readonly supply: number;
  /** Null where no router would route it. */
  readonly coinKey: string | null;
}

const DAY_MS = 86_400_000;

const own = (startUsd: number, asset: Asset, beta: number, spread: number): PriceDriver => ({
  kind: 'own',
  startUsd,
  asset,
  beta,
  spread,
});

/** Coins without a feed of their own, by the asset they go with. */
export const COIN_DRIVERS = {
  POL: own(0.4812, 'ETH', 0.9, 0.01),
  BNB: own(612.4, 'BTC', 0.8, 0.006),
} as const;

/** Every token the sandbox lists. */
export const SANDBOX_TOKENS: readonly SandboxToken[] = TOKEN_ROWS.trim().split('\n').map(readRow);

function readRow(line: string): SandboxToken {
  const [
    chain = '',
    address = '',
    symbol = '',
    name = '',
    decimals,
    driver = '',
    liquidityUsd,
    volumeUsd,
    ageDays,
    supply,
    coinKey = '-',
  ] = line.split(' | ');
  return {
    chain: chain as TokenChain, // the rows beside this file name no other
    address,
    symbol,
    name,
    decimals: Number(decimals),
    driver: readDriver(driver),
    liquidityUsd: Number(liquidityUsd),
    volumeUsd: Number(volumeUsd),
    ageMs: Number(ageDays) * DAY_MS,
    supply: Number(supply),
    coinKey: coinKey === '-' ? null : coinKey,
  };
}

function readDriver(text: string): PriceDriver {
  if (text === 'dollar') return { kind: 'dollar' };
  if (text === 'POL' || text === 'BNB') return COIN_DRIVERS[text];
  const [first = '', named = first, beta, spread] = text.split(' ');
  const asset = ASSETS.find((known) => known === named);
  if (asset === undefined) throw new Error(`invariant broken: nothing moves a price by ${text}`);
  return beta === undefined
    ? { kind: 'asset', asset }
    : own(Number(first), asset, Number(beta), Number(spread));
}
