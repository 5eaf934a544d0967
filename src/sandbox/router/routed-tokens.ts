import { SANDBOX_TOKENS_LIMITS } from '../../../config/limits/sandbox.ts';
import {
  decimal,
  sameAddress,
  secondOf,
  type TokenServerOptions,
} from '../tokens/gecko-terminal.ts';
import { COIN_DRIVERS, type PriceDriver, type SandboxToken } from '../tokens/token-table.ts';
import type { Reply } from '../wire/http-server.ts';
import { coinAddress, ROUTER_CHAINS, type RouterChain } from './router-chains.ts';

/** A token as the router lists it. */
export interface RouterToken {
  readonly chain: RouterChain;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly coinKey: string;
  readonly priceUsd: number;
  readonly volumeUsd: number;
  readonly supply: number;
}

/** Every token the router routes on a chain, its own coin first. */
export function routedTokens(
  options: TokenServerOptions,
  chain: RouterChain,
): readonly RouterToken[] {
  const { market } = options;
  const second = secondOf(options);
  const listed = market.tokens
    .filter((listing) => listing.chain === chain.chain)
    .flatMap((listing) =>
      listing.coinKey === null ? [] : [{ ...listing, coinKey: listing.coinKey }],
    );
  const coin = coinOf(chain);
  return [
    {
      chain,
      address: coinAddress(chain),
      symbol: chain.coin,
      name: chain.coin,
      decimals: chain.decimals,
      coinKey: chain.coin,
      priceUsd: market.priceAt(coin, `W${chain.coin}`, second),
      volumeUsd: 1e9,
      supply: 1e8,
    },
    ...listed.map((listing) => routed(listing, chain, market.priceOf(listing, second))),
  ];
}

function routed(
  {
    address,
    symbol,
    name,
    decimals,
    coinKey,
    volumeUsd,
    supply,
  }: SandboxToken & { readonly coinKey: string },
  chain: RouterChain,
  priceUsd: number,
): RouterToken {
  return { chain, address, symbol, name, decimals, coinKey, priceUsd, volumeUsd, supply };
}

function coinOf({ coin }: RouterChain): PriceDriver {
  if (coin === 'POL' || coin === 'BNB') return COIN_DRIVERS[coin];
  return { kind: 'asset', asset: coin === 'SOL' ? 'SOL' : 'ETH' };
}

/** Returns the chain of a key or an id; null without one. */
export function routerChain(text: string): RouterChain | null {
  return (
    ROUTER_CHAINS.find(({ key, id }) => key === text.toLowerCase() || String(id) === text) ?? null
  );
}

/** Returns the token of an address, or of a ticker; null without one. */
export function findToken(
  options: TokenServerOptions,
  chain: RouterChain,
  text: string,
): RouterToken | null {
  const all = routedTokens(options, chain);
  return (
    all.find(({ address }) => sameAddress(address, text)) ??
    all.find(({ symbol }) => symbol.toLowerCase() === text.toLowerCase()) ??
    null
  );
}

/** Writes a token as the router does. */
export function tokenView(
  { chain, address, symbol, name, decimals, coinKey, priceUsd, volumeUsd, supply }: RouterToken,
  extended = false,
): Readonly<Record<string, unknown>> {
  return {
    address,
    chainId: chain.id,
    symbol,
    decimals,
    name,
    coinKey,
    logoURI: '',
    priceUSD: decimal(priceUsd),
    ...(extended
      ? {
          marketCapUSD: Math.round(priceUsd * supply),
          volumeUSD24H: Math.round(volumeUsd),
          fdvUSD: Math.round(priceUsd * supply),
          verificationStatus: 'verified',
          tags: [],
        }
      : {}),
  };
}

/** A refusal in the router's own form (web3.md section 2.6). */
export function refused(
  status: number,
  code: number,
  message: string,
): Extract<Reply, { kind: 'json' }> {
  return {
    kind: 'json',
    status,
    body: { message, code },
    ...(status === 429
      ? {
          headers: {
            'retry-after': '5',
            'ratelimit-limit': String(SANDBOX_TOKENS_LIMITS.routerPerMinute),
            'ratelimit-remaining': '0',
            'ratelimit-reset': '5',
          },
        }
      : {}),
  };
}
