import { z } from 'zod';

/** A JSON Schema (draft 2020-12) as it is written. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An object's schema, and what its references lead to. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

/**
 * Writes the schema of an object. What is no object is a programmer's error: tools take and give
 * objects alone.
 */
export function objectSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const written = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  });
  const { $defs = {} } = written;
  const name = /^#\/\$defs\/(.+)$/.exec(written.$ref ?? '')?.[1];
  const { properties, required = [], type } = name === undefined ? written : ($defs[name] ?? {});
  if (type !== 'object' || properties === undefined)
    throw new Error('invariant broken: a tool takes and gives objects');
  return {
    properties: schemas(properties, io),
    required,
    definitions: schemas($defs, io),
  };
}

/**
 * Writes an object's schema whole, with the definitions it leads to and no others; unknown members
 * are refused, or were never there.
 */
export function whole({ properties, required, definitions: all }: ObjectSchema): JsonSchema {
  const definitions = reachedFrom(properties, all);
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
}

function reachedFrom(
  schema: unknown,
  all: ObjectSchema['definitions'],
  found: Record<string, JsonSchema> = {},
): Readonly<Record<string, JsonSchema>> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
    const definition = all[name];
    if (definition === undefined || name in found) continue;
    found[name] = definition;
    reachedFrom(definition, all, found);
  }
  return found;
}

function schemas(
  members: Readonly<Record<string, unknown>>,
  io: 'input' | 'output',
): Readonly<Record<string, JsonSchema>> {
  const left = io === 'input' ? NAMES : LEFT_OF_ANSWERS;
  return Object.fromEntries(
    // what was a schema stays one
    Object.entries(members).map(([name, member]) => [name, without(left, member) as JsonSchema]),
  );
}

/** Our own names of schemas are for the OpenAPI document; `id` says something else here. */
const NAMES: ReadonlySet<string> = new Set(['id']);
/**
 * A model reads the list of tools whole: of answers it needs the shape, and their members say by
 * their names what they are. Which of them are always there it sees in the answer.
 */
const LEFT_OF_ANSWERS: ReadonlySet<string> = new Set([
  'id',
  'description',
  'examples',
  'required',
  'additionalProperties',
]);

function without(names: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => without(names, each));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(
    Object.entries(value)
      // a member that is called so is an object with a schema of its own
      .filter(([name, member]) => !names.has(name) || isSchema(member))
      .filter(([name, member]) => !isEveryInteger(name, member))
      .map(([name, member]) => [name, without(names, member)]),
  );
  return orNull(members);
}

/** Writes what may be null in the shorter of its two ways. */
function orNull(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || Object(anyOf[1]).type !== 'null')
    return schema;
  const { type, enum: choices, ...more } = Object(anyOf[0]);
  if (typeof type !== 'string' || type === 'object') return schema;
  return {
    ...rest,
    ...more,
    type: [type, 'null'],
    ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
  };
}

/** A bound that every whole number of JSON keeps says nothing. */
function isEveryInteger(name: string, member: unknown): boolean {
  return (
    (name === 'maximum' && member === Number.MAX_SAFE_INTEGER) ||
    (name === 'minimum' && member === Number.MIN_SAFE_INTEGER)
  );
}

function isSchema(member: unknown): boolean {
  return typeof member === 'object' && member !== null && !Array.isArray(member);
}
