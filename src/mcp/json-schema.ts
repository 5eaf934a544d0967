import { z } from 'zod';

/** A JSON Schema (draft 2020-12) as it is written. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An object's schema. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

/**
 * Writes the schema of an object in few words: a model reads all of them before it does anything.
 * Bounds of texts are left out, for the route refuses what is outside of them and says so, and what
 * may be several things is the one that holds all of them. What is no object is a programmer's
 * error: tools take and give objects alone.
 */
export function objectSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const written = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    reused: 'inline',
  });
  const { $defs = {} } = written;
  const { properties, required = [], type } = definitionOf(written, $defs);
  if (type !== 'object' || properties === undefined)
    throw new Error('invariant broken: a tool takes and gives objects');
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, brief(member, $defs)]),
    ),
    required,
  };
}

/** Writes an object's schema whole; unknown members are refused, or were never there. */
export function whole({ properties, required }: ObjectSchema): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** Writes the schema of what tools tell of an answer: members that would be null are not there. */
export function answerSchema(shape: z.ZodObject, description?: string): JsonSchema {
  const { properties } = objectSchema(shape, 'output');
  return { type: 'object', ...(description === undefined ? {} : { description }), properties };
}

/** What is kept of a schema. */
const KEPT = ['description', 'enum', 'default', 'minimum', 'maximum'] as const;

/** A schema and what of it is of use to a caller. */
export function brief(member: unknown, definitions: JsonSchema = {}): JsonSchema {
  const schema = definitionOf(member, definitions);
  const { anyOf, items, properties } = schema;
  const choices = (Array.isArray(anyOf) ? anyOf : [])
    .map((choice: unknown) => brief(choice, definitions))
    .filter(({ type }) => type !== 'null');
  // decimals come as numbers or as text: text is exact
  const [widest = {}] = choices.toSorted(
    (a, b) => Number(b['type'] === 'string') - Number(a['type'] === 'string'),
  );
  const kept = KEPT.flatMap((name) =>
    schema[name] === undefined || isEveryInteger(schema[name]) ? [] : [[name, schema[name]]],
  );
  const { type = 'string' } = schema;
  return {
    type: Array.isArray(type) ? 'string' : type,
    ...widest,
    ...(items === undefined ? {} : { items: brief(items, definitions) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(Object(properties)).map(([name, each]) => [
              name,
              brief(each, definitions),
            ]),
          ),
        }),
    ...Object.fromEntries(kept),
  };
}

/** Follows a reference to where it leads. */
function definitionOf(
  schema: unknown,
  definitions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> & {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
} {
  const { $ref, ...own } = Object(schema);
  const name = /^#\/\$defs\/(.+)$/.exec(String($ref))?.[1];
  return name === undefined ? own : { ...Object(definitions[name]), ...own };
}

/** A bound that every whole number of JSON keeps says nothing. */
function isEveryInteger(member: unknown): boolean {
  return member === Number.MAX_SAFE_INTEGER || member === Number.MIN_SAFE_INTEGER;
}
