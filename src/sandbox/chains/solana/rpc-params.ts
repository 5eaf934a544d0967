import { isAddress, type Address } from '@solana/kit';
import { z } from 'zod';
import { invalidParams, slotNotReached } from './rpc-failure.ts';
import type { SolanaChain } from './chain.ts';

/** An account's key. */
export const addressParam = z
  .string()
  .max(44)
  .transform((text, context): Address => {
    if (isAddress(text)) return text;
    context.addIssue({ code: 'custom', message: 'WrongSize: not a key of 32 bytes in base58' });
    return z.NEVER;
  });
/** A transaction's first signature. */
export const signatureParam = z
  .string()
  .regex(/^[1-9A-HJ-NP-Za-km-z]{43,88}$/, 'not a signature in base58');
/** How sure the answer shall be. */
export const commitmentParam = z.enum(['processed', 'confirmed', 'finalized']);
/** Fields of nearly every configuration. */
export const contextFields = {
  commitment: commitmentParam.optional(),
  minContextSlot: z.int().nonnegative().optional(),
};
/** The configuration of calls without fields of their own. */
export const contextConfig = z.object(contextFields).nullish();
/** How account data shall be written, and which part of it. */
export const accountFields = {
  ...contextFields,
  encoding: z.enum(['base58', 'base64', 'jsonParsed']).optional(),
  dataSlice: z.object({ offset: z.int().nonnegative(), length: z.int().nonnegative() }).nullish(),
};

/** How an account's data shall be written. */
export interface AccountForm {
  readonly encoding?: 'base58' | 'base64' | 'jsonParsed' | undefined;
  readonly dataSlice?: { readonly offset: number; readonly length: number } | null | undefined;
}

/**
 * Reads positional arguments; missing ones at the end are absent. Throws an RpcFailure (-32602).
 */
export function readParams<Schema extends z.ZodType>(
  schema: Schema,
  params: readonly unknown[],
): z.output<Schema> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw invalidParams(
    parsed.error.issues
      .slice(0, 3)
      .map(({ path, message }) => `${path.join('.')} ${message}`.trim())
      .join('; '),
  );
}

/**
 * The context of an answer. Throws an RpcFailure (-32016) when the caller insists on a later slot.
 */
export function contextOf(
  chain: SolanaChain,
  config: { readonly minContextSlot?: number | undefined } | null | undefined,
): { readonly slot: number; readonly apiVersion: string } {
  const slot = chain.time.slot();
  if (config?.minContextSlot !== undefined && config.minContextSlot > slot)
    throw slotNotReached(slot);
  return { slot, apiVersion: API_VERSION };
}

/** Version of the node's interface that is modelled. */
export const API_VERSION = '2.1.0';
