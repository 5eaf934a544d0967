import { z } from 'zod';

/** `GET /supported-assets` (venue_a.md section 13). */
export const assetsSchema = z.object({
  supportedAssets: z
    .array(
      z.object({
        chainId: z.string().max(40),
        chainName: z.string().max(100),
        token: z.object({
          name: z.string().max(100),
          symbol: z.string().max(40),
          address: z.string().max(100),
          decimals: z.int().min(0).max(36),
        }),
        minCheckoutUsd: z.number().min(0),
      }),
    )
    .max(5_000),
});

/** `POST /deposit`. */
export const depositSchema = z.object({
  address: z.object({
    evm: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    svm: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
    btc: z.string().regex(/^(bc1[0-9a-z]{11,87}|[13][1-9A-HJ-NP-Za-km-z]{24,34})$/),
    tvm: z.string().regex(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
  }),
});

/** `GET /status/…`. */
export const statusSchema = z.object({
  transactions: z
    .array(
      z.object({
        fromChainId: z.string().max(40),
        fromTokenAddress: z.string().max(100),
        fromAmountBaseUnit: z.string().regex(/^\d{1,78}$/),
        status: z.enum([
          'DEPOSIT_DETECTED',
          'PROCESSING',
          'ORIGIN_TX_CONFIRMED',
          'SUBMITTED',
          'COMPLETED',
          'FAILED',
        ]),
        txHash: z.string().max(100).optional(),
        createdTimeMs: z.int().min(0).optional(),
      }),
    )
    .max(10_000),
});
