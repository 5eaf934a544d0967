import { SANDBOX_TOKENS_LIMITS } from '../../../config/limits/sandbox.ts';
import type { Clock } from '../../ports/clock.ts';
import { RateBucket } from '../feeds/rate-bucket.ts';
import type { FaultBoard } from '../faults.ts';
import {
  ok,
  serveHttp,
  type Call,
  type Listening,
  type Reply,
  type VenueRoute,
} from '../wire/http-server.ts';
import type { PoolFigures, SandboxPool, TokenMarket } from './token-market.ts';
import type { SandboxToken, TokenChain } from './token-table.ts';

export interface TokenServerOptions {
  readonly market: TokenMarket;
  /** Market time: prices are of it. */
  readonly clock: Clock;
  /** Wall time: ages and rates are counted in it. */
  readonly wallClock: Clock;
  readonly faults: FaultBoard;
  readonly port?: number;
}

/** GeckoTerminal's names of the networks (web3.md section 1). */
const GECKO_NETWORKS: Readonly<Record<string, TokenChain>> = {
  eth: 'ETHEREUM',
  base: 'BASE',
  polygon_pos: 'POLYGON',
  bsc: 'BSC',
  arbitrum: 'ARBITRUM',
  solana: 'SOLANA',
};
const PER_PAGE = 20;

/**
 * Starts GeckoTerminal's public interface under `/api/v2`, and the same under `/api/v3/onchain` as
 * CoinGecko serves it (web3.md section 3.1).
 */
export function startGeckoTerminal(options: TokenServerOptions): Promise<Listening> {
  const { wallClock, faults, port } = options;
  const bucket = new RateBucket(wallClock, {
    perSecond: SANDBOX_TOKENS_LIMITS.geckoPerMinute / 60,
    burst: SANDBOX_TOKENS_LIMITS.geckoPerMinute,
  });
  return serveHttp({
    clock: wallClock,
    ...(port === undefined ? {} : { port }),
    before() {
      if (faults.take('token-data-down') !== null) return { kind: 'cut' };
      return faults.take('token-data-busy') !== null || !bucket.take() ? tooMany() : null;
    },
    routes: ['/api/v2', '/api/v3/onchain'].flatMap((prefix) => routes(prefix, options)),
  });
}

function tooMany(): Reply {
  return {
    kind: 'json',
    status: 429,
    headers: { 'retry-after': '10' },
    body: { errors: [{ status: '429', title: 'Rate Limit Exceeded' }] },
  };
}

function routes(prefix: string, options: TokenServerOptions): readonly VenueRoute[] {
  const { market } = options;
  const get = (path: string, run: (call: Call) => Reply): VenueRoute => ({
    method: 'GET',
    path: `${prefix}${path}`,
    run,
  });
  const onNetwork = (run: (chain: TokenChain, call: Call) => Reply) => (call: Call) => {
    const chain = GECKO_NETWORKS[call.params['network'] ?? ''];
    return chain === undefined ? notFound() : run(chain, call);
  };
  const poolsOf = (chain: TokenChain): readonly Shown[] => shown(options, chain);
  return [
    get(
      '/networks/:network/trending_pools',
      onNetwork((chain, call) =>
        page(
          call,
          options,
          byNumber(
            poolsOf(chain),
            ({ figures }) => Math.abs(figures.changePercent.h24) * Math.sqrt(figures.volumeUsd.h24),
          ),
        ),
      ),
    ),
    get(
      '/networks/:network/pools',
      onNetwork((chain, call) =>
        page(
          call,
          options,
          byNumber(poolsOf(chain), ({ figures }) => figures.volumeUsd.h24),
        ),
      ),
    ),
    get(
      '/networks/:network/new_pools',
      onNetwork((chain, call) =>
        page(
          call,
          options,
          byNumber(poolsOf(chain), ({ pool }) => -pool.base.ageMs),
        ),
      ),
    ),
    get(
      '/networks/:network/tokens/:address',
      onNetwork((chain, call) => {
        const token = tokenAt(market, chain, call.params['address'] ?? '');
        return token === null ? notFound() : ok({ data: tokenView(options, token) });
      }),
    ),
    get(
      '/networks/:network/tokens/:address/info',
      onNetwork((chain, call) => {
        const token = tokenAt(market, chain, call.params['address'] ?? '');
        return token === null ? notFound() : ok({ data: infoView(token) });
      }),
    ),
    get(
      '/networks/:network/tokens/:address/pools',
      onNetwork((chain, call) => {
        const address = call.params['address'] ?? '';
        return page(
          call,
          options,
          poolsOf(chain).filter(
            ({ pool }) =>
              sameAddress(pool.base.address, address) || sameAddress(pool.quote.address, address),
          ),
        );
      }),
    ),
    get('/search/pools', (call) => {
      const wanted = call.query.get('query')?.toLowerCase() ?? '';
      const chain = GECKO_NETWORKS[call.query.get('network') ?? ''];
      const all = chain === undefined ? Object.values(GECKO_NETWORKS) : [chain];
      return page(
        call,
        options,
        all
          .flatMap(poolsOf)
          .filter(({ pool: { base } }) =>
            [base.symbol, base.name, base.address].some((text) =>
              text.toLowerCase().includes(wanted),
            ),
          ),
      );
    }),
    get(
      '/simple/networks/:network/token_price/:addresses',
      onNetwork((chain, call) => {
        const addresses = (call.params['addresses'] ?? '').split(',');
        const second = secondOf(options);
        const prices = addresses.flatMap((address) => {
          const token = tokenAt(market, chain, address);
          return token === null
            ? []
            : [[keyOf(token), decimal(market.priceOf(token, second))] as const];
        });
        return ok({
          data: {
            id: 'price',
            type: 'simple_token_price',
            attributes: { token_prices: Object.fromEntries(prices) },
          },
        });
      }),
    ),
  ];
}

