import { z } from 'zod';
import { API_KEYS } from '../../../config/limits/identity.ts';
import { KEY_SCOPES } from '../../ports/identity.ts';
import type { ApiKeyView } from '../../services/api-keys/api-keys.ts';
import { internalRoute, userRoute } from '../route.ts';
import { timeOut } from './fields.ts';

const scopeField = z.enum(KEY_SCOPES, { error: KEY_SCOPES.join(', ') });
const keyIdField = z
  .string()
  .regex(/^key_[0-9a-z]{26}$/, 'the keyId of a key')
  .meta({
    description: 'The keyId of a key of yours.',
    examples: ['key_01j9zq4t8xg6q2w5e7r9t1y3u5'],
  });

const keyOut = z
  .object({
    keyId: z.string(),
    name: z.string(),
    prefix: z.string().meta({ description: 'How the key begins, to recognise it by.' }),
    scopes: z.array(scopeField),
    state: z.enum(['active', 'revoked']),
    createdAtMs: timeOut,
    lastUsedAtMs: timeOut.nullable().meta({ description: 'To the minute.' }),
    revokedAtMs: timeOut.nullable(),
  })
  .meta({ id: 'ApiKey' });

function viewKey({ scopes, ...key }: ApiKeyView): z.input<typeof keyOut> {
  return { ...key, scopes: [...scopes] };
}

/** Keys for programs. A key is revoked first; only a revoked key can be deleted. No key reaches these. */
export const keyRoutes = [
  userRoute({
    family: 'keys',
    method: 'POST',
    path: '/api/user/keys/',
    budget: 'writes',
    status: 201,
    operationId: 'createApiKey',
    summary: 'Create an API key; it is shown this once',
    description:
      'Makes a key for a program. The key itself is in this answer and never shown again. Needs a sign-in of ' +
      'the last few minutes.',
    body: z.strictObject({
      name: z.string().trim().min(1).max(API_KEYS.nameMaximumChars),
      scopes: z
        .array(scopeField)
        .min(1)
        .max(KEY_SCOPES.length)
        .refine((all) => new Set(all).size === all.length, 'each scope once')
        .default(['read'])
        .meta({ description: 'What the key may do: read alone, unless said otherwise.' }),
    }),
    output: keyOut.extend({ key: z.string() }).meta({ id: 'NewApiKey' }),
    errors: ['limit_reached', 'fresh_sign_in_required'],
    run: async ({ services, userId, authenticatedAtMs }, { body }) => {
      const { key, ...rest } = await services.apiKeys.create({ userId, authenticatedAtMs }, body);
      return { ...viewKey(rest), key };
    },
  }),
  userRoute({
    family: 'keys',
    method: 'GET',
    path: '/api/user/keys/',
    budget: 'reads',
    operationId: 'listApiKeys',
    summary: 'List your API keys, oldest first',
    description:
      'Your keys by name and beginning, with what each may do and when it was last used. The keys themselves ' +
      'are not shown.',
    output: z.object({ data: z.array(keyOut), nextCursor: z.null() }),
    run: ({ services, userId }) => ({
      data: services.apiKeys.list(userId).map(viewKey),
      nextCursor: null,
    }),
  }),
  userRoute({
    family: 'keys',
    method: 'POST',
    path: '/api/user/keys/:id/revoke/',
    budget: 'stops',
    operationId: 'revokeApiKey',
    summary: 'Revoke a key: it and all it was traded for end at once',
    description:
      'The key, and every token it was exchanged for, ends at once. Revoking a revoked key changes nothing.',
    params: z.object({ id: keyIdField }),
    output: keyOut,
    errors: ['not_found'],
    run: async ({ services, userId }, { params }) =>
      viewKey(await services.apiKeys.revoke(userId, params.id)),
  }),
  userRoute({
    family: 'keys',
    method: 'DELETE',
    path: '/api/user/keys/:id/',
    budget: 'writes',
    status: 204,
    operationId: 'deleteApiKey',
    summary: 'Delete a revoked key',
    description: 'Takes a revoked key off the list. Revoke it first.',
    params: z.object({ id: keyIdField }),
    output: null,
    errors: ['not_found', 'key_not_revoked'],
    run: ({ services, userId }, { params }) => services.apiKeys.remove(userId, params.id),
  }),
  internalRoute({
    family: 'internal',
    method: 'POST',
    path: '/internal/api-keys/exchange',
    budget: 'none',
    operationId: 'exchangeApiKey',
    summary: 'Trade an API key for a token of two minutes',
    description: 'Gives a short-lived access token for an API key.',
    body: z.strictObject({ key: z.string().min(1).max(256) }),
    output: z.object({
      userId: z.string(),
      keyId: z.string(),
      scopes: z.array(scopeField),
      accessToken: z.string(),
      tokenType: z.literal('Bearer'),
      accessExpiresAtMs: timeOut,
    }),
    errors: ['api_key_invalid'],
    run: async ({ services }, { body }) => {
      const { scopes, ...token } = await services.apiKeys.exchange(body.key);
      return { ...token, scopes: [...scopes], tokenType: 'Bearer' as const };
    },
  }),
];
