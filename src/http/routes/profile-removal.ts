import { z } from 'zod';
import { userRoute } from '../route.ts';
import { clientOf } from './sign-in-tokens.ts';
import { timeOut } from './fields.ts';
import { ONE_TIME_CODE_HEADERS, oneTimeCodeOf } from './one-time-code.ts';

/**
 * The end of an account. No API key reaches it; the code comes in headers, as a key's export has
 * it.
 */
export const profileRemovalRoutes = [
  userRoute({
    family: 'user',
    method: 'POST',
    path: '/api/user/profile/removal-code',
    budget: 'sign_in',
    auth: 'user_without_username',
    scope: 'session',
    operationId: 'requestProfileRemovalCode',
    summary: 'Send the code for removing your account to your phone',
    description:
      'Sends six digits to the phone of your account, unless something is held, as for the removal. They go with the removal itself, in headers.',
    output: z.object({ challengeId: z.string(), expiresAtMs: timeOut, resendAtMs: timeOut }),
    errors: [
      'account_not_empty',
      'bridge_unavailable',
      'chain_unavailable',
      'phone_required',
      'too_many_attempts',
      'country_not_supported',
      'sign_in_unavailable',
    ],
    run: (context) =>
      context.services.profileRemoval.requestCode(context.userId, clientOf(context)),
  }),
  userRoute({
    family: 'user',
    method: 'DELETE',
    path: '/api/user/profile',
    budget: 'sign_in_check',
    auth: 'user_without_username',
    scope: 'session',
    operationId: 'removeProfile',
    summary:
      'Remove your account for good, against a code in the headers X-Challenge-Id and X-One-Time-Code',
    description:
      'Stops your agents and ends your sessions, API keys and push subscriptions, your username and every way of ' +
      'signing in; the same phone or identity makes a new account. Refused while anything is held: a dollar ' +
      'or more of cash or in a wallet, positions, orders, or what is under way, to you as well; `errors` names each ' +
      'place. Less than a dollar in one place stays there. What was traded and done stays ' +
      'in the journal under your user id, without your phone. The keys of the wallets stay sealed: take them out ' +
      'first if something may still come to them.',
    headers: ONE_TIME_CODE_HEADERS,
    output: z.object({ userId: z.string(), removedAtMs: timeOut }).meta({ id: 'RemovedProfile' }),
    errors: [
      'account_not_empty',
      'bridge_unavailable',
      'chain_unavailable',
      'code_required',
      'code_invalid',
      'code_expired',
      'too_many_attempts',
      'sign_in_unavailable',
    ],
    run: async (context) => {
      const { services, userId } = context;
      const removedAtMs = await services.profileRemoval.remove(
        userId,
        oneTimeCodeOf(context),
        clientOf(context),
      );
      return { userId, removedAtMs };
    },
  }),
];
