import { z } from 'zod';
import { TOKEN_DATA } from '../../../config/limits/tokens.ts';
import { foldedAddress } from '../../domain/chain-address.ts';
import { plainDecimal } from '../../domain/decimal-text.ts';
import type { TokenListing } from '../../domain/token-listing.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { TokenData, TokenDataUrgency } from '../../ports/token-data.ts';
import { createLaneLimit } from '../wire/rate-limit.ts';
import { spelledAddress } from '../wire/token-address.ts';
import { createTokenDataCalls } from './calls.ts';
import { figure } from './figures.ts';

/** Names of the chains there (web3.md section 1). */
const NETWORKS: Readonly<Record<Web3ChainId, string>> = {
  ETHEREUM: 'eth',
  BASE: 'base',
  POLYGON: 'polygon_pos',
  BSC: 'bsc',
  ARBITRUM: 'arbitrum',
  SOLANA: 'solana',
};

const text = z.string().nullish();
const tokenAttributes = z.object({
  address: z.string().min(1).max(100),
  name: z.string().max(1_000),
  symbol: z.string().max(1_000),
  decimals: z.int().min(0).max(36).nullish(),
});
const poolSchema = z.object({
  attributes: z.object({
    address: z.string().min(1).max(100),
    base_token_price_usd: text,
    pool_created_at: text,
    fdv_usd: text,
    market_cap_usd: text,
    price_change_percentage: z.object({ h24: text }).nullish(),
    volume_usd: z.object({ h24: text }).nullish(),
    reserve_in_usd: text,
  }),
  relationships: z.object({
    base_token: z.object({ data: z.object({ id: z.string() }) }),
  }),
});
const poolsSchema = z.object({
  data: z.array(poolSchema),
  included: z.array(z.object({ id: z.string(), attributes: z.unknown() })).nullish(),
});
const infoSchema = z.object({
  data: z.object({
    attributes: z.object({
      description: text,
      websites: z.array(z.string()).nullish(),
      holders: z.object({ count: z.int().nullish() }).nullish(),
      gt_score: z.number().nullish(),
      mint_authority: text,
      freeze_authority: text,
    }),
  }),
});
const pricesSchema = z.object({
  data: z.object({
    attributes: z.object({ token_prices: z.record(z.string(), z.string().nullable()) }),
  }),
});

/**
 * Reads rankings, details and prices from GeckoTerminal, or from CoinGecko's paid interface of the
 * same shape (web3.md section 3.1). Those who wait go before what is kept fresh.
 */
export function createGeckoTerminal({
  baseUrl,
  key,
  clock,
  metrics,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  /** With its version. */
  readonly baseUrl: string;
  /** A CoinGecko demo key; null on the free interface. */
  readonly key: string | null;
}): Pick<TokenData, 'pools' | 'details' | 'prices'> & {
  close(): Promise<void>;
} {
  const calls = createTokenDataCalls({
    source: 'gecko_terminal',
    baseUrl,
    metrics,
    headers: {
      accept: 'application/json;version=20230302',
      ...(key === null ? {} : { 'x-cg-demo-api-key': key }),
    },
  });
  const { waitingMaximum, askedShare } = TOKEN_DATA;
  const queue = createLaneLimit<TokenDataUrgency>({
    name: 'token data',
    clock,
    perSecond: key === null ? TOKEN_DATA.geckoPerSecond : TOKEN_DATA.geckoKeyPerSecond,
    burst: TOKEN_DATA.geckoBurst,
    lanes: [
      { lane: 'asked', share: askedShare, waitingMaximum },
      { lane: 'refresh', share: 1 - askedShare, waitingMaximum },
    ],
  });
  const ask = async <Schema extends z.ZodType>(
    urgency: TokenDataUrgency,
    path: string,
    schema: Schema,
  ): Promise<z.output<Schema> | null> => {
    await queue.take(urgency);
    return calls.get(path, schema);
  };
  return {
    close: () => calls.close(),
    async pools({ chain, ranking, page, urgency }) {
      const list =
        ranking === 'trending' ? 'trending_pools?duration=24h' : 'pools?sort=h24_volume_usd_desc';
      const answer = await ask(
        urgency,
        `/networks/${NETWORKS[chain]}/${list}&page=${page}&include=base_token`,
        poolsSchema,
      );
      return answer === null ? [] : listings(chain, answer);
    },
    async details(chain, address) {
      const answer = await ask(
        'asked',
        `/networks/${NETWORKS[chain]}/tokens/${encodeURIComponent(address)}/info`,
        infoSchema,
      );
      if (answer === null) return null;
      const { description, websites, holders, gt_score, mint_authority, freeze_authority } =
        answer.data.attributes;
      return {
        description: description ?? null,
        websites: (websites ?? []).filter((url) => /^https:\/\/\S{1,300}$/.test(url)),
        holders: holders?.count ?? null,
        score: gt_score === undefined || gt_score === null ? null : plainDecimal(gt_score, 2),
        mintAuthority: mint_authority ?? null,
        freezeAuthority: freeze_authority ?? null,
      };
    },
    async prices(chain, addresses, urgency) {
      const asked = addresses.slice(0, TOKEN_DATA.pricesPerCallMaximum);
      const answer = await ask(
        urgency,
        `/simple/networks/${NETWORKS[chain]}/token_price/${asked.map(encodeURIComponent).join(',')}`,
        pricesSchema,
      );
      const prices = new Map(
        Object.entries(answer?.data.attributes.token_prices ?? {}).map(([address, price]) => [
          foldedAddress(chain, address),
          figure(price),
        ]),
      );
      return new Map(
        asked.flatMap((address) => {
          const price = prices.get(foldedAddress(chain, address)) ?? null;
          return price === null ? [] : [[address, price] as const];
        }),
      );
    },
  };
}

function listings(
  chain: Web3ChainId,
  { data, included }: z.output<typeof poolsSchema>,
): readonly TokenListing[] {
  const tokens = new Map(
    (included ?? []).map(({ id, attributes }) => [id, tokenAttributes.safeParse(attributes)]),
  );
  return data.flatMap(({ attributes, relationships }): readonly TokenListing[] => {
    const token = tokens.get(relationships.base_token.data.id);
    if (token?.success !== true) return [];
    const { address, symbol, name, decimals } = token.data;
    const createdAtMs = Date.parse(attributes.pool_created_at ?? '');
    return [
      {
        chain,
        address: spelledAddress(chain, address),
        symbol,
        name,
        decimals: decimals ?? null,
        priceUsd: figure(attributes.base_token_price_usd),
        change24hPercent: figure(attributes.price_change_percentage?.h24, 4, true),
        volume24hUsd: figure(attributes.volume_usd?.h24, 2),
        liquidityUsd: figure(attributes.reserve_in_usd, 2),
        marketCapUsd: figure(attributes.market_cap_usd, 2),
        fdvUsd: figure(attributes.fdv_usd, 2),
        pairAddress: spelledAddress(chain, attributes.address),
        pairCreatedAtMs: Number.isNaN(createdAtMs) ? null : createdAtMs,
      },
    ];
  });
}
