import { z } from 'zod';
import { formatMicros, usdcMicros } from '../../domain/units.ts';
import { userRoute } from '../route.ts';
import { amountField, timeOut, usdcOut } from './fields.ts';

/** Dollars of one's own wallet into one's Safe. */
export const web3TransferRoutes = [
  userRoute({
    family: 'web3', method: 'POST', path: '/api/web3/safe-transfer', budget: 'writes', status: 201, movesMoney: true, scope: 'session',
    operationId: 'createSafeTransfer',
    summary: 'Transfer tokens to the Safe',
    description: 'Moves a token from your EVM wallet into your Safe.',
    body: z.strictObject({
      token: z.string().min(1).max(42).meta({ description: "A dollar on Polygon, by symbol or address: USDC, USDC.e, pUSD. Plain ones become the venue's collateral on the way." }),
      amount: amountField,
    }),
    output: z.object({
      transferId: z.string(),
      state: z.enum(['queued', 'sent', 'done', 'failed']),
      token: z.string(),
      amount: usdcOut,
      to: z.string(),
      reason: z.string().nullable(),
      transactionHash: z.string().nullable(),
      createdAtMs: timeOut,
    }).meta({ id: 'SafeTransfer' }),
    errors: ['amount_too_small', 'insufficient_funds', 'transfer_in_progress', 'wallet_not_ready', 'chain_unavailable', 'limit_reached', 'store_unavailable'],
    async run({ services, userId, idempotencyKey }, { body: { token, amount } }) {
      const view = await services.safeTransfers.transfer(userId, { token, amount: usdcMicros(amount), ...(idempotencyKey === null ? {} : { key: idempotencyKey }) });
      return { ...view, amount: formatMicros(view.amount) };
    },
  }),
];