interface Shown {
  readonly pool: SandboxPool;
  readonly figures: PoolFigures;
}

function shown(options: TokenServerOptions, chain: TokenChain): readonly Shown[] {
  const second = secondOf(options);
  return options.market.pools
    .filter(({ base }) => base.chain === chain)
    .map((pool) => ({ pool, figures: options.market.figures(pool, second) }));
}

/** The second of the market clock that prices are of. */
export function secondOf({ clock }: Pick<TokenServerOptions, 'clock'>): number {
  return Math.floor(clock.nowMs() / 1000);
}

function byNumber(pools: readonly Shown[], number: (pool: Shown) => number): readonly Shown[] {
  return [...pools].sort((one, other) => number(other) - number(one));
}

/** Finds a token by its address, whatever its letters' case on EVM chains. */
function tokenAt(
  { tokens }: Pick<TokenMarket, 'tokens'>,
  chain: TokenChain,
  address: string,
): SandboxToken | null {
  return (
    tokens.find((token) => token.chain === chain && sameAddress(token.address, address)) ?? null
  );
}

/** Reports whether two texts are one address: case is significant on Solana alone. */
export function sameAddress(one: string, other: string): boolean {
  return one === other || (one.startsWith('0x') && one.toLowerCase() === other.toLowerCase());
}

function page({ query }: Call, options: TokenServerOptions, pools: readonly Shown[]): Reply {
  const number = Number(query.get('page') ?? '1');
  if (!Number.isInteger(number) || number < 1 || number > 10)
    return {
      kind: 'json',
      status: 400,
      body: { errors: [{ status: '400', title: 'Invalid page' }] },
    };
  const rows = pools.slice((number - 1) * PER_PAGE, number * PER_PAGE);
  const tokens = new Map(
    rows.flatMap(({ pool: { base, quote } }) => [base, quote].map((token) => [idOf(token), token])),
  );
  return ok({
    data: rows.map((row) => poolView(options, row)),
    ...(query.get('include')?.includes('token') === true
      ? { included: [...tokens.values()].map(includedView) }
      : {}),
  });
}

