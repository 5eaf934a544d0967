import { z } from 'zod';
import type { Hex } from '../../ports/evm.ts';

/**
 * Hexadecimal text in small letters: hashes name bookings, so they must be the same whichever node
 * writes them.
 */
function hexText(pattern: RegExp): z.ZodType<Hex> {
  return z
    .string()
    .regex(pattern)
    .transform((text) => text.toLowerCase() as Hex); // the pattern begins with 0x
}

const word = hexText(/^0x[0-9a-fA-F]{64}$/);

/**
 * A number of the JSON-RPC interface, up to 2^52: blocks, times and places (the execution
 * interfaces' `uint`).
 */
export const quantitySchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,13}$/)
  .transform(Number);

/** An amount of wei or gas. */
const amountSchema = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);

/** An event in a block. One that is in none yet is no event. */
export const logSchema = z.object({
  address: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  topics: z.array(word).max(4),
  data: hexText(/^0x(?:[0-9a-fA-F]{2})*$/),
  blockNumber: quantitySchema,
  transactionHash: word,
  logIndex: quantitySchema,
  removed: z.boolean().nullish(),
});

/** What a node says of a transaction in a block: null when it knows none. */
export const receiptSchema = z
  .object({
    transactionHash: word,
    status: z.enum(['0x0', '0x1']),
    blockNumber: quantitySchema,
    blockHash: word,
    logs: z.array(logSchema),
    gasUsed: amountSchema.optional(),
    effectiveGasPrice: amountSchema.optional(),
    /** Of chains that publish on another: what that takes beside the gas (OP Stack, `l1Fee`). */
    l1Fee: amountSchema.nullish(),
  })
  .nullable();

/** A block that has been made. */
export const blockSchema = z.object({
  number: quantitySchema,
  timestamp: quantitySchema,
  hash: word,
});

/** Events that were asked for. */
export const logsSchema = z.array(logSchema);
