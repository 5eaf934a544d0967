import { SANDBOX_TOKENS_LIMITS } from '../../../config/limits/sandbox.ts';
import { RateBucket } from '../feeds/rate-bucket.ts';
import { ok, serveHttp, type Call, type Listening, type Reply } from '../wire/http-server.ts';
import { decimal, sameAddress, secondOf, type TokenServerOptions } from './gecko-terminal.ts';
import type { SandboxPool } from './token-market.ts';
import type { SandboxToken, TokenChain } from './token-table.ts';

/** DexScreener's names of the chains (web3.md section 1). */
const CHAINS: Readonly<Record<string, TokenChain>> = {
  ethereum: 'ETHEREUM',
  base: 'BASE',
  polygon: 'POLYGON',
  bsc: 'BSC',
  arbitrum: 'ARBITRUM',
  solana: 'SOLANA',
};
const PAIRS_MAXIMUM = 30;

/** Starts DexScreener's interface (web3.md section 3.2). */
export function startDexScreener(options: TokenServerOptions): Promise<Listening> {
  const { wallClock, faults, port, market } = options;
  const bucket = new RateBucket(wallClock, {
    perSecond: SANDBOX_TOKENS_LIMITS.dexScreenerPerMinute / 60,
    burst: SANDBOX_TOKENS_LIMITS.dexScreenerPerMinute,
  });
  const pairs = (isWanted: (pool: SandboxPool) => boolean): readonly unknown[] =>
    market.pools
      .filter(isWanted)
      .slice(0, PAIRS_MAXIMUM)
      .map((pool) => pairView(options, pool));
  const ofTokens = ({ params }: Call): Reply => {
    const chain = CHAINS[params['chain'] ?? ''];
    const wanted = (params['tokens'] ?? '').split(',').slice(0, PAIRS_MAXIMUM);
    return ok(
      pairs(
        ({ base, quote }) =>
          base.chain === chain &&
          wanted.some(
            (address) => sameAddress(base.address, address) || sameAddress(quote.address, address),
          ),
      ),
    );
  };
  return serveHttp({
    clock: wallClock,
    ...(port === undefined ? {} : { port }),
    before() {
      if (faults.take('token-data-down') !== null) return { kind: 'cut' };
      return bucket.take()
        ? null
        : { kind: 'json', status: 429, headers: { 'retry-after': '10' }, body: {} };
    },
    routes: [
      {
        method: 'GET',
        path: '/latest/dex/search',
        run: ({ query }) => {
          const wanted = query.get('q')?.toLowerCase() ?? '';
          return ok({
            schemaVersion: '1.0.0',
            pairs: pairs(({ base }) => matches(base, wanted)),
          });
        },
      },
      { method: 'GET', path: '/token-pairs/v1/:chain/:tokens', run: ofTokens },
      { method: 'GET', path: '/tokens/v1/:chain/:tokens', run: ofTokens },
    ],
  });
}

function matches({ symbol, name, address }: SandboxToken, wanted: string): boolean {
  return [symbol, name, address].some((text) => text.toLowerCase().includes(wanted));
}

function pairView(options: TokenServerOptions, pool: SandboxPool): unknown {
  const { market, wallClock } = options;
  const { base, quote, address, dex } = pool;
  const { basePriceUsd, quotePriceUsd, changePercent, volumeUsd, liquidityUsd } = market.figures(
    pool,
    secondOf(options),
  );
  const chainId = Object.entries(CHAINS).find(([, chain]) => chain === base.chain)?.[0] ?? '';
  const trades = (part: number) => {
    const all = Math.ceil((volumeUsd.h24 / 350) * part);
    return { buys: Math.ceil(all / 2), sells: all - Math.ceil(all / 2) };
  };
  return {
    chainId,
    dexId: dex.replace(/_.*/, ''),
    url: `https://dexscreener.com/${chainId}/${address.toLowerCase()}`,
    pairAddress: address,
    baseToken: tokenView(base),
    quoteToken: tokenView(quote),
    priceNative: decimal(basePriceUsd / quotePriceUsd),
    priceUsd: decimal(basePriceUsd),
    txns: { m5: trades(1 / 288), h1: trades(1 / 24), h6: trades(1 / 4), h24: trades(1) },
    volume: rounded(volumeUsd),
    priceChange: rounded(changePercent),
    liquidity: {
      usd: round(liquidityUsd),
      base: round(liquidityUsd / 2 / basePriceUsd),
      quote: round(liquidityUsd / 2 / quotePriceUsd),
    },
    fdv: round(basePriceUsd * base.supply),
    ...(base.coinKey === null ? {} : { marketCap: round(basePriceUsd * base.supply) }),
    pairCreatedAt: wallClock.nowMs() - base.ageMs,
  };
}

function tokenView({ address, name, symbol }: SandboxToken): unknown {
  return { address, name, symbol };
}

function rounded<Key extends string>(
  figures: Readonly<Record<Key, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries<number>(figures).map(([name, value]) => [name, round(value)]),
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
