import { z } from 'zod';
import { API } from '../../config/limits/api.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { ABOUT, SOCKET_PATH, tagsOf } from './openapi-about.ts';
import { IDEMPOTENCY_KEY_TEXT } from './idempotency-key.ts';
import { examplesOf, type Examples } from './openapi-examples.ts';
import {
  HEADERS,
  headersOfSuccess,
  PROBLEM_SCHEMA,
  problemsOf,
  sharedResponses,
} from './openapi-parts.ts';
import { parameterSchemaOf, schemaOf, type SharedSchemas } from './openapi-schemas.ts';
import type { Route } from './route.ts';
import type { BytesInput, InputSchemas } from './route-input.ts';
import type { VenueApi } from './venue-api.ts';

/** An OpenAPI 3.1 document as plain data. */
export type OpenApiDocument = { readonly openapi: string } & Readonly<Record<string, unknown>>;

/** Codes any call may answer with. */
const COMMON: readonly ErrorCode[] = [
  'invalid_request',
  'rate_limited',
  'overloaded',
  'shard_moving',
  'internal',
];
/** What changes something needs the owner of the log, and its answer. */
const OF_CHANGES: readonly ErrorCode[] = ['not_owner', 'answer_lost'];
const OF_BODIES: readonly ErrorCode[] = [
  'invalid_json',
  'body_too_large',
  'unsupported_media_type',
];
/**
 * A key may be allowed to read alone, or to trade alone, and some calls take none: so each call may
 * forbid itself.
 */
const OF_USERS: readonly ErrorCode[] = [
  'unauthenticated',
  'token_invalid',
  'token_expired',
  'api_key_invalid',
  'forbidden',
];
const OF_MONEY: readonly ErrorCode[] = ['idempotency_mismatch', 'request_in_progress'];

/** Describes the routes (OpenAPI 3.1.1), all but those for our own services. */
export function openApiDocument({
  routes,
  venues,
  version,
}: {
  readonly routes: readonly Route[];
  readonly venues: readonly VenueApi[];
  readonly version: string;
}): OpenApiDocument {
  const shared: SharedSchemas = { Problem: PROBLEM_SCHEMA };
  const examples = examplesOf(shared, venues);
  const paths = new Map<string, Record<string, unknown>>([['/ws', SOCKET_PATH]]);
  for (const route of routes) {
    if (route.auth === 'internal') continue;
    const path = route.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    paths.set(path, {
      ...paths.get(path),
      [route.method.toLowerCase()]: operation(route, shared, examples),
    });
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'predictd',
      version,
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The daemon this document came from.' }],
    tags: tagsOf(venues),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The accessToken of a sign-in, or the token an API key was exchanged for.',
        },
      },
      headers: HEADERS,
      responses: sharedResponses(),
      schemas: Object.fromEntries(
        Object.entries(shared).map(([name, schema]) => [name, withExample(name, schema, examples)]),
      ),
    },
  };
}

/** The schema of a component, showing one of it. */
function withExample(name: string, schema: unknown, exampleOf: Examples): unknown {
  return typeof schema !== 'object' || schema === null || 'examples' in schema
    ? schema
    : { ...schema, examples: [exampleOf({ $ref: `#/components/schemas/${name}` })] };
}

function operation(
  route: Route,
  shared: SharedSchemas,
  exampleOf: Examples,
): Record<string, unknown> {
  const { input } = route;
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: route.description,
    tags: [route.family],
    security: route.auth === 'public' || route.auth === 'operator' ? [] : [{ bearer: [] }],
    parameters: [
      ...parameters(input.params, 'path', shared),
      ...parameters(input.query, 'query', shared),
      ...headersOf(input),
      ...(route.movesMoney ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(input.bytes === undefined ? {} : { requestBody: bytesOf(input.bytes) }),
    ...(input.body === undefined || input.bytes !== undefined
      ? {}
      : { requestBody: bodyOf(input.body, shared, exampleOf) }),
    responses: {
      [String(route.status)]: successOf(route, shared, exampleOf),
      ...problemsOf(codesOf(route)),
    },
  };
}

function bodyOf(
  body: z.ZodType,
  shared: SharedSchemas,
  exampleOf: Examples,
): Record<string, unknown> {
  const schema = schemaOf(body, 'input', shared);
  return {
    required: !body.safeParse(undefined).success,
    content: { 'application/json': { schema, example: exampleOf(schema) } },
  };
}

/** Bytes as they are have a media type and no schema (OpenAPI 3.1, section 4.8.14.3). */
function bytesOf({ mediaTypes }: BytesInput): Record<string, unknown> {
  return { required: true, content: Object.fromEntries(mediaTypes.map((type) => [type, {}])) };
}

/** Every code a route may answer with, in the order of the table. */
export function codesOf(route: Route): readonly ErrorCode[] {
  return [
    ...new Set([
      ...COMMON,
      ...(route.method === 'GET' ? [] : OF_CHANGES),
      ...(route.input.body === undefined ? [] : OF_BODIES),
      ...(route.auth === 'public'
        ? []
        : route.auth === 'operator'
          ? (['forbidden'] as const)
          : route.auth === 'internal'
            ? (['unauthenticated'] as const)
            : OF_USERS),
      ...(route.auth === 'user' ? (['username_required'] as const) : []),
      ...(route.movesMoney ? OF_MONEY : []),
      ...route.errors,
    ]),
  ];
}

function parameters(
  schema: z.ZodObject | undefined,
  place: 'path' | 'query',
  shared: SharedSchemas,
): readonly Record<string, unknown>[] {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, field]) => {
    // the shape of a ZodObject holds schemas; its type says only that they are of the core
    const type = field as z.ZodType;
    const description = z.globalRegistry.get(type)?.description;
    return {
      name,
      in: place,
      required: place === 'path' || !type.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: parameterSchemaOf(type, place, shared),
    };
  });
}

function headersOf({ headers = {} }: InputSchemas): readonly Record<string, unknown>[] {
  return Object.entries(headers).map(([name, { description, optional = false }]) => ({
    name,
    in: 'header',
    required: !optional,
    description,
    schema: { type: 'string' },
  }));
}

function successOf(
  route: Route,
  shared: SharedSchemas,
  exampleOf: Examples,
): Record<string, unknown> {
  const answer = { description: route.summary, headers: headersOfSuccess(route) };
  if (route.status === 204) return answer;
  const schema =
    route.output === null ? { type: 'string' } : schemaOf(route.output, 'output', shared);
  return {
    ...answer,
    content: Object.fromEntries(
      route.produces.map((type) => [
        type,
        type === 'application/json'
          ? { schema, example: exampleOf(schema) }
          : { schema: { type: 'string' } },
      ]),
    ),
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `1 to ${API.idempotencyKeyMaximumChars} visible ASCII characters (no blanks) of your choice, new for each order: the same key and body give the first answer again, for a day. A call that was refused leaves its key free.`,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: API.idempotencyKeyMaximumChars,
    pattern: IDEMPOTENCY_KEY_TEXT.source,
  },
};
