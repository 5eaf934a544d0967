import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.ts';
import { ERROR_FACES } from './errors.ts';
import { PROBLEM_TYPE } from './problem.ts';
import type { InputSchemas, Route } from './route.ts';

/** An OpenAPI 3.1 document as plain data. */
export type OpenApiDocument = { readonly openapi: string } & Readonly<Record<string, unknown>>;

/** Codes any call may answer with. */
const COMMON: readonly ErrorCode[] = ['invalid_request', 'rate_limited', 'overloaded', 'internal'];
const OF_BODIES: readonly ErrorCode[] = ['invalid_json', 'body_too_large'];
/** A key may be allowed to read alone, or to trade alone, and some calls take none: so each call may forbid itself. */
const OF_USERS: readonly ErrorCode[] = ['unauthenticated', 'token_invalid', 'token_expired', 'forbidden'];
const OF_MONEY: readonly ErrorCode[] = ['idempotency_mismatch', 'request_in_progress'];

const documents = new Map<string, OpenApiDocument>();

/** Describes the routes (OpenAPI 3.1.1), all but those for our own services. Built once a version. */
export function openApiDocument(routes: readonly Route[], version: string): OpenApiDocument {
  const built = documents.get(version) ?? build(routes, version);
  documents.set(version, built);
  return built;
}

function build(routes: readonly Route[], version: string): OpenApiDocument {
  const shared: Record<string, unknown> = { Problem: PROBLEM_SCHEMA };
  const paths = new Map<string, Record<string, unknown>>();
  for (const route of routes) {
    if (route.auth === 'internal') continue;
    const path = route.path.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    paths.set(path, { ...paths.get(path), [route.method.toLowerCase()]: operation(route, shared) });
  }
  return {
    openapi: '3.1.1',
    info: { title: 'predictd', version, description: 'Prediction-market trading by hand and through agents. Each path answers with and without its trailing slash.' },
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: shared,
    },
  };
}

function operation(route: Route, shared: Record<string, unknown>): Record<string, unknown> {
  const { input } = route;
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: route.description,
    tags: [route.family],
    security: route.auth === 'public' || route.auth === 'operator' ? [] : [{ bearer: [] }],
    parameters: [...parameters(input.params, 'path', shared), ...parameters(input.query, 'query', shared), ...headersOf(input), ...(route.movesMoney ? [IDEMPOTENCY_KEY] : [])],
    ...(input.body === undefined ? {} : { requestBody: { required: !input.body.safeParse(undefined).success, content: { 'application/json': { schema: schemaOf(input.body, 'input', shared) } } } }),
    responses: { [String(route.status)]: successOf(route, shared), ...problemsOf(codesOf(route)) },
  };
}

/** Every code a route may answer with, in the order of the table. */
export function codesOf(route: Route): readonly ErrorCode[] {
  return [
    ...new Set([
      ...COMMON,
      ...(route.input.body === undefined ? [] : OF_BODIES),
      ...(route.auth === 'public' ? [] : route.auth === 'operator' ? (['forbidden'] as const) : route.auth === 'internal' ? (['unauthenticated'] as const) : OF_USERS),
      ...(route.auth === 'user' ? (['username_required'] as const) : []),
      ...(route.movesMoney ? OF_MONEY : []),
      ...route.errors,
    ]),
  ];
}

function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query', shared: Record<string, unknown>): readonly Record<string, unknown>[] {
  if (schema === undefined) return [];
  return Object.entries(schema.shape).map(([name, field]) => {
    // the shape of a ZodObject holds schemas; its type says only that they are of the core
    const type = field as z.ZodType;
    return { name, in: place, required: place === 'path' || !type.safeParse(undefined).success, schema: schemaOf(type, 'input', shared) };
  });
}

function headersOf({ headers = {} }: InputSchemas): readonly Record<string, unknown>[] {
  return Object.entries(headers).map(([name, { description, optional = false }]) => ({ name, in: 'header', required: !optional, description, schema: { type: 'string' } }));
}

function successOf(route: Route, shared: Record<string, unknown>): Record<string, unknown> {
  const description = route.summary;
  if (route.status === 204) return { description };
  const schema = route.output === null ? { type: 'string' } : schemaOf(route.output, 'output', shared);
  return { description, content: Object.fromEntries(route.produces.map((type) => [type, { schema }])) };
}

function problemsOf(codes: readonly ErrorCode[]): Record<string, unknown> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_FACES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => [
      String(status),
      { description: those.map((code) => `${code}: ${ERROR_FACES[code].title}`).join(' '), content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } } },
    ]),
  );
}

/** Writes a schema; named ones go to `shared`, where the whole document finds them. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', shared: Record<string, unknown>): unknown {
  const { $schema: _dialect, $defs = {}, ...root } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any' });
  for (const [name, definition] of Object.entries($defs)) shared[name] = relocated(definition);
  const { id } = root;
  if (typeof id !== 'string') return relocated(root);
  shared[id] = relocated(root);
  return { $ref: `#/components/schemas/${id}` };
}

/** The same schema with its references pointing into the document, and without the names that were only for us. */
function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== 'id' || typeof member !== 'string')
      .map(([name, member]) => [name, name === '$ref' ? String(member).replace('#/$defs/', '#/components/schemas/') : relocated(member)]),
  );
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Any text of your choice, new for each order: the same key and body give the first answer again, for a day.',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
};

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'RFC 9457 problem.',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId', 'errors'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(ERROR_FACES) },
    requestId: { type: 'string' },
    errors: { type: 'array', items: { type: 'object', required: ['path', 'message'], properties: { path: { type: 'string' }, message: { type: 'string' } } } },
  },
};
