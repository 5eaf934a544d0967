import { z } from 'zod';
import { TOKENS, LOGIN_ATTEMPTS } from '../../../config/limits/identity.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { SignedIn } from '../../services/sign-in/sessions.ts';
import { forgetRefreshToken, refreshTokenIn } from '../refresh-cookie.ts';
import { tokenIn as bearerIn } from '../bearer.ts';
import { ASSERTION_HEADER } from '../redirect-headers.ts';
import { publicRoute, userRoute, type CallContext } from '../route.ts';
import { timeOut } from './fields.ts';
import {
  assertMayKeep,
  clientOf,
  tokenInField,
  tokensOut,
  viewTokens,
  type TokenIn,
} from './sign-in-tokens.ts';
import { profileOut, viewProfile } from './user.ts';

async function signInBy(
  context: CallContext,
  proof: Parameters<CallContext['services']['federatedIdentity']['signIn']>[0],
  tokenIn: TokenIn,
): Promise<z.input<typeof tokensOut>> {
  return signedInHere(context, tokenIn, () =>
    context.services.federatedIdentity.signIn(proof, clientOf(context)),
  );
}

/** Signs in by a proof, or by what another shard has found of it. */
async function signedInHere(
  context: CallContext,
  tokenIn: TokenIn,
  prove: () => Promise<SignedIn>,
): Promise<z.input<typeof tokensOut>> {
  assertMayKeep(context, tokenIn);
  const assertion = context.header(ASSERTION_HEADER);
  const signedIn =
    assertion === null
      ? await prove()
      : await context.services.sessions.admitBy(assertion, clientOf(context));
  return viewTokens(context, signedIn, tokenIn);
}

/**
 * Trades the cookie's token in; one that is no good is forgotten. What was out of the reach of
 * scripts stays so.
 */
async function refreshFromCookie(context: CallContext): Promise<z.input<typeof tokensOut>> {
  const token = refreshTokenIn(context);
  if (token === null) throw new AppError('token_invalid', 'no refresh token came; sign in again');
  try {
    const signedIn = await context.services.sessions.refresh(token, clientOf(context));
    return viewTokens(context, signedIn, 'cookie');
  } catch (error) {
    if (error instanceof AppError && ENDS_SESSION.includes(error.code)) forgetRefreshToken(context);
    throw error;
  }
}

const ENDS_SESSION: readonly ErrorCode[] = ['token_invalid', 'token_expired'];

const visitField = z.string().regex(/^vis_[\w-]{43}$/, 'the visit of the start');
const returnedToField = z
  .string()
  .min(1)
  .max(LOGIN_ATTEMPTS.returnedToMaximumChars)
  .meta({ description: 'The address the browser came back to, with all its parameters.' });
const messageField = z
  .string()
  .min(1)
  .max(LOGIN_ATTEMPTS.messageMaximumChars)
  .meta({ description: 'As it was signed (EIP-4361, FIP-11).' });
const signatureField = z
  .string()
  .max(LOGIN_ATTEMPTS.signatureMaximumChars)
  .regex(/^0x([0-9a-fA-F]{2})+$/, '0x and hex digits');
/** The challenge of a code that was sent. */
export const challengeIdField = z
  .string()
  .regex(/^otp_[0-9a-z]{26}$/, 'the challengeId of the request');
/** A code that was sent. */
export const codeField = z.string().regex(/^\d{6}$/, 'six digits');

/** What a user brings to add a login method. */
const proofBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('phone'), challengeId: challengeIdField, code: codeField }),
  z.strictObject({ kind: z.literal('google'), visit: visitField, returnedTo: returnedToField }),
  z.strictObject({
    kind: z.literal('siwf'),
    visit: visitField,
    message: messageField,
    signature: signatureField,
  }),
]);

