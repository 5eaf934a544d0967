import { z } from 'zod';
import { TOKEN_LISTS } from '../../../config/limits/tokens.ts';
import { AppError } from '../../domain/errors.ts';
import { WEB3_CHAINS, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { TokenRanking } from '../../services/tokens/token-lists.ts';
import { userRoute, type Route } from '../route.ts';
import {
  chainField,
  routedTokenOut,
  tokenInfoOut,
  tokenOut,
  viewRoutedToken,
  viewToken,
  viewTokenInfo,
} from '../views/token.ts';
import { checksummed } from './evm-address.ts';
import { pageFields, pageOf, searchField, timeOut } from './fields.ts';

const ALL: readonly Web3ChainId[] = WEB3_CHAINS.map(({ chain }) => chain);

/** Some of the chains, with commas; all six unless stated. */
const chainsField = z
  .string()
  .max(100)
  .transform((text, context): readonly Web3ChainId[] => {
    const read = z.array(chainField).safeParse(text.split(','));
    if (read.success) return [...new Set(read.data)];
    context.addIssue({ code: 'custom', message: `chains with commas: ${ALL.join(', ')}` });
    return z.NEVER;
  })
  .optional()
  .meta({ description: `Only these chains, with commas between them: ${ALL.join(', ')}.` });

const tokenField = checksummed(
  z.string().regex(/^[0-9A-Za-z.$_-]{1,64}$/, 'a ticker or an address'),
).meta({ description: 'An address, or a ticker of our own list.' });

const tokenSearchField = searchField({
  minimum: TOKEN_LISTS.searchMinimumChars,
  maximum: TOKEN_LISTS.searchMaximumChars,
});

const listErrors = ['token_data_unavailable', 'rate_limited'] as const;
const lookupErrors = ['token_data_unavailable', 'rate_limited', 'overloaded'] as const;

/** Rankings, searches and single tokens on all chains. */
export const tokenRoutes = [
  ranking('trending', {
    path: '/api/web3/trending/',
    operationId: 'listTrendingTokens',
    summary: 'Trending tokens by chain',
    description:
      'Tokens that are looked at and traded most unusually now, each by its deepest pool.',
  }),
  ranking('top_gainers', {
    path: '/api/web3/top-gainers/',
    operationId: 'listTopGainers',
    summary: 'Top gaining tokens over 24 hours',
    description:
      'Tokens whose price rose most in a day, among those with a deep, traded and not too young pool; wrapped coins and dollars are left out.',
  }),
  ranking('top_volume', {
    path: '/api/web3/top-volume/',
    operationId: 'listTopVolumeTokens',
    summary: 'Tokens by trading volume',
    description: 'Tokens by the dollars traded of them in a day.',
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/search/',
    budget: 'reads',
    operationId: 'searchTokens',
    summary: 'Search tokens by name or symbol',
    description:
      'Tokens whose name, ticker or address holds the text; those of our own list come first, and imitations are marked.',
    query: z.strictObject({
      query: checksummed(tokenSearchField).meta({
        description: 'Part of a name or ticker, or an address.',
      }),
      chain: chainsField,
      ...pageFields,
    }),
    output: z.object({
      data: z.array(tokenOut),
      nextCursor: z.string().nullable(),
      readAtMs: timeOut,
    }),
    errors: lookupErrors,
    run: async ({ services, userId }, { query }) => {
      const { found, readAtMs } = await services.tokens.search(userId, {
        text: query.query,
        chains: query.chain ?? ALL,
      });
      return { ...paged(found.map(viewToken), query), readAtMs };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/token/dexdata/',
    budget: 'reads',
    operationId: 'getTokenInfo',
    summary: 'Token info from the data provider',
    description:
      'The pools of one token, and what the data provider tells of it beyond its market.',
    query: z.strictObject({
      chain: chainField.meta({ description: 'The chain the token is on.' }),
      token: tokenField,
    }),
    output: tokenInfoOut,
    errors: ['not_found', ...lookupErrors],
    run: async ({ services, userId }, { query }) =>
      viewTokenInfo(await services.tokens.info(userId, query)),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/token/router/info/',
    budget: 'reads',
    operationId: 'getRoutedToken',
    summary: 'Token info from the aggregator',
    description: 'One token as the swap and bridge router knows it.',
    query: z.strictObject({
      chain: chainField.meta({ description: 'The chain the token is on.' }),
      token: tokenField,
    }),
    output: routedTokenOut.extend({ readAtMs: timeOut }),
    errors: ['not_found', 'router_unavailable', 'rate_limited', 'overloaded'],
    run: async ({ services, userId }, { query }) => {
      const { found, readAtMs } = await services.tokens.routed(userId, query);
      return { ...viewRoutedToken(found), readAtMs };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/token/router/search/',
    budget: 'reads',
    operationId: 'listRoutedTokens',
    summary: 'Browse tokens by chain',
    description: 'Tokens the swap and bridge router routes, most traded first.',
    query: z.strictObject({
      chain: chainsField,
      query: tokenSearchField.optional().meta({ description: 'Part of a name or ticker.' }),
      ...pageFields,
    }),
    output: z.object({
      data: z.array(routedTokenOut),
      nextCursor: z.string().nullable(),
      readAtMs: timeOut,
    }),
    errors: ['router_unavailable', 'rate_limited', 'overloaded'],
    run: async ({ services, userId }, { query }) => {
      const { found, readAtMs } = await services.tokens.browseRouted(userId, {
        chains: query.chain ?? ALL,
        text: query.query ?? '',
      });
      return { ...paged(found.map(viewRoutedToken), query), readAtMs };
    },
  }),
];

function ranking<const Path extends string>(
  name: TokenRanking,
  draft: Pick<Route, 'operationId' | 'summary' | 'description'> & { readonly path: Path },
) {
  return userRoute({
    family: 'web3',
    method: 'GET',
    budget: 'reads',
    ...draft,
    query: z.strictObject({ chain: chainsField, ...pageFields }),
    output: z.object({
      data: z.array(tokenOut),
      nextCursor: z.string().nullable(),
      chains: z.array(
        z.object({
          chain: chainField,
          readAtMs: timeOut.nullable(),
          ageMs: z
            .int()
            .nullable()
            .meta({ description: 'Null for a chain that could not be read in time.' }),
        }),
      ),
      partial: z.boolean().meta({ description: 'A chain is missing.' }),
    }),
    errors: listErrors,
    run: async ({ services, wallNowMs }, { query }) => {
      const { tokens, chains } = await services.tokens.rank(name, query.chain ?? ALL);
      return {
        ...paged(tokens.map(viewToken), query),
        chains: chains.map(({ chain, readAtMs }) => ({
          chain,
          readAtMs,
          ageMs: readAtMs === null ? null : Math.max(0, wallNowMs - readAtMs),
        })),
        partial: chains.some(({ readAtMs }) => readAtMs === null),
      };
    },
  });
}

/** Cuts a page out of a list that comes whole; its cursor counts what was shown. */
function paged<Item>(
  items: readonly Item[],
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): { readonly data: Item[]; readonly nextCursor: string | null } {
  const { limit, cursor } = pageOf(query);
  if (cursor !== null && !/^\d{1,6}$/.test(cursor))
    throw new AppError('invalid_request', 'cursor: not one of this list', {
      fields: [{ path: '/cursor', message: 'not one of this list' }],
    });
  const from = Number(cursor ?? '0');
  const next = from + limit;
  return {
    data: items.slice(from, next),
    nextCursor: next < items.length ? String(next) : null,
  };
}
