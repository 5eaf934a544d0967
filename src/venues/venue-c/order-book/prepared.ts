import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import type { JsonValue } from '../../../domain/json-value.ts';

/** What an order says beside its intent: fixed before it is signed, and stored with it. */
const preparedSchema = z.object({
  /** Integer from 0 to 2^53 − 1: the venue reads it as a number of JSON. */
  salt: z.int().nonnegative(),
  /** The contract that settles the market's orders. */
  exchange: z.string(),
  /** The account's fee ceiling, which the venue wants signed. */
  feeRateBps: z.int().nonnegative(),
  /** The venue's number of the account's profile. */
  ownerId: z.int().nonnegative(),
});

/** As above. */
export type PreparedOrder = z.infer<typeof preparedSchema>;

/** Reads what was prepared. Errors: `internal` for what this venue never wrote. */
export function readPrepared(extra: JsonValue | null): PreparedOrder {
  const read = preparedSchema.safeParse(extra);
  if (read.success) return read.data;
  throw new AppError('internal', 'an order without what its bytes are made of');
}
