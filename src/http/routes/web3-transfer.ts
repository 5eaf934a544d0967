import { z } from 'zod';
import { explainTransaction } from '../../domain/transaction-reason.ts';
import { reasonFields } from '../views/reason.ts';
import { AppError } from '../../domain/errors.ts';
import { formatMicros, usdcMicros } from '../../domain/units.ts';
import type { TransferView } from '../../services/funding/safe-transfers.ts';
import { userRoute } from '../route.ts';
import { checksummed } from './evm-address.ts';
import {
  actionIdField,
  amountField,
  pageFields,
  pageOf,
  pageOut,
  timeOut,
  usdcOut,
} from './fields.ts';

const transferOut = z
  .object({
    transferId: z.string(),
    state: z.enum(['queued', 'sent', 'settled', 'failed']).meta({
      description:
        'Waiting here, on its way to the chain, in the Safe and in your balance, or failed. Only the last two are final.',
    }),
    token: z.string(),
    amount: usdcOut,
    to: z.string(),
    ...reasonFields,
    transactionHash: z.string().nullable(),
    createdAtMs: timeOut,
    updatedAtMs: timeOut,
  })
  .meta({ id: 'SafeTransfer' });

function viewTransfer(view: TransferView): z.input<typeof transferOut> {
  return { ...view, ...explainTransaction(view.reason), amount: formatMicros(view.amount) };
}

/** Dollars of one's own wallet into one's Safe. */
export const web3TransferRoutes = [
  userRoute({
    family: 'web3',
    method: 'POST',
    path: '/api/web3/safe-transfer',
    budget: 'writes',
    status: 201,
    movesMoney: true,
    scope: 'session',
    operationId: 'createSafeTransfer',
    summary: 'Transfer tokens to the Safe',
    description:
      'Moves dollars from your EVM wallet into your Safe, gasless; what arrives is collateral and in your balance when the transfer is settled.',
    body: z.strictObject({
      token: checksummed(z.string().min(1).max(42)).meta({
        description:
          "A dollar on Polygon, by symbol or address: USDC, USDC.e, pUSD. Plain ones become the venue's collateral on the way.",
      }),
      amount: amountField,
    }),
    output: transferOut,
    errors: [
      'amount_too_small',
      'insufficient_funds',
      'transfer_in_progress',
      'wallet_not_ready',
      'chain_unavailable',
      'limit_reached',
      'store_unavailable',
    ],
    run: async ({ services, userId, idempotencyKey }, { body: { token, amount } }) =>
      viewTransfer(
        await services.safeTransfers.transfer(userId, {
          token,
          amount: usdcMicros(amount),
          ...(idempotencyKey === null ? {} : { key: idempotencyKey }),
        }),
      ),
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/safe-transfer',
    budget: 'reads',
    operationId: 'listSafeTransfers',
    summary: 'List your transfers to the Safe, newest first',
    description: 'All transfers to your Safe, those under way and those that ended.',
    query: z.strictObject(pageFields),
    output: pageOut(transferOut),
    run({ services, userId }, { query }) {
      const { data, nextCursor } = services.safeTransfers.list(userId, pageOf(query));
      return { data: data.map(viewTransfer), nextCursor };
    },
  }),
  userRoute({
    family: 'web3',
    method: 'GET',
    path: '/api/web3/safe-transfer/:id',
    budget: 'reads',
    operationId: 'getSafeTransfer',
    summary: 'Get a transfer to the Safe and its state',
    description: 'Answers how far a transfer to your Safe has come.',
    params: z.object({ id: actionIdField('transfer') }),
    output: transferOut,
    errors: ['not_found'],
    run({ services, userId }, { params }) {
      const found = services.safeTransfers.get(userId, params.id);
      if (found === null) throw new AppError('not_found', 'you have no such transfer');
      return viewTransfer(found);
    },
  }),
];
