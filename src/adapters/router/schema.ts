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

const units = z
  .string()
  .regex(/^\d{1,60}$/)
  .transform(BigInt);
const hex = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .max(100_000)
  .transform((text) => text as `0x${string}`);
const quantity = z
  .string()
  .regex(/^(0x[0-9a-fA-F]{1,64}|\d{1,60})$/)
  .transform(BigInt);

/** One step with its transaction (web3.md section 2.3). */
export const stepSchema = z.object({
  tool: z.string().max(100),
  action: z.object({
    fromChainId: z.int(),
    toChainId: z.int(),
    fromToken: tokenSchema,
    toToken: tokenSchema,
    fromAmount: units,
    fromAddress: z.string().max(100),
    toAddress: z.string().max(100),
  }),
  estimate: z.object({
    toAmount: units,
    toAmountMin: units,
    approvalAddress: z.string().max(100),
    executionDuration: z.number().nonnegative(),
    feeCosts: z.array(z.object({ name: z.string().max(200), amountUSD: figure })).nullish(),
  }),
  transactionRequest: z.union([
    z.object({
      chainId: z.int(),
      from: z.string().max(100),
      to: z.string().max(100),
      data: hex,
      value: quantity.nullish(),
      gasLimit: quantity.nullish(),
    }),
    // of Solana: a transaction of version 0 in base64, and nothing else
    z.object({ data: z.base64().max(4_000) }),
  ]),
});

/** What became of a transfer (web3.md section 2.5). */
export const statusSchema = z.object({
  status: z.string(),
  substatus: z.string().nullish(),
  receiving: z
    .object({
      chainId: z.int().nullish(),
      txHash: z.string().max(200).nullish(),
      token: z.object({ address: z.string().max(100) }).nullish(),
    })
    .nullish(),
});
