import { z } from 'zod';
import { AppError, type FieldError } from '../domain/errors.ts';
import { faultSentence } from './fault-sentence.ts';
import type { JsonValue } from '../domain/json-value.ts';

/** Input as it came in: text parameters and a parsed body. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: JsonValue | Uint8Array | undefined;
}

/** A body that is taken as it is, byte for byte. */
export interface BytesInput {
  readonly maximumBytes: number;
  /** Media types it may have; what it is made of the call looks at itself. */
  readonly mediaTypes: readonly string[];
}

/** A header of the call's own, and what its service calls it. */
interface HeaderInput {
  readonly field: string;
  readonly description: string;
  /** True where the call does without it. */
  readonly optional?: boolean;
}

/** Input schemas of a route. Absent parts must be empty; a body may then be the empty object. */
export interface InputSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Fields of the body that the query may give in its place. */
  readonly bodyFromQuery?: readonly string[];
  /** In the place of a body in JSON; `body` is then the bytes as they came. */
  readonly bytes?: BytesInput;
  /** By name; the call reads them itself. */
  readonly headers?: Readonly<Record<string, HeaderInput>>;
}

/** Input as the schemas of a route leave it. */
export interface ParsedInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * What a call without input in its body may carry there: nothing, or the empty object many clients
 * send with every POST.
 */
export const EMPTY_BODY = z
  .strictObject(
    {},
    {
      error: (issue) =>
        issue.code === 'invalid_type' ? 'this call takes no body, or an empty object' : undefined,
    },
  )
  .optional();

/** What a schema leaves of an input; undefined where a call takes nothing there. */
export type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Schema of parameters, where a route has any. */
export type MaybeObject = z.ZodObject | undefined;
/** Schema of a body, where a route has one. */
export type MaybeType = z.ZodType | undefined;

/**
 * Services point at a field by its name; only here is it known that the name is one of the query or
 * of a header. One that the body has is the body's.
 */
export function withPlaces(error: unknown, { query, headers, body }: InputSchemas): unknown {
  if (!(error instanceof AppError) || error.fields.length === 0) return error;
  const inBody = body instanceof z.ZodObject ? body.shape : {};
  const inQuery = body === undefined ? Object.keys(query?.shape ?? {}) : [];
  const places = new Map<string, string>([
    ...inQuery.map((name) => [`/${name}`, `/query/${name}`] as const),
    ...Object.entries(headers ?? {})
      .filter(([, { field }]) => !Object.hasOwn(inBody, field))
      .map(([name, { field }]) => [`/${field}`, `/header/${name.toLowerCase()}`] as const),
  ]);
  const fields = error.fields.map(({ path, message }) => ({
    path: places.get(path) ?? path,
    message,
  }));
  const { code, message, retryable, retryAfterMs, link, cause } = error;
  return new AppError(code, message, {
    retryable,
    fields,
    cause,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
    ...(link === null ? {} : { link }),
  });
}

/** Input as its schemas leave it. Errors: `invalid_request`, with every fault and its path. */
export function parseInput<
  Params extends MaybeObject,
  Query extends MaybeObject,
  Body extends MaybeType,
>(
  schemas: {
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    readonly bodyFromQuery?: readonly string[] | undefined;
  },
  raw: RawInput,
): { readonly params: Parsed<Params>; readonly query: Parsed<Query>; readonly body: Parsed<Body> } {
  const faults: FieldError[] = [];
  const params = parsePart(schemas.params, raw.params, '/path', faults);
  const query = parsePart(schemas.query, raw.query, '/query', faults);
  const body = parsePart(
    schemas.body,
    withFields(schemas.bodyFromQuery ?? [], raw, faults),
    '',
    faults,
  );
  if (schemas.body === undefined) parsePart(EMPTY_BODY, raw.body, '', faults);
  if (schemas.query === undefined)
    faults.push(
      ...Object.keys(raw.query).map((name) => ({
        path: `/query${pointerPart(name)}`,
        message: 'this call takes no such parameter',
      })),
    );
  if (faults.length > 0)
    throw new AppError(
      'invalid_request',
      faults.map(({ path, message }) => `${path === '' ? 'body' : path}: ${message}`).join('; '),
      { fields: faults },
    );
  return { params, query, body };
}

/** The body with what the query gives of it; a field that both give must be the same. */
function withFields(
  names: readonly string[],
  { query, body }: RawInput,
  faults: FieldError[],
): RawInput['body'] {
  if (typeof body !== 'object' || body === null || body instanceof Uint8Array) return body;
  if (Array.isArray(body)) return body;
  const given = Object.entries(query).filter(([name]) => names.includes(name));
  for (const [name, value] of given)
    if (Object.hasOwn(body, name) && Reflect.get(body, name) !== value)
      faults.push({ path: `/query/${name}`, message: 'the body gives another one' });
  return { ...body, ...Object.fromEntries(given) };
}

function parsePart<Schema extends MaybeType>(
  schema: Schema | undefined,
  value: unknown,
  prefix: string,
  faults: FieldError[],
): Parsed<Schema> {
  // without a schema there is nothing to give, which is what Parsed says of undefined
  if (schema === undefined) return undefined as Parsed<Schema>;
  const parsed = schema.safeParse(value, { error: faultSentence });
  if (!parsed.success) faults.push(...fieldErrors(parsed.error, prefix));
  // The one name that a schema open to unknown ones drops without a word.
  else if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
    faults.push({ path: `${prefix}/__proto__`, message: 'there is no such field' });
  // when a part is faulty the caller throws before anybody reads it
  return parsed.data as Parsed<Schema>;
}

/** Most faults listed for one request: an answer must not outgrow its question. */
const FAULTS_MAXIMUM = 20;

/** Faults of a parse as JSON pointers below `prefix`. */
export function fieldErrors(error: z.ZodError, prefix: string): readonly FieldError[] {
  return error.issues.slice(0, FAULTS_MAXIMUM).flatMap((issue) => {
    const path = `${prefix}${issue.path.map(pointerPart).join('')}`;
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    return issue.keys
      .slice(0, FAULTS_MAXIMUM)
      .map((key) => ({ path: `${path}${pointerPart(key)}`, message: 'there is no such field' }));
  });
}

/** One part of a JSON pointer (RFC 6901, section 4). */
function pointerPart(part: PropertyKey): string {
  return `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
