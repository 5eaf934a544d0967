import { z } from 'zod';

/** A JSON Schema (draft 2020-12) as it is written. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** An object's schema, and what its references lead to. */
export interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

/** Writes the schema of an object. What is no object is a programmer's error: tools take and give objects alone. */
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
    properties: schemas(properties),
    required,
    definitions: schemas($defs),
  };
}

/** Writes an object's schema whole; unknown members are refused, or were never there. */
export function whole({ properties, required, definitions }: ObjectSchema): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
}

function schemas(members: Readonly<Record<string, unknown>>): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, withoutNames(member) as JsonSchema]),
  );
}

/** Our own names of schemas are for the OpenAPI document; `id` says something else here. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== 'id' || typeof member !== 'string')
      .map(([name, member]) => [name, withoutNames(member)]),
  );
}
