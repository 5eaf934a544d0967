import { z } from 'zod';
import { userRoute } from '../route.ts';
import { challengeIdField, codeField } from './auth.ts';
import { assertMayKeep, clientOf, tokenInField, tokensOut, viewTokens } from './sign-in-tokens.ts';
import { timeOut } from './fields.ts';

/** Proving that one is still who signed in: no other user can be signed in by these. */
export const signInAgainRoutes = [
  userRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/again/code',
    budget: 'sign_in',
    scope: 'session',
    operationId: 'requestSignInAgainCode',
    summary: 'Send a code to your own phone, for signing in again',
    description:
      'Sends six digits to the phone of your account, for what needs a fresh sign-in. They go to `/api/auth/again`.',
    output: z.object({ challengeId: z.string(), expiresAtMs: timeOut, resendAtMs: timeOut }),
    errors: ['phone_required', 'too_many_attempts', 'country_not_supported', 'sign_in_unavailable'],
    run: ({ services, userId }) => services.sessions.requestCodeAgain(userId),
  }),
  userRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/again',
    budget: 'sign_in_check',
    scope: 'session',
    operationId: 'signInAgain',
    summary: 'Sign in again as the user you are, in the place of this session',
    description:
      'Checks the code and gives the tokens of a fresh session; the one the call is made with ends. Makes no user, ' +
      'and signs no other one in.',
    body: z.strictObject({ challengeId: challengeIdField, code: codeField, tokenIn: tokenInField }),
    output: tokensOut,
    errors: [
      'code_invalid',
      'code_expired',
      'too_many_attempts',
      'sign_in_unavailable',
      'forbidden',
    ],
    run: async (context, { body: { tokenIn, ...proof } }) => {
      assertMayKeep(context, tokenIn);
      const { sessions } = context.services;
      return viewTokens(
        context,
        await sessions.signInAgain(context, proof, clientOf(context)),
        tokenIn,
      );
    },
  }),
];
