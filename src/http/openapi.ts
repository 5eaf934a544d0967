import { z } from 'zod';
import { SURFACE } from '../../config/limits.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { ABOUT, SOCKET_PATH, TAGS } from './openapi-about.ts';
import { IDEMPOTENCY_KEY_TEXT } from './idempotency-key.ts';
import { exampleOf } from './openapi-examples.ts';
import {
  HEADERS,
  headersOfSuccess,
  PROBLEM_SCHEMA,
  problemsOf,
  sharedResponses,
} from './openapi-parts.ts';
import { parameterSchemaOf, schemaOf, type SharedSchemas } from './openapi-schemas.ts';
import type { InputSchemas, Route } from './route.ts';

/** An OpenAPI 3.1 document as plain data. */
export type OpenApiDocument = { readonly openapi: string } & Readonly<Record<string, unknown>>;

/** Codes any call may answer with. */
const COMMON: readonly ErrorCode[] = ['invalid_request', 'rate_limited', 'overloaded', 'internal'];
const OF_BODIES: readonly ErrorCode[] = ['invalid_json', 'body_too_large'];
/** A key may be allowed to read alone, or to trade alone, and some calls take none: so each call may forbid itself. */
const OF_USERS: readonly ErrorCode[] = [
  'unauthenticated',
  'token_invalid',
  'token_expired',
  'forbidden',
];
const OF_MONEY: readonly ErrorCode[] = ['idempotency_mismatch', 'request_in_progress'];

const documents = new Map<string, OpenApiDocument>();

/** Describes the routes (OpenAPI 3.1.1), all but those for our own services. Built once a version. */
export function openApiDocument(routes: readonly Route[], version: string): OpenApiDocument {
  const built = documents.get(version) ?? build(routes, version);
  documents.set(version, built);
  return built;
}

function build(routes: readonly Route[], version: string): OpenApiDocument {
  const shared: SharedSchemas = { Problem: PROBLEM_SCHEMA };
  const paths = new Map<string, Record<string, unknown>>([['/ws', SOCKET_PATH]]);
  for (const route of routes) {
    if (route.auth === 'internal') continue;
    const path = route.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    paths.set(path, { ...paths.get(path), [route.method.toLowerCase()]: operation(route, shared) });
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
    tags: TAGS,
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
        Object.entries(shared).map(([name, schema]) => [name, withExample(name, schema, shared)]),
      ),
    },
  };
}

/** The schema of a component, showing one of it. */
function withExample(name: string, schema: unknown, shared: SharedSchemas): unknown {
  return typeof schema !== 'object' || schema === null || 'examples' in schema
    ? schema
    : { ...schema, examples: [exampleOf({ $ref: `#/components/schemas/${name}` }, shared)] };
}

function operation(route: Route, shared: SharedSchemas): Record<string, unknown> {
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
    ...(input.body === undefined ? {} : { requestBody: bodyOf(input.body, shared) }),
    responses: { [String(route.status)]: successOf(route, shared), ...problemsOf(codesOf(route)) },
  };
}

function bodyOf(body: z.ZodType, shared: SharedSchemas): Record<string, unknown> {
  const schema = schemaOf(body, 'input', shared);
  return {
    required: !body.safeParse(undefined).success,
    content: { 'application/json': { schema, example: exampleOf(schema, shared) } },
  };
}

/** Every code a route may answer with, in the order of the table. */
export function codesOf(route: Route): readonly ErrorCode[] {
  return [
    ...new Set([
      ...COMMON,
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

function successOf(route: Route, shared: SharedSchemas): Record<string, unknown> {
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
          ? { schema, example: exampleOf(schema, shared) }
          : { schema: { type: 'string' } },
      ]),
    ),
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `1 to ${SURFACE.idempotencyKeyMaximumChars} visible ASCII characters (no blanks) of your choice, new for each order: the same key and body give the first answer again, for a day.`,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: SURFACE.idempotencyKeyMaximumChars,
    pattern: IDEMPOTENCY_KEY_TEXT.source,
  },
};
