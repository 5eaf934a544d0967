import { z } from 'zod';
import { userRoute } from '../route.ts';
import { viewConfirmation, confirmationOut } from '../views/confirmation.ts';
import { ORDER_ERRORS } from '../../domain/order-refusals.ts';

const path = z.object({
  id: z
    .string()
    .regex(/^cnf_[0-9A-Z]{26}$/, 'the confirmationId of a confirmation')
    .meta({ description: 'A confirmationId.', examples: ['cnf_01J9ZQ4T8XG6Q2W5E7R9T1Y3U5'] }),
});

/** What assistants ask their person. No key reaches these. */
export const confirmationRoutes = [
  userRoute({
    family: 'user',
    method: 'GET',
    path: '/api/user/confirmations/',
    budget: 'reads',
    scope: 'session',
    operationId: 'listConfirmations',
    summary: 'List what your assistants ask you to confirm, newest first',
    description:
      'Orders that wait for your word, for five minutes each, and how earlier ones ended.',
    output: z.object({ data: z.array(confirmationOut), nextCursor: z.null() }),
    run: ({ services, userId, wallNowMs }) => ({
      data: services.confirmations
        .list(userId)
        .map((record) => viewConfirmation(record, wallNowMs)),
      nextCursor: null,
    }),
  }),
  userRoute({
    family: 'user',
    method: 'POST',
    path: '/api/user/confirmations/:id/confirm',
    budget: 'writes',
    scope: 'session',
    operationId: 'confirmOrder',
    summary: 'Confirm an order of an assistant: it is placed at no worse price than it was shown',
    description:
      'Places the order, once however often it is confirmed: a repetition answers the order that was placed. All caps and the limits of the key are checked again.',
    params: path,
    output: confirmationOut,
    errors: ['confirmation_ended', 'forbidden', ...ORDER_ERRORS],
    run: async ({ services, userId, wallNowMs }, { params }) =>
      viewConfirmation(await services.confirmations.confirm(userId, params.id), wallNowMs),
  }),
  userRoute({
    family: 'user',
    method: 'POST',
    path: '/api/user/confirmations/:id/refuse',
    budget: 'stops',
    scope: 'session',
    operationId: 'refuseOrder',
    summary: 'Refuse an order of an assistant',
    description: 'The order is not placed, now or later.',
    params: path,
    output: confirmationOut,
    errors: ['not_found', 'confirmation_ended', 'store_unavailable'],
    run: async ({ services, userId, wallNowMs }, { params }) =>
      viewConfirmation(await services.confirmations.refuse(userId, params.id), wallNowMs),
  }),
];
