import { SANDBOX_TOKENS_LIMITS } from '../../../config/limits/sandbox.ts';
import { RateBucket } from '../feeds/rate-bucket.ts';
import { COIN_DRIVERS, type PriceDriver, type SandboxToken } from '../tokens/token-table.ts';
import {
  decimal,
  sameAddress,
  secondOf,
  type TokenServerOptions,
} from '../tokens/gecko-terminal.ts';
import type { Call, Listening, Reply } from '../wire/http-server.ts';
import { ok, serveHttp } from '../wire/http-server.ts';
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

/** Starts the router's interface under `/v1` (web3.md section 2): what it can route. */
export function startRouter(options: TokenServerOptions): Promise<Listening> {
  const { wallClock, faults, port } = options;
  const bucket = new RateBucket(wallClock, {
    perSecond: SANDBOX_TOKENS_LIMITS.routerPerMinute / 60,
    burst: SANDBOX_TOKENS_LIMITS.routerPerMinute,
  });
  return serveHttp({
    clock: wallClock,
    ...(port === undefined ? {} : { port }),
    before() {
      if (faults.take('router-down') !== null) return { kind: 'cut' };
      return bucket.take() ? null : refused(429, 1_005, 'Too many requests');
    },
    routes: [
      {
        method: 'GET',
        path: '/v1/chains',
        run: () => ok({ chains: ROUTER_CHAINS.map(chainView) }),
      },
      { method: 'GET', path: '/v1/tokens', run: (call) => tokens(call, options) },
      { method: 'GET', path: '/v1/token', run: (call) => token(call, options) },
    ],
  });
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

function tokens({ query }: Call, options: TokenServerOptions): Reply {
  const wanted = query.get('chains')?.split(',') ?? null;
  const types = query.get('chainTypes')?.split(',') ?? null;
  const search = query.get('search')?.toLowerCase() ?? '';
  const limit = Math.min(
    Number(query.get('limit') ?? SANDBOX_TOKENS_LIMITS.routerTokensMaximum),
    SANDBOX_TOKENS_LIMITS.routerTokensMaximum,
  );
  const chains = ROUTER_CHAINS.filter(
    ({ key, id, chainType }) =>
      (wanted === null || wanted.includes(key) || wanted.includes(String(id))) &&
      (types === null || types.includes(chainType)),
  );
  const extended = query.get('extended') === 'true';
  const found = chains.map((chain): readonly [string, readonly unknown[]] => {
    const rows = routedTokens(options, chain)
      .filter(({ symbol, name }) =>
        [symbol, name].some((text) => text.toLowerCase().includes(search)),
      )
      .sort((one, other) => other.volumeUsd - one.volumeUsd);
    return [String(chain.id), rows.slice(0, limit).map((row) => tokenView(row, extended))];
  });
  return ok({ tokens: Object.fromEntries(found), ...(extended ? { extended: true } : {}) });
}

function token({ query }: Call, options: TokenServerOptions): Reply {
  const chain = routerChain(query.get('chain') ?? '');
  if (chain === null) return refused(400, 1_011, 'chain must be a known chain');
  const found = findToken(options, chain, query.get('token') ?? '');
  return found === null
    ? refused(404, 1_003, `No token found with symbol or address '${query.get('token') ?? ''}'`)
    : ok(tokenView(found, false));
}

/** Returns the chain of a key or an id; null where there is none. */
export function routerChain(text: string): RouterChain | null {
  return (
    ROUTER_CHAINS.find(({ key, id }) => key === text.toLowerCase() || String(id) === text) ?? null
  );
}

/** Returns the token of an address, or of a ticker; null where there is none. */
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

function chainView(chain: RouterChain): unknown {
  const { id, key, name, chainType, coin, decimals, explorer } = chain;
  return {
    id,
    key,
    name,
    chainType,
    coin,
    mainnet: true,
    relayerSupported: false,
    nativeToken: {
      address: coinAddress(chain),
      chainId: id,
      symbol: coin,
      decimals,
      name: coin,
      coinKey: coin,
      logoURI: '',
    },
    metamask: {
      chainId: `0x${id.toString(16)}`,
      chainName: name,
      blockExplorerUrls: [explorer],
      nativeCurrency: { name: coin, symbol: coin, decimals },
      rpcUrls: [],
    },
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
