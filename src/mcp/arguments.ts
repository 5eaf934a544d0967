import type { z } from 'zod';
import { MCP } from '../../config/limits/mcp.ts';
import { AppError, type FieldError } from '../domain/errors.ts';
import type { JsonValue } from '../domain/json-value.ts';
import { parameterSchemaOf, type SharedSchemas } from '../http/openapi-schemas.ts';
import type { Route } from '../http/route.ts';
import { brief, objectSchema, type JsonSchema, type ObjectSchema } from './json-schema.ts';
import type { Tool } from './tool.ts';

/** Arguments as a caller gives them. */
export type Given = Readonly<Record<string, JsonValue>>;

/** A call of a route as the arguments of a tool make it. */
export interface RouteCall {
  readonly route: Route;
  /** With its parameters filled in. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Undefined where the route takes none. */
  readonly body: JsonValue | undefined;
}

/** What a tool takes, and what becomes of it. */
export interface ToolArguments {
  readonly route: Route;
  readonly schema: ObjectSchema;
  /** True for a list, whose pages can be made shorter. */
  readonly isPaged: boolean;
  /**
   * Makes the call; its route checks all the rest, by the schemas this one was made of. Errors:
   * `invalid_request` for what has no place in it, and for what is missing; `more` names the
   * arguments that are known beside these.
   */
  toCall(given: Given, more?: readonly string[]): RouteCall;
}

/** Half a character of UTF-16, which no URL can hold. */
const LONE_SURROGATE = /\p{Surrogate}/u;

type Place = 'params' | 'query' | 'body';