/** Signing in by phone, by Google and by the social protocol; staying signed in, leaving. */
export const authRoutes = [
  publicRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/otp/request',
    budget: 'sign_in',
    operationId: 'requestSignInCode',
    summary: 'Send a one-time code to a phone',
    description:
      'Sends a text message with six digits to the phone. The challengeId goes back with the code. Codes are ' +
      'limited by phone and by address.',
    body: z.strictObject({
      phone: z
        .string()
        .max(32)
        .meta({ description: 'International form.', examples: ['+14155552671'] }),
    }),
    output: z.object({ challengeId: z.string(), expiresAtMs: timeOut, resendAtMs: timeOut }),
    errors: ['too_many_attempts', 'country_not_supported', 'sign_in_unavailable'],
    run: (context, { body }) =>
      context.services.sessions.requestCode(
        body.phone,
        clientOf(context),
        bearerIn(context.header('authorization') ?? '') ?? null,
      ),
  }),
  publicRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/otp/verify',
    budget: 'sign_in_check',
    operationId: 'verifySignInCode',
    summary: 'Sign in with the code; the first time this makes the user',
    description:
      'Checks the code and signs in. A phone that is new here gets a user with wallets of its own; choose a ' +
      'username next, by `PUT /api/user/profile`.',
    body: z.strictObject({ challengeId: challengeIdField, code: codeField, tokenIn: tokenInField }),
    output: tokensOut,
    errors: [
      'code_invalid',
      'code_expired',
      'too_many_attempts',
      'sign_in_unavailable',
      'forbidden',
    ],
    run: (context, { body: { challengeId, code, tokenIn } }) =>
      signedInHere(context, tokenIn, () =>
        context.services.sessions.verifyCode(challengeId, code, clientOf(context)),
      ),
  }),
  publicRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/google',
    budget: 'sign_in',
    operationId: 'beginGoogleSignIn',
    summary: 'Begin to sign in at Google: where to send the browser, and what to keep meanwhile',
    description:
      'Keep `visit` where the browser is, send the browser to `url`, and hand both `visit` and the address it ' +
      'came back to over at `/api/auth/google/finish`.',
    output: z.object({
      visit: z.string().meta({ description: 'A secret of yours: what binds the way back to you.' }),
      url: z.string(),
      state: z.string(),
      expiresAtMs: timeOut,
    }),
    errors: ['sign_in_unavailable'],
    run: ({ services }) => services.federatedIdentity.beginGoogle(),
  }),
  publicRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/google/finish',
    budget: 'sign_in_check',
    operationId: 'finishGoogleSignIn',
    summary:
      'Sign in with what Google sent the browser back with; the first time this makes the user',
    description:
      'Checks what Google sent the browser back with against the visit that was begun, and signs in.',
    body: z.strictObject({
      visit: visitField,
      returnedTo: returnedToField,
      tokenIn: tokenInField,
    }),
    output: tokensOut,
    errors: ['sign_in_refused', 'code_expired', 'sign_in_unavailable', 'forbidden'],
    run: async (context, { body: { tokenIn, ...proof } }) =>
      signInBy(context, { kind: 'google', ...proof }, tokenIn),
  }),
  publicRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/social',
    budget: 'sign_in',
    operationId: 'beginSocialSignIn',
    summary: 'Begin to sign in by the social protocol: what its message must say',
    description:
      'Gives the domain, address and nonce that a Sign In With Farcaster message must name.',
    output: z.object({
      visit: z.string(),
      domain: z.string(),
      uri: z.string(),
      nonce: z.string(),
      expiresAtMs: timeOut,
    }),
    errors: ['sign_in_unavailable'],
    run: ({ services }) => services.federatedIdentity.beginSocial(),
  }),
  publicRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/social/channel',
    budget: 'sign_in',
    operationId: 'openSocialChannel',
    summary: 'Begin to sign in by the social protocol on a phone: a link for it, or for a QR code',
    description:
      'Asks for the signature over the protocol’s relay. Show `link`, keep `visit`, and ask ' +
      '`/api/auth/social/channel/status` every `askAfterMs` until it is signed.',
    output: z.object({
      visit: z
        .string()
        .meta({ description: 'A secret of yours: who has it reads what was signed.' }),
      link: z.string().meta({
        description:
          'Opens the request on a phone: an https address, or one of the protocol’s app.',
      }),
      expiresAtMs: timeOut,
      askAfterMs: z.int(),
    }),
    errors: ['sign_in_unavailable'],
    run: ({ services }) => services.federatedIdentity.openSocialChannel(),
  }),
  publicRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/social/channel/status',
    budget: 'reads',
    operationId: 'getSocialChannel',
    summary: 'See whether the phone has signed, and what',
    description:
      'Hand `message` and `signature` over with the visit at `/api/auth/social/finish`, or at `/api/auth/link`: ' +
      'only there is it judged who signed. Asked sooner than `askAfterMs` after the last time, it is `waiting`.',
    body: z.strictObject({ visit: visitField }),
    output: z.object({
      state: z.enum(['waiting', 'signed']),
      message: z.string().nullable(),
      signature: z.string().nullable(),
    }),
    errors: ['code_expired', 'sign_in_unavailable'],
    run: async ({ services }, { body: { visit } }) => ({
      message: null,
      signature: null,
      ...(await services.federatedIdentity.socialChannelState(visit)),
    }),
  }),
  publicRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/social/finish',
    budget: 'sign_in_check',
    operationId: 'finishSocialSignIn',
    summary: 'Sign in with the signed message; the first time this makes the user',
    description: 'Checks the signed message against the visit that was begun, and signs in.',
    body: z.strictObject({
      visit: visitField,
      message: messageField,
      signature: signatureField,
      tokenIn: tokenInField,
    }),
    output: tokensOut,
    errors: ['sign_in_refused', 'code_expired', 'sign_in_unavailable', 'forbidden'],
    run: async (context, { body: { tokenIn, ...proof } }) =>
      signInBy(context, { kind: 'siwf', ...proof }, tokenIn),
  }),
  userRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/link',
    budget: 'writes',
    operationId: 'linkIdentity',
    summary: 'Add a way of signing in to your account, after a fresh sign-in',
    description:
      'Adds a phone, a Google account or a Farcaster account to the signed-in user, so that each of them leads ' +
      'to the same user. Needs a sign-in of the last few minutes.',
    body: proofBody,
    output: profileOut,
    errors: [
      'fresh_sign_in_required',
      'identity_taken',
      'limit_reached',
      'sign_in_refused',
      'code_invalid',
      'code_expired',
      'too_many_attempts',
      'sign_in_unavailable',
    ],
    run: async (context, { body }) => {
      await context.services.federatedIdentity.link(context, body, clientOf(context));
      return viewProfile(context.services.accounts.profile(context.userId));
    },
  }),
  publicRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/refresh',
    budget: 'writes',
    operationId: 'refreshTokens',
    summary: 'Trade a refresh token for new tokens',
    description:
      'Gives a new access token and a new refresh token. Each refresh token is good for one use; using one ' +
      'twice ends the session, since another client may hold it. Without `refreshToken` in the body that of the ' +
      'cookie is taken, from pages of this very origin alone (`Sec-Fetch-Site: same-origin`, or `Origin`), and ' +
      'the new one replaces it there.',
    body: z
      .strictObject({
        refreshToken: z.string().min(1).max(256).optional(),
        tokenIn: tokenInField,
      })
      .optional(),
    output: tokensOut,
    errors: ['token_invalid', 'token_expired', 'forbidden'],
    run: async (context, { body }) => {
      const given = body?.refreshToken;
      if (given === undefined) return refreshFromCookie(context);
      const tokenIn = body?.tokenIn ?? 'body';
      assertMayKeep(context, tokenIn);
      const signedIn = await context.services.sessions.refresh(given, clientOf(context));
      return viewTokens(context, signedIn, tokenIn);
    },
  }),
  userRoute({
    family: 'auth',
    method: 'POST',
    path: '/api/auth/logout',
    budget: 'writes',
    auth: 'user_without_username',
    status: 204,
    operationId: 'signOut',
    summary: 'End this session and its tokens',
    description:
      'Ends the session of the token the call is made with, and every token of it; a browser forgets its cookie.',
    output: null,
    run: (context) => {
      forgetRefreshToken(context);
      return context.services.sessions.logout(context.sessionId);
    },
  }),
  publicRoute({
    family: 'auth',
    method: 'GET',
    path: '/.well-known/jwks.json',
    budget: 'reads',
    cacheControl: `public, max-age=${TOKENS.keySetCachedSeconds}`,
    reach: 'joined',
    operationId: 'getKeySet',
    summary: 'Public keys of our access tokens (RFC 7517)',
    description:
      'The public keys that access tokens are signed with, for services that check tokens themselves.',
    output: z.object({ keys: z.array(z.record(z.string(), z.string())) }),
    run: ({ services }) => ({ keys: services.sessions.jwks().keys.map((key) => ({ ...key })) }),
  }),
];
