import { z } from 'zod';
import { API_KEYS } from '../../../config/limits/identity.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { asId, type UserId } from '../../domain/ids.ts';
import { formatMicros, type UsdcMicros } from '../../domain/units.ts';
import { KEY_SCOPES } from '../../ports/identity.ts';
import type { ApiKeyView } from '../../services/api-keys/api-keys.ts';
import { ERROR_RESPONSES } from '../errors.ts';
import { internalRoute, userRoute } from '../route.ts';
import { pageFields, pageOf, pageOut, timeOut, usdcOut } from './fields.ts';
import { keyLimitsOf, keyRequest } from './key-request.ts';

const scopeField = z.enum(KEY_SCOPES);
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
    state: z.enum(['active', 'expired', 'revoked']),
    createdAtMs: timeOut,
    lastUsedAtMs: timeOut.nullable().meta({ description: 'To the minute.' }),
    revokedAtMs: timeOut.nullable(),
    limits: z
      .object({
        maxOrderSize: usdcOut.nullable().meta({
          description: 'Most USDC that one call may set aside, fee included.',
        }),
        maxPerDay: usdcOut.nullable().meta({
          description: 'Most USDC that the calls of one UTC day may set aside together.',
        }),
        venues: z.array(z.string()).nullable(),
        tools: z.array(z.string()).nullable(),
        confirmAbove: usdcOut.nullable().meta({
          description: 'What one call may set aside before you are asked.',
        }),
        expiresAtMs: timeOut.nullable(),
      })
      .meta({
        id: 'ApiKeyLimits',
        description: 'What the key is held to beside its scopes; null where nothing binds.',
      }),
  })
  .meta({ id: 'ApiKey' });

function viewKey({ scopes, limits, ...key }: ApiKeyView): z.input<typeof keyOut> {
  const { orderUsdc, dayUsdc, venues, tools, confirmAboveUsdc, expiresAtMs } = limits;
  const money = (micros: UsdcMicros | null) => (micros === null ? null : formatMicros(micros));
  return {
    ...key,
    scopes: [...scopes],
    limits: {
      maxOrderSize: money(orderUsdc),
      maxPerDay: money(dayUsdc),
      venues: venues === null ? null : [...venues],
      tools: tools === null ? null : [...tools],
      confirmAbove: money(confirmAboveUsdc),
      expiresAtMs,
    },
  };
}

const activityOut = z
  .object({
    calledAtMs: timeOut,
    tool: z.string(),
    arguments: z.string().meta({ description: 'JSON as it came, cut short.' }),
    refusal: z.string().nullable().meta({ description: 'The error code; null where answered.' }),
    result: z.string().meta({ description: 'The answer as it was given, cut short.' }),
  })
  .meta({ id: 'ApiKeyCall' });

/**
 * Keys for programs. An active key cannot be deleted: it is revoked first. No key reaches these.
 */
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
      'Makes a key for a program. The key itself is in this answer and never shown again. One that may do more than ' +
      'read needs a sign-in of the last few minutes. Limits are held in the same transaction as all caps; a key with ' +
      'any but an end opens the tools of MCP alone, and not the calls here.',
    body: keyRequest,
    output: keyOut.extend({ key: z.string() }).meta({ id: 'NewApiKey' }),
    errors: ['limit_reached', 'fresh_sign_in_required'],
    run: async ({ services, userId, authenticatedAtMs, wallNowMs }, { body }) => {
      const { name, scopes } = body;
      const limits = keyLimitsOf(body, services.grantable, wallNowMs);
      const { key, ...rest } = await services.apiKeys.create(
        { userId, authenticatedAtMs },
        { name, scopes, limits },
      );
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
    method: 'GET',
    path: '/api/user/keys/:id/activity',
    budget: 'reads',
    operationId: 'listApiKeyActivity',
    summary: 'See what was done with a key through MCP, newest first',
    description: `Every call of a tool with the key: what was asked, and what was answered. The newest ${API_KEYS.activityKept} are shown.`,
    params: z.object({ id: keyIdField }),
    query: z.strictObject(pageFields),
    output: pageOut(activityOut),
    errors: ['not_found'],
    run({ services, userId }, { params, query }) {
      const page = services.keyActivity.list(userId, params.id, pageOf(query));
      return {
        data: page.data.map(({ userId: _user, keyId: _key, atMs, ...call }) => ({
          calledAtMs: atMs,
          ...call,
        })),
        nextCursor: page.nextCursor,
      };
    },
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
    summary: 'Delete a key that was revoked or has expired',
    description: 'Takes a key off the list. One that is active is revoked first.',
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
      tools: z.array(z.string()).nullable().meta({
        description: 'MCP tools the key may call; null where its scopes alone decide.',
      }),
      venues: z
        .array(z.string())
        .nullable()
        .meta({ description: 'Where the key may trade; null where nothing binds.' }),
      accessToken: z.string(),
      tokenType: z.literal('Bearer'),
      accessExpiresAtMs: timeOut,
    }),
    errors: ['api_key_invalid'],
    run: async ({ services }, { body }) => {
      const { scopes, limits, ...token } = await services.apiKeys.exchange(body.key);
      return {
        ...token,
        scopes: [...scopes],
        tools: limits.tools === null ? null : [...limits.tools],
        venues: limits.venues === null ? null : [...limits.venues],
        tokenType: 'Bearer' as const,
      };
    },
  }),
  internalRoute({
    family: 'internal',
    method: 'POST',
    path: '/internal/api-keys/activity',
    budget: 'none',
    operationId: 'recordApiKeyActivity',
    summary: 'Store what was done with a key through MCP',
    description: 'For an MCP server that runs apart: the line of a call it has answered.',
    body: z.strictObject({
      userId: z.string().max(64),
      keyId: keyIdField,
      atMs: z.int().nonnegative(),
      tool: z.string().regex(/^[a-z0-9_]{1,64}$/, 'the name of a tool'),
      arguments: z.string().max(API_KEYS.recordedChars),
      refusal: z
        .string()
        .refine((code) => Object.hasOwn(ERROR_RESPONSES, code), 'an error code')
        .transform((code) => code as ErrorCode) // just looked up
        .nullable(),
      result: z.string().max(API_KEYS.recordedChars),
    }),
    status: 204,
    output: null,
    errors: ['store_unavailable'],
    run: ({ services }, { body }) =>
      services.keyActivity.record({ ...body, userId: asId<UserId>(body.userId) }),
  }),
];