function poolView({ wallClock }: TokenServerOptions, { pool, figures }: Shown): unknown {
  const { base, quote, address, dex } = pool;
  const trades = Math.ceil(figures.volumeUsd.h24 / 350);
  const counts = (part: number) => {
    const all = Math.ceil(trades * part);
    const buys = Math.ceil(all / 2);
    return {
      buys,
      sells: all - buys,
      buyers: Math.ceil(buys / 3),
      sellers: Math.ceil((all - buys) / 3),
    };
  };
  return {
    id: `${networkOf(base.chain)}_${address}`,
    type: 'pool',
    attributes: {
      base_token_price_usd: decimal(figures.basePriceUsd),
      base_token_price_native_currency: null,
      quote_token_price_usd: decimal(figures.quotePriceUsd),
      quote_token_price_native_currency: null,
      base_token_price_quote_token: decimal(figures.basePriceUsd / figures.quotePriceUsd),
      quote_token_price_base_token: decimal(figures.quotePriceUsd / figures.basePriceUsd),
      address,
      name: `${base.symbol} / ${quote.symbol}`,
      pool_created_at: new Date(wallClock.nowMs() - base.ageMs)
        .toISOString()
        .replace(/\.\d+Z$/, 'Z'),
      fdv_usd: decimal(figures.basePriceUsd * base.supply),
      market_cap_usd: base.coinKey === null ? null : decimal(figures.basePriceUsd * base.supply),
      price_change_percentage: {
        m5: figures.changePercent.m5.toFixed(3),
        m15: figures.changePercent.m5.toFixed(3),
        m30: figures.changePercent.h1.toFixed(3),
        h1: figures.changePercent.h1.toFixed(3),
        h6: figures.changePercent.h6.toFixed(3),
        h24: figures.changePercent.h24.toFixed(3),
      },
      transactions: {
        m5: counts(1 / 288),
        m15: counts(1 / 96),
        m30: counts(1 / 48),
        h1: counts(1 / 24),
        h24: counts(1),
      },
      volume_usd: {
        m5: decimal(figures.volumeUsd.m5),
        h1: decimal(figures.volumeUsd.h1),
        h6: decimal(figures.volumeUsd.h6),
        h24: decimal(figures.volumeUsd.h24),
      },
      reserve_in_usd: decimal(figures.liquidityUsd),
    },
    relationships: {
      base_token: { data: { id: idOf(base), type: 'token' } },
      quote_token: { data: { id: idOf(quote), type: 'token' } },
      dex: { data: { id: dex, type: 'dex' } },
    },
  };
}

/** What a token is called, as every answer has it. */
function namesOf(token: SandboxToken): Readonly<Record<string, unknown>> {
  return {
    address: keyOf(token),
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals,
    image_url: null,
    coingecko_coin_id: token.coinKey?.toLowerCase() ?? null,
  };
}

function includedView(token: SandboxToken): unknown {
  return {
    id: idOf(token),
    type: 'token',
    attributes: namesOf(token),
  };
}

function tokenView(options: TokenServerOptions, token: SandboxToken): unknown {
  const price = options.market.priceOf(token, secondOf(options));
  return {
    id: idOf(token),
    type: 'token',
    attributes: {
      ...namesOf(token),
      total_supply: String(token.supply),
      price_usd: decimal(price),
      fdv_usd: decimal(price * token.supply),
      total_reserve_in_usd: decimal(token.liquidityUsd),
      volume_usd: { h24: decimal(token.volumeUsd) },
      market_cap_usd: token.coinKey === null ? null : decimal(price * token.supply),
    },
    relationships: { top_pools: { data: [] } },
  };
}

function infoView(token: SandboxToken): unknown {
  return {
    id: idOf(token),
    type: 'token',
    attributes: {
      ...namesOf(token),
      websites: token.coinKey === null ? [] : [`https://${token.coinKey.toLowerCase()}.example`],
      description: token.coinKey === null ? null : `${token.name}, as the sandbox plays it.`,
      gt_score: token.coinKey === null ? 11.5 : 88.2,
      holders: { count: token.coinKey === null ? 212 : 184_003 },
      discord_url: null,
      telegram_handle: null,
      twitter_handle: null,
      mint_authority: token.chain === 'SOLANA' ? 'no' : null,
      freeze_authority: token.chain === 'SOLANA' ? (token.coinKey === null ? 'yes' : 'no') : null,
    },
  };
}

function networkOf(chain: TokenChain): string {
  const found = Object.entries(GECKO_NETWORKS).find(([, id]) => id === chain);
  return found?.[0] ?? '';
}

function idOf(token: SandboxToken): string {
  return `${networkOf(token.chain)}_${keyOf(token)}`;
}

function keyOf({ address }: SandboxToken): string {
  return address.startsWith('0x') ? address.toLowerCase() : address;
}

/** Plain digits of a float, as the vendor writes figures. */
export function decimal(value: number): string {
  if (value === 0) return '0.0';
  const text = value.toPrecision(15);
  return text.includes('e') ? value.toFixed(30).replace(/0+$/, '') : text.replace(/\.?0+$/, '');
}

function notFound(): Reply {
  return { kind: 'json', status: 404, body: { errors: [{ status: '404', title: 'Not Found' }] } };
}
