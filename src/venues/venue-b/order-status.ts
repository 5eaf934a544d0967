import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { checked } from '../checked.ts';
import { failureOf, type VenueClient } from './client.ts';

const micros = z
  .union([z.string().regex(/^\d{1,15}$/), z.number()])
  .transform(Number)
  .pipe(z.int().nonnegative());
const signature = z.string().min(1).max(100);

/** What is read of `/order-status` (venue_b.md section 9.2). */
const statusSchema = z.object({
  status: z.enum(['pending', 'open', 'pendingClose', 'closed', 'expired', 'failed']),
  fills: z
    .array(
      z.object({
        signature,
        inputMint: z.string(),
        inAmount: micros,
        outputMint: z.string(),
        outAmount: micros,
      }),
    )
    .nullish()
    .transform((fills) => fills ?? []),
  reverts: z
    .array(z.object({ signature, mint: z.string(), amount: micros }))
    .nullish()
    .transform((reverts) => reverts ?? []),
});

/** The state of an order, as the venue reports it. */
export type OrderStatus = z.infer<typeof statusSchema>;

/**
 * Returns the state of the order that a transaction opened; null where the venue does not know it,
 * which may change. Errors: `venue_unavailable`, `rate_limited`, `venue_restricted`,
 * `venue_protocol`, `overloaded`.
 */
export async function readOrderStatus(
  client: VenueClient,
  opening: string,
  lastValidBlockHeight: number,
): Promise<OrderStatus | null> {
  const call = {
    family: 'status',
    path: '/order-status',
    query: { signature: opening, lastValidBlockHeight: String(lastValidBlockHeight) },
  } as const;
  const answer = await client.call(call);
  if (answer.status === 404) return null;
  const failure = failureOf(call, answer);
  if (failure !== null) throw failure;
  if (answer.status !== 200)
    throw new AppError('venue_protocol', `the venue does not give the state of ${opening}`);
  return checked(statusSchema, answer.value, 'the status of an order');
}
