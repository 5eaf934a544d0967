import { z } from 'zod';

/** Live answers have numbers as numbers and as text (venue_d.md section 3). */
const numeric = z.union([z.number(), z.string().max(100)]);
const text = z.string().max(10_000).nullish();

/** A row of a portfolio, as far as it is read (section 5.1). */
export const rowSchema = z.object({
  marketId: z.int().nonnegative(),
  outcomeId: z.int().nonnegative(),
  networkId: z.int().positive(),
  marketTitle: text,
  marketSlug: text,
  outcomeTitle: text,
  token: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  shares: numeric,
  /** The average of what was paid (section 11). */
  price: numeric,
  value: numeric,
  profit: numeric,
  winningsToClaim: z.boolean().nullish(),
  winningsClaimed: z.boolean().nullish(),
  voidedWinningsToClaim: z.boolean().nullish(),
  voidedWinningsClaimed: z.boolean().nullish(),
  status: z.enum(['ongoing', 'won', 'lost', 'voided', 'claimed', 'sold']),
  claimed: z.boolean().nullish(),
  executionMode: z.union([z.literal(0), z.literal(1)]).nullish(),
  expiresAt: text,
});

/** A page: rows are read one by one, so that one that cannot be read costs itself alone. */
export const pageSchema = z.union([
  z.object({
    data: z.array(z.unknown()),
    pagination: z.object({ hasNext: z.boolean() }),
  }),
  z.array(z.unknown()), // some lists come bare (section 4)
]);
