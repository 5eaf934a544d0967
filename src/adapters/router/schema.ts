import { z } from 'zod';

const figure = z.union([z.string(), z.number()]).nullish();

/** A token (web3.md section 2.2). */
export const tokenSchema = z.object({
  address: z.string().min(1).max(100),
  chainId: z.number(),
  symbol: z.string().max(1_000),
  decimals: z.int().min(0).max(36),
  name: z.string().max(1_000),
  priceUSD: figure,
  marketCapUSD: figure,
  volumeUSD24H: figure,
});

/** Tokens by chain id. */
export const tokensSchema = z.object({ tokens: z.record(z.string(), z.array(tokenSchema)) });
