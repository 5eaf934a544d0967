import { z } from 'zod';
import type { Profile } from '../../services/sign-in/accounts.ts';
import { userRoute } from '../route.ts';
import { timeOut } from './fields.ts';

/** A user in answers. */
export const profileOut = z
  .object({
    userId: z.string(),
    phone: z.string().nullable().meta({ description: 'Masked; null without one.' }),
    identities: z
      .array(z.object({ provider: z.enum(['google', 'siwf']), shown: z.string() }))
      .meta({ description: 'The identity providers you sign in with.' }),
    username: z.string().nullable(),
    wallets: z.object({
      evm: z.string(),
      solana: z.string(),
      safe: z
        .string()
        .meta({ description: 'On Polygon, owned by the EVM wallet; deployed when first needed.' }),
    }),
    account: z
      .enum(['preparing', 'ready'])
      .meta({ description: 'Whether the venue account is open.' }),
    createdAtMs: timeOut,
  })
  .meta({ id: 'Profile' });

/** Writes a user as they see themselves. */
export function viewProfile({
  userId,
  phoneMasked,
  identities,
  username,
  wallets,
  account,
  createdAtMs,
}: Profile): z.input<typeof profileOut> {
  return {
    userId,
    phone: phoneMasked,
    identities: [...identities],
    username,
    wallets: { ...wallets },
    account,
    createdAtMs,
  };
}

/** The user's own profile. */
export const userRoutes = [
  userRoute({
    family: 'user',
    method: 'GET',
    path: '/api/user/profile',
    budget: 'reads',
    auth: 'user_without_username',
    operationId: 'getProfile',
    summary: 'Your profile',
    description:
      'Your user, wallets and ways of signing in, and whether the account at the venue is ready.',
    output: profileOut,
    run: ({ services, userId }) => viewProfile(services.accounts.profile(userId)),
  }),
  userRoute({
    family: 'user',
    method: 'PUT',
    path: '/api/user/profile',
    budget: 'writes',
    auth: 'user_without_username',
    operationId: 'updateProfile',
    summary: 'Choose or change your username, which is needed before anything else',
    description: 'Sets your username. Names that can be confused count as the same.',
    body: z.strictObject({
      username: z
        .string()
        .min(1)
        .max(64)
        .meta({ description: '3 to 20 characters of a–z, 0–9 and underscore.' }),
    }),
    output: profileOut,
    errors: ['username_taken'],
    run: async ({ services, userId }, { body }) =>
      viewProfile(await services.accounts.setUsername(userId, body.username)),
  }),
];