/** An argument: where it goes, and what it is called there. */
interface Argument {
  readonly name: string;
  readonly field: string;
  readonly place: Place;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

const PAGE_LIMIT: JsonSchema = {
  type: 'integer',
  minimum: 1,
  maximum: MCP.pageMaximum,
  default: MCP.pageDefault,
};

/** Models know days better than epochs. */
const MOMENT: JsonSchema = { type: 'string', description: 'ISO 8601, or epoch ms.' };

/** How arguments of a tool are called and described. */
type Naming = Pick<Tool, 'renamed' | 'says' | 'unlisted'>;

/** Derives what a tool takes from the schemas of its route. */
export function toolArguments(naming: Naming, route: Route): ToolArguments {
  const { renamed = {}, says = {}, unlisted = [] } = naming;
  const { params, query, body, bodyFromQuery = [] } = route.input;
  const written = body === undefined ? null : objectSchema(body, 'input');
  const fields = [
    ...parameters('params', params),
    ...parameters('query', query).filter(({ field }) => !bodyFromQuery.includes(field)),
    ...Object.entries(written?.properties ?? {}).map(([field, schema]) => ({
      field,
      place: 'body' as const,
      schema,
      isRequired: written?.required.includes(field) === true,
    })),
  ].map((each): Argument => {
    const name = renamed[each.field] ?? each.field;
    const schema = each.field.endsWith('AtMs') ? MOMENT : described(each.schema, says[name]);
    return { ...each, name, schema };
  });
  const byName = new Map(fields.map((each) => [each.name, each]));
  if (byName.size < fields.length)
    throw new Error(`invariant broken: two arguments of ${route.operationId} have one name`);
  const listed = fields.filter(({ name }) => !unlisted.includes(name));
  return {
    route,
    isPaged: query !== undefined && 'limit' in query.shape,
    schema: {
      properties: Object.fromEntries(listed.map(({ name, schema }) => [name, schema])),
      required: listed.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    },
    toCall: (given, more = []) => callOf({ route, byName, more }, given),
  };
}

/** Puts the arguments of several routes into one list: a name is one thing in all of them. */
export function joinedSchema(all: readonly ObjectSchema[]): ObjectSchema {
  const [first = { properties: {}, required: [] }] = all;
  const properties: Record<string, JsonSchema> = {};
  for (const each of all)
    for (const [name, schema] of Object.entries(each.properties))
      properties[name] = joined(properties[name], schema);
  return {
    properties,
    required: first.required.filter((name) => all.every((each) => each.required.includes(name))),
  };
}

/** What either takes; a default only where both have the same. */
function joined(before: JsonSchema | undefined, schema: JsonSchema): JsonSchema {
  if (before === undefined) return schema;
  const choices = [before['enum'], schema['enum']].flatMap((each) =>
    Array.isArray(each) ? each : [],
  );
  const { default: usual, ...rest } = before;
  return {
    ...rest,
    ...(choices.length === 0 ? {} : { enum: [...new Set(choices)] }),
    ...(usual === undefined || usual !== schema['default'] ? {} : { default: usual }),
  };
}

function described(schema: JsonSchema, says: string | JsonSchema | undefined): JsonSchema {
  if (says === undefined) return schema;
  if (typeof says !== 'string') return says;
  const { description: _longer, ...rest } = schema;
  return says === '' ? rest : { ...rest, description: says };
}

function parameters(
  place: 'params' | 'query',
  schema: z.ZodObject | undefined,
): readonly Omit<Argument, 'name'>[] {
  if (schema === undefined) return [];
  const { required } = objectSchema(schema, 'input');
  const shared: SharedSchemas = {};
  return Object.entries(schema.shape).map(([field, each]) => ({
    field,
    place,
    isRequired: required.includes(field),
    schema:
      field === 'limit' && place === 'query'
        ? PAGE_LIMIT
        : // a field of a ZodObject is a type of zod's
          brief(
            parameterSchemaOf(each as z.ZodType, place === 'params' ? 'path' : 'query', shared),
          ),
  }));
}

function callOf(
  {
    route,
    byName,
    more,
  }: {
    readonly route: Route;
    readonly byName: ReadonlyMap<string, Argument>;
    readonly more: readonly string[];
  },
  given: Given,
): RouteCall {
  const faults: FieldError[] = [];
  const parts = { params: {}, query: {}, body: {} } as {
    readonly params: Record<string, string>;
    readonly query: Record<string, string>;
    readonly body: Record<string, JsonValue>;
  };
  for (const [name, sent_] of Object.entries(given)) {
    const argument = byName.get(name);
    if (argument === undefined) continue;
    const { place, field } = argument;
    const value = field.endsWith('AtMs') ? momentOf(sent_) : sent_;
    if (place === 'body') parts.body[field] = value;
    else if (!isScalar(value) || (place === 'params' && !isPathPart(value)))
      faults.push({ path: `/${name}`, message: 'must be a text, a number, true or false' });
    else if (LONE_SURROGATE.test(String(value)))
      faults.push({ path: `/${name}`, message: 'must hold whole characters' });
    else parts[place][field] = String(value);
  }
  const unknown = Object.keys(given).filter((name) => !byName.has(name));
  const sent = unknown.map((name) => `\`${name}\``).join(', ');
  for (const { name, isRequired } of byName.values())
    if (isRequired && !Object.hasOwn(given, name))
      faults.push({
        path: `/${name}`,
        message: `\`${name}\` is missing${sent === '' ? '' : `; you sent ${sent}`}`,
      });
  const known = [...byName.keys(), ...more].join(', ');
  for (const name of unknown)
    faults.push({
      path: `/${name}`,
      message: `there is no such argument${known === '' ? '' : `; known: ${known}`}`,
    });
  if (faults.length > 0) throw invalid(faults);
  return {
    route,
    path: route.path.replace(/:(\w+)/g, (_all, field: string) =>
      encodeURIComponent(String(parts.params[field])),
    ),
    params: parts.params,
    query: parts.query,
    body: route.input.body === undefined ? undefined : parts.body,
  };
}

/** Refuses arguments, each with what is wrong with it. */
export function invalid(faults: readonly FieldError[]): AppError {
  return new AppError(
    'invalid_request',
    faults.map(({ path, message }) => `${path}: ${message}`).join('; '),
    { fields: faults },
  );
}

/** A moment may come as ISO 8601 too. */
function momentOf(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return value;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? value : atMs;
}

function isScalar(value: JsonValue): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** A part that a URL keeps as it is: an empty one and the two that lead elsewhere are none. */
function isPathPart(value: string | number | boolean): boolean {
  return !['', '.', '..'].includes(String(value));
}

/** Says what a route found wrong, in the names of the tool. */
export function argumentPath({ renamed = {} }: Pick<Tool, 'renamed'>, path: string): string {
  const field = path.replace(/^\/(query|path)\//, '/');
  const [, first = '', rest = ''] = /^\/([^/]*)(.*)$/.exec(field) ?? [];
  return first === 'header' ? path : `/${renamed[first] ?? first}${rest}`;
}
