import { SANDBOX_TOKENS_LIMITS } from '../../../config/limits/sandbox.ts';
import { RateBucket } from '../feeds/rate-bucket.ts';
import type { TokenServerOptions } from '../tokens/gecko-terminal.ts';
import {
  ok,
  serveHttp,
  type Call,
  type Listening,
  type Reply,
  type SlowRoute,
} from '../wire/http-server.ts';
import { createNamedCalls } from '../wire/named-calls.ts';
import { MULTICALL3 } from '../chains/evm/chain-addresses.ts';
import { give } from './faucet.ts';
import { findToken, refused, routedTokens, routerChain, tokenView } from './routed-tokens.ts';
import type { QuoteParts } from './quote-parts.ts';
import { quote, stepTransaction } from './quotes.ts';
import { connections, gasSuggestion, routes } from './routes.ts';
import type { SolanaSide } from './solana-side.ts';
import { DIAMOND } from './swap-chain.ts';
import type { SwapChains } from './swap-chains.ts';
import { status } from './transfers.ts';
import { coinAddress, ROUTER_CHAINS, type RouterChain } from './router-chains.ts';

/** Starts the router's interface under `/v1` (web3.md section 2), and a faucet for its chains. */
export function startRouter(
  options: TokenServerOptions & {
    readonly chains: SwapChains | null;
    /** Absent: nothing is routed from or to Solana. */
    readonly solana?: SolanaSide;
  },
): Promise<Listening> {
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
        run: ({ query }) => {
          const types = query.get('chainTypes')?.split(',') ?? ['EVM'];
          const found = ROUTER_CHAINS.filter(({ chainType }) => types.includes(chainType));
          return ok({ chains: found.map(chainView) });
        },
      },
      { method: 'GET', path: '/v1/tokens', run: (call) => tokens(call, options) },
      { method: 'GET', path: '/v1/connections', run: (call) => connections(call, options) },
      {
        method: 'GET',
        path: '/v1/gas/suggestion/:chain',
        run: (call) => gasSuggestion(call, options),
      },
      { method: 'GET', path: '/v1/token', run: (call) => token(call, options) },
      {
        method: 'GET',
        path: '/v1/tools',
        run: () => ok({ exchanges: [{ key: 'sushiswap' }], bridges: [{ key: 'across' }] }),
      },
      ...(options.chains === null
        ? []
        : swapRoutes({
            ...options,
            chains: options.chains,
            solana: options.solana ?? null,
          })),
    ],
  });
}

function swapRoutes(parts: QuoteParts): readonly SlowRoute[] {
  const gifts = createNamedCalls<Promise<Reply>>();
  return [
    { method: 'GET', path: '/v1/quote', run: (call) => quote(call, parts) },
    { method: 'GET', path: '/v1/status', run: (call) => status(call, parts) },
    { method: 'POST', path: '/v1/advanced/routes', run: (call) => routes(call, parts) },
    {
      method: 'POST',
      path: '/v1/advanced/stepTransaction',
      run: (call) => stepTransaction(call, parts),
    },
    { method: 'POST', path: '/sandbox/faucet', run: (call) => give(call, { ...parts, gifts }) },
  ];
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
    ...(chainType === 'EVM' ? { diamondAddress: DIAMOND, multicallAddress: MULTICALL3 } : {}),
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
