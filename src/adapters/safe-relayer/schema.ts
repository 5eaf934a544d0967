import { z } from 'zod';

/**
 * Answer to `POST /submit` (venue_a.md section 14.2). Its transaction hash is only a hint and not
 * read.
 */
export const submitSchema = z.object({ transactionID: z.string().min(1).max(200) });

/** Answer to `GET /transaction`: a list, empty when the id is not known. */
export const transactionsSchema = z
  .array(
    z.object({
      transactionID: z.string(),
      transactionHash: z.string().nullish(),
      state: z.enum([
        'STATE_NEW',
        'STATE_EXECUTED',
        'STATE_MINED',
        'STATE_CONFIRMED',
        'STATE_FAILED',
        'STATE_INVALID',
      ]),
    }),
  )
  .max(100);

/** Body of a refusal. */
export const refusalSchema = z.object({ error: z.string() });
