import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import type { JsonValue } from '../../../domain/json-value.ts';

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const call = z.object({ to: address, data: z.string().regex(/^0x(?:[0-9a-f]{2})*$/) });

const schema = z.object({
  /** Ours, unique: the attempt is known by it, and the transaction is made once for it. */
  key: z.uuid(),
  wallet: address,
  pool: address,
  trade: call,
  /** The right that the pool needs first; null where it has it. */
  right: call.nullable(),
  /** The chain's coin that gas may take, wei. */
  gasWei: z.string().regex(/^\d+$/),
});

/** A trade with a pool, as it was quoted. */
export type PreparedTrade = z.infer<typeof schema>;

/** Reads what was prepared. Errors: `internal`. */
export function readPrepared(prepared: JsonValue | null): PreparedTrade {
  const read = schema.safeParse(prepared);
  if (read.success) return read.data;
  throw new AppError('internal', 'a trade with a pool was prepared in another form');
}
