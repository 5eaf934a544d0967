import type { z } from 'zod';
import { MCP } from '../../config/limits/mcp.ts';
import { AppError, type FieldError } from '../domain/errors.ts';
import type { JsonValue } from '../domain/json-value.ts';
import { parameterSchemaOf, type SharedSchemas } from '../http/openapi-schemas.ts';
import type { Route } from '../http/route.ts';
import { objectSchema, whole, type JsonSchema } from './json-schema.ts';
import type { Tool } from './tool.ts';

/** Arguments as a caller gives them. */
export type Given = Readonly<Record<string, JsonValue>>;

/** A call of a route as the arguments of a tool make it. */
export interface RouteCall {
  readonly route: Route;
  /** With its parameters filled in. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Undefined where the route takes none. */
  readonly body: JsonValue | undefined;
}

/** What a tool takes, and what becomes of it. */
export interface ToolArguments {
  readonly schema: JsonSchema;
  /** True for a list, whose pages can be made shorter. */
  readonly isPaged: boolean;
  /**
   * Makes the call; its route checks all the rest, by the schemas this one was made of. Errors:
   * `invalid_request` for what has no place in it.
   */
  toCall(given: Given): RouteCall;
}

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
  description: `Entries on a page, 1 to ${MCP.pageMaximum}; a page of long ones may be shorter.`,
};

/** Derives what a tool takes from the schemas of its route. */
export function toolArguments(
  { renamed = {} }: Pick<Tool, 'renamed'>,
  route: Route,
): ToolArguments {
  const { params, query, body } = route.input;
  const written = body === undefined ? null : objectSchema(body, 'input');
  const fields = [
    ...parameters('params', params),
    ...parameters('query', query),
    ...Object.entries(written?.properties ?? {}).map(([field, schema]) => ({
      field,
      place: 'body' as const,
      schema,
      isRequired: written?.required.includes(field) === true,
    })),
  ].map((each): Argument => ({ ...each, name: renamed[each.field] ?? each.field }));
  const byName = new Map(fields.map((each) => [each.name, each]));
  if (byName.size < fields.length)
    throw new Error(`invariant broken: two arguments of ${route.operationId} have one name`);
  return {
    isPaged: query !== undefined && 'cursor' in query.shape,
    schema: whole({
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
      required: fields.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
      definitions: written?.definitions ?? {},
    }),
    toCall: (given) => callOf(route, byName, given),
  };
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
        : // a field of a ZodObject is a type of zod's, and a schema of a parameter an object
          (parameterSchemaOf(
            each as z.ZodType,
            place === 'params' ? 'path' : 'query',
            shared,
          ) as JsonSchema),
  }));
}

function callOf(route: Route, byName: ReadonlyMap<string, Argument>, given: Given): RouteCall {
  const faults: FieldError[] = [];
  const parts: Record<Place, Record<string, JsonValue>> = { params: {}, query: {}, body: {} };
  for (const [name, value] of Object.entries(given)) {
    const argument = byName.get(name);
    if (argument === undefined) {
      faults.push({ path: `/${name}`, message: 'there is no such argument' });
      continue;
    }
    const { place, field } = argument;
    if (place === 'body') parts.body[field] = value;
    else if (!isScalar(value) || (place === 'params' && !isPathPart(value)))
      faults.push({ path: `/${name}`, message: 'must be a text, a number, true or false' });
    else parts[place][field] = String(value);
  }
  for (const { name, place, field } of byName.values())
    if (place === 'params' && parts.params[field] === undefined && !(name in given))
      faults.push({ path: `/${name}`, message: 'is required' });
  if (faults.length > 0)
    throw new AppError(
      'invalid_request',
      faults.map(({ path, message }) => `${path}: ${message}`).join('; '),
      { fields: faults },
    );
  return {
    route,
    path: route.path.replace(/:(\w+)/g, (_all, field: string) =>
      encodeURIComponent(String(parts.params[field])),
    ),
    query: Object.fromEntries(
      Object.entries(parts.query).map(([field, value]) => [field, String(value)]),
    ),
    body: route.input.body === undefined ? undefined : parts.body,
  };
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
