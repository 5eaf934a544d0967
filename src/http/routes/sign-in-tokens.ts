import { z } from 'zod';
import type { Profile } from '../../services/sign-in/accounts.ts';
import type { Client } from '../../services/sign-in/client.ts';
import type { SignedIn } from '../../services/sign-in/sessions.ts';
import { assertOwnPage, keepRefreshToken } from '../refresh-cookie.ts';
import type { CallContext } from '../route.ts';
import { timeOut } from './fields.ts';
import { profileOut, viewProfile } from './user.ts';

/** Tokens in answers. */
export const tokensOut = z
  .object({
    accessToken: z.string(),
    tokenType: z.literal('Bearer'),
    accessExpiresAtMs: timeOut,
    refreshToken: z.string().optional().meta({
      description:
        'Good for one use; using it twice ends the session. Absent where it went into a cookie.',
    }),
    refreshExpiresAtMs: timeOut,
    user: profileOut,
  })
  .meta({ id: 'SignedIn' });

/** Where the answer has the refresh token. */
export const tokenInField = z.enum(['body', 'cookie'], 'one of body, cookie').default('body').meta({
  description:
    'Where the answer has the refresh token: in its body, or, for pages of this very origin, in a cookie that no script reads (HttpOnly, SameSite=Strict, for `/api/auth` alone).',
});
export type TokenIn = z.output<typeof tokenInField>;

/** Writes fresh tokens and whose they are. Errors: `forbidden` for a cookie to another origin. */
export function viewTokens(
  context: CallContext,
  signedIn: SignedIn,
  tokenIn: TokenIn,
): z.input<typeof tokensOut> {
  const { accessToken, accessExpiresAtMs, refreshToken, refreshExpiresAtMs } = signedIn;
  const profile: Profile = context.services.accounts.profile(signedIn.userId);
  if (tokenIn === 'cookie') keepRefreshToken(context, refreshToken, refreshExpiresAtMs);
  return {
    accessToken,
    tokenType: 'Bearer',
    accessExpiresAtMs,
    ...(tokenIn === 'cookie' ? {} : { refreshToken }),
    refreshExpiresAtMs,
    user: viewProfile(profile),
  };
}

/** Checks that the cookie can be set, before anyone is signed in. Errors: `forbidden`. */
export function assertMayKeep(context: CallContext, tokenIn: TokenIn): void {
  if (tokenIn === 'cookie') assertOwnPage(context);
}

/** Programs tell more of themselves than anybody needs; this much tells two devices apart. */
const PROGRAM_MAXIMUM_CHARS = 256;

/** Who is at the other end. */
export function clientOf({ address, header }: CallContext): Client {
  return { address, program: (header('user-agent') ?? '').slice(0, PROGRAM_MAXIMUM_CHARS) };
}
