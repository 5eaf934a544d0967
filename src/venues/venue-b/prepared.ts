import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { JsonValue } from '../../domain/json-value.ts';

/** What an attempt is signed from, and what its answers are read by: stored with it. */
const preparedSchema = z.object({
  /** The venue's transaction, base64, the user's signature still missing. */
  transaction: z.string(),
  /**
   * By it nothing built on it lands after the venue's height, which is checked against the chain's
   * own word.
   */
  blockhash: z.string(),
  lastValidBlockHeight: z.int().nonnegative(),
  /** Height of the chain when the transaction was tried: its blockhash was alive then. */
  seenAtHeight: z.int().nonnegative(),
  /** Micros given at most: of USDC for a purchase, of contracts for a sale. */
  amountMicros: z.int().positive(),
  /** Whether a sponsor pays the network; null of attempts from before that was written down. */
  isSponsored: z.boolean().nullable().default(null),
});

/** As above. */
export type PreparedOrder = z.infer<typeof preparedSchema>;

/** Reads what was stored with an attempt. Errors: `internal` for what this venue never wrote. */
export function readPrepared(extra: JsonValue): PreparedOrder {
  const read = preparedSchema.safeParse(extra);
  if (read.success) return read.data;
  throw new AppError('internal', 'an attempt without what its bytes were made of');
}
