import { z } from 'zod';
import { explainTransaction } from '../../../domain/transaction-reason.ts';
import { claimOut, viewClaim } from '../../../http/views/claim.ts';
import { reasonFields } from '../../../http/views/reason.ts';
import { AppError } from '../../../domain/errors.ts';
import { asId, type Address, type MarketId } from '../../../domain/ids.ts';
import { formatMicros, usdcMicros } from '../../../domain/units.ts';
import type { WithdrawalView } from '../../../services/funding/withdrawals.ts';
import { userRoute } from '../../../http/route.ts';
import { checksummed } from '../../../http/routes/evm-address.ts';
import {
  actionIdField,
  amountField,
  idField,
  pageFields,
  pageOf,
  pageOut,
  timeOut,
  usdcOut,
} from '../../../http/routes/fields.ts';
import { VENUE_A_IDS } from './ids.ts';
import { VENUE_A_ID } from '../id.ts';

const addressField = checksummed(
  z.string().regex(/^0x[0-9a-fA-F]{40}$/, '0x and 40 hex digits'),
).transform((text) => asId<Address>(text));

const withdrawalOut = z
  .object({
    withdrawalId: z.string(),
    state: z.enum(['reserved', 'sent', 'settled', 'returned']).meta({
      description:
        'Held here, on its way to the chain, paid there, or back in the balance. Only the last two are final.',
    }),
    amount: usdcOut,
    token: z.string().meta({
      description: 'The dollar it arrives as: USDC unless this service is set to pay another.',
    }),
    to: z.string(),
    ...reasonFields,
    transactionHash: z.string().nullable(),
    createdAtMs: timeOut,
    updatedAtMs: timeOut,
  })
  .meta({ id: 'Withdrawal' });

function viewWithdrawal({ usdc, ...rest }: WithdrawalView): z.input<typeof withdrawalOut> {
  return { ...rest, ...explainTransaction(rest.reason), amount: formatMicros(usdc) };
}

/** Money out of the Safe, and won shares into money. */
export const moneyRoutes = [
  userRoute({
    family: VENUE_A_ID,
    method: 'POST',
    path: '/api/venue_a/safe/withdraw/',
    budget: 'writes',
    status: 201,
    movesMoney: true,
    scope: 'session',
    operationId: 'createWithdrawal',
    summary: 'Withdraw USDC from the Safe wallet to the EVM wallet',
    description:
      'Moves dollars from your Safe to your own EVM wallet; no other address is taken. The amount is held ' +
      'at once and leaves the balance when the chain confirms.',
    body: z
      .strictObject({
        amount: amountField.meta({
          description: 'Dollars; `token` of the answer says as what they arrive.',
        }),
        to: addressField
          .optional()
          .meta({ description: 'Your own EVM wallet, which is where it goes in any case.' }),
      })
      .meta({ id: 'WithdrawalRequest' }),
    output: withdrawalOut,
    errors: [
      'amount_too_small',
      'insufficient_funds',
      'forbidden',
      'wallet_not_ready',
      'limit_reached',
      'store_unavailable',
    ],
    run: async ({ services, userId, idempotencyKey }, { body }) =>
      viewWithdrawal(
        await services.withdrawals.withdraw(userId, {
          usdc: usdcMicros(body.amount),
          ...(body.to === undefined ? {} : { to: body.to }),
          ...(idempotencyKey === null ? {} : { key: idempotencyKey }),
        }),
      ),
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/safe/withdraw/',
    budget: 'reads',
    operationId: 'listWithdrawals',
    summary: 'List your withdrawals, newest first',
    description: 'All withdrawals from your Safe, those under way and those that ended.',
    query: z.strictObject(pageFields),
    output: pageOut(withdrawalOut),
    run({ services, userId }, { query }) {
      const { data, nextCursor } = services.withdrawals.list(userId, pageOf(query));
      return { data: data.map(viewWithdrawal), nextCursor };
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/safe/withdraw/:id/',
    budget: 'reads',
    operationId: 'getWithdrawal',
    summary: 'Get a withdrawal and its state',
    description: 'How far a withdrawal has come.',
    params: z.object({ id: actionIdField('withdrawal') }),
    output: withdrawalOut,
    errors: ['not_found'],
    run({ services, userId }, { params }) {
      const found = services.withdrawals.get(userId, params.id);
      if (found === null) throw new AppError('not_found', 'you have no such withdrawal');
      return viewWithdrawal(found);
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'POST',
    path: '/api/venue_a/token/claim/',
    budget: 'writes',
    movesMoney: true,
    operationId: 'claimWinnings',
    summary: 'Redeem winning positions',
    description:
      'Turns shares of an outcome that won into dollars in your Safe. Won shares are also redeemed by ' +
      'themselves; this asks for it now.',
    body: z.strictObject({
      marketId: idField<MarketId>(VENUE_A_IDS.market)
        .optional()
        .meta({ description: 'One market; absent for all that were won.' }),
    }),
    output: z.object({ data: z.array(claimOut), nextCursor: z.null() }),
    errors: [
      'not_found',
      'conflict',
      'wallet_not_ready',
      'chain_unavailable',
      'limit_reached',
      'store_unavailable',
    ],
    run: async ({ services, userId }, { body }) => ({
      data: (await services.redemptionsAt(VENUE_A_ID).claim(userId, body.marketId)).map(viewClaim),
      nextCursor: null,
    }),
  }),
];
