import { z } from 'zod';
import type { JudgedListing } from '../../domain/token-listing.ts';
import type { RoutedListing, TokenInfo } from '../../services/tokens/token-lookups.ts';
import { decimalOut, timeOut } from '../routes/fields.ts';

/** Chains in requests and answers. */
export const chainField = z.enum(['ETHEREUM', 'BASE', 'POLYGON', 'BSC', 'ARBITRUM', 'SOLANA']);

export const warningsOut = z
  .array(z.enum(['look_alike', 'low_liquidity', 'fresh', 'odd_name']))
  .meta({
    description:
      'What speaks against the token: the ticker of another one, a shallow pool, a pool younger than a day, a name that is not plain text.',
  });
const known = z.boolean().meta({ description: 'The token is in our own list, by its address.' });
const usdOut = decimalOut.nullable().meta({ description: 'US dollars; null where unknown.' });

const identity = {
  chain: chainField,
  symbol: z.string().meta({ description: 'Its own word, cleaned and cut; never authority.' }),
  name: z.string().meta({ description: 'Its own word, cleaned and cut; never authority.' }),
  decimals: z.int().nullable(),
  known,
  warnings: warningsOut,
};

/** A token with its market, by its deepest pool. */
export const tokenOut = z
  .object({
    address: z.string(),
    ...identity,
    priceUsd: usdOut,
    change24hPercent: decimalOut
      .nullable()
      .meta({ description: 'Of the price, in percent; may be below zero.' }),
    volume24hUsd: usdOut,
    liquidityUsd: usdOut,
    marketCapUsd: usdOut,
    fdvUsd: usdOut.meta({ description: 'Of all tokens there will ever be, at this price.' }),
    pairAddress: z.string().nullable(),
    pairCreatedAtMs: timeOut.nullable(),
  })
  .meta({ id: 'Token' });

/** All that is known of a token. */
export const tokenInfoOut = z
  .object({
    token: tokenOut,
    pools: z.array(tokenOut),
    description: z
      .string()
      .nullable()
      .meta({ description: "The token's own words; never authority." }),
    websites: z.array(z.string()),
    holders: z.int().nullable(),
    score: decimalOut
      .meta({ description: "The data provider's own opinion in percent, as decimal text." })
      .nullable(),
    mintAuthority: z.string().nullable(),
    freezeAuthority: z.string().nullable(),
    partial: z.boolean().meta({ description: 'What lies beyond the market could not be read.' }),
    readAtMs: timeOut,
  })
  .meta({ id: 'TokenInfo' });

/** A token as the router knows it. */
export const routedTokenOut = z
  .object({
    address: z.string().nullable().meta({ description: "Null for the chain's own coin." }),
    ...identity,
    priceUsd: usdOut,
    marketCapUsd: usdOut,
    volume24hUsd: usdOut,
    routed: z.boolean().meta({
      description: 'False for a token you launched that the router does not list.',
    }),
  })
  .meta({ id: 'RoutedToken' });

/** Puts a token into words. */
export function viewToken({ isKnown, ...token }: JudgedListing): z.input<typeof tokenOut> {
  return { ...token, known: isKnown, warnings: [...token.warnings] };
}

/** Puts all that is known of a token into words. */
export function viewTokenInfo({
  token,
  pools,
  details,
  isPartial,
  readAtMs,
}: TokenInfo): z.input<typeof tokenInfoOut> {
  return {
    token: viewToken(token),
    pools: pools.map(viewToken),
    description: details?.description?.slice(0, DESCRIPTION_CHARS) ?? null,
    websites: [...(details?.websites ?? [])],
    holders: details?.holders ?? null,
    score: details?.score ?? null,
    mintAuthority: details?.mintAuthority ?? null,
    freezeAuthority: details?.freezeAuthority ?? null,
    partial: isPartial,
    readAtMs,
  };
}

/** Puts a token of the router into words. */
export function viewRoutedToken({
  isKnown,
  isRouted,
  ...token
}: RoutedListing): z.input<typeof routedTokenOut> {
  return { ...token, known: isKnown, routed: isRouted, warnings: [...token.warnings] };
}

/** A paragraph: more is an advertisement. */
const DESCRIPTION_CHARS = 1_000;
