import { z } from 'zod';
import { TOKEN_DATA } from '../../../config/limits/tokens.ts';
import type { TokenListing } from '../../domain/token-listing.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { TokenData } from '../../ports/token-data.ts';
import { createRateLimit } from '../wire/rate-limit.ts';
import { spelledAddress } from '../wire/token-address.ts';
import { createTokenDataCalls } from './calls.ts';
import { figure } from './figures.ts';

/** Names of the chains there (web3.md section 1). */
const CHAINS: Readonly<Record<string, Web3ChainId>> = {
  ethereum: 'ETHEREUM',
  base: 'BASE',
  polygon: 'POLYGON',
  bsc: 'BSC',
  arbitrum: 'ARBITRUM',
  solana: 'SOLANA',
};

const numeric = z.union([z.number(), z.string()]).nullish();
const pairSchema = z.object({
  chainId: z.string(),
  pairAddress: z.string().min(1).max(200),
  baseToken: z.object({
    address: z.string().min(1).max(100),
    name: z.string().max(1_000).nullish(),
    symbol: z.string().max(1_000).nullish(),
  }),
  priceUsd: numeric,
  volume: z.object({ h24: numeric }).nullish(),
  priceChange: z.object({ h24: numeric }).nullish(),
  liquidity: z.object({ usd: numeric }).nullish(),
  fdv: numeric,
  marketCap: numeric,
  pairCreatedAt: z.number().nullish(),
});
const searchSchema = z.object({ pairs: z.array(pairSchema).nullish() });
const pairsSchema = z.array(pairSchema);

/**
 * Reads tokens and their pairs from DexScreener (web3.md section 3.2); pairs of chains we do not
 * serve are left out.
 */
export function createDexScreener({
  baseUrl,
  clock,
  metrics,
}: {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly metrics: Metrics;
}): Pick<TokenData, 'search' | 'poolsOf'> & { close(): Promise<void> } {
  const calls = createTokenDataCalls({ source: 'dex_screener', baseUrl, metrics, headers: {} });
  const rate = createRateLimit({
    name: 'token pairs',
    clock,
    perSecond: TOKEN_DATA.dexScreenerPerSecond,
    burst: TOKEN_DATA.dexScreenerBurst,
    waitingMaximum: TOKEN_DATA.waitingMaximum,
  });
  return {
    close: () => calls.close(),
    async search(text) {
      await rate.take();
      const answer = await calls.get(
        `/latest/dex/search?q=${encodeURIComponent(text)}`,
        searchSchema,
      );
      return (answer?.pairs ?? []).flatMap(listing);
    },
    async poolsOf(chain, address) {
      await rate.take();
      const name = Object.entries(CHAINS).find(([, id]) => id === chain)?.[0] ?? '';
      const answer = await calls.get(
        `/token-pairs/v1/${name}/${encodeURIComponent(address)}`,
        pairsSchema,
      );
      return (answer ?? [])
        .flatMap(listing)
        .filter((row) => row.chain === chain && sameAddress(chain, row.address, address))
        .sort((one, other) => Number(other.liquidityUsd ?? 0) - Number(one.liquidityUsd ?? 0));
    },
  };
}

function sameAddress(chain: Web3ChainId, one: string, other: string): boolean {
  return chain === 'SOLANA' ? one === other : one.toLowerCase() === other.toLowerCase();
}

function listing(pair: z.output<typeof pairSchema>): readonly TokenListing[] {
  const chain = CHAINS[pair.chainId];
  if (chain === undefined) return [];
  const { address, name, symbol } = pair.baseToken;
  return [
    {
      chain,
      address: spelledAddress(chain, address),
      symbol: symbol ?? '',
      name: name ?? '',
      decimals: null,
      priceUsd: figure(pair.priceUsd),
      change24hPercent: figure(pair.priceChange?.h24, 4, true),
      volume24hUsd: figure(pair.volume?.h24, 2),
      liquidityUsd: figure(pair.liquidity?.usd, 2),
      marketCapUsd: figure(pair.marketCap, 2),
      fdvUsd: figure(pair.fdv, 2),
      pairAddress: spelledAddress(chain, pair.pairAddress),
      pairCreatedAtMs: pair.pairCreatedAt ?? null,
    },
  ];
}
