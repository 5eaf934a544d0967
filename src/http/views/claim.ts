import { z } from 'zod';
import { explainTransaction } from '../../domain/transaction-reason.ts';
import { formatMicros } from '../../domain/units.ts';
import type { ClaimView } from '../../services/funding/redemptions.ts';
import { decimalOut } from '../routes/fields.ts';
import { reasonFields } from './reason.ts';

/** How far the redemption of one market is. */
export const claimOut = z
  .object({
    marketId: z.string(),
    state: z
      .enum(['waiting', 'redeeming', 'redeemed', 'failed'])
      .meta({ description: 'A market that waits or failed is tried again by itself.' }),
    amount: decimalOut.meta({ description: 'What the shares are worth.' }),
    ...reasonFields,
    transactionHash: z.string().nullable(),
  })
  .meta({ id: 'Claim' });

/** Returns a claim as the interface shows it. */
export function viewClaim({
  marketId,
  state,
  usdc,
  reason,
  transactionHash,
}: ClaimView): z.input<typeof claimOut> {
  return {
    marketId,
    state,
    amount: formatMicros(usdc),
    ...explainTransaction(reason),
    transactionHash,
  };
}
