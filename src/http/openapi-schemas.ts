import { z } from 'zod';

/** Schemas of the document by name. */
export type SharedSchemas = Record<string, unknown>;

/** Writes a schema; named ones go to `shared`, where the whole document finds them. */
export function schemaOf(
  schema: z.ZodType,
  io: 'input' | 'output',
  shared: SharedSchemas,
): unknown {
  const {
    $schema: _dialect,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any' });
  for (const [name, definition] of Object.entries($defs)) shared[name] = relocated(definition);
  const { id } = root;
  if (typeof id !== 'string') return relocated(root);
  shared[id] = relocated(root);
  return { $ref: `#/components/schemas/${id}` };
}

/**
 * Writes the schema of a parameter in a URL. All of them travel as text; digits alone are an
 * integer to whoever sends them, and "true" and "false" a boolean, so that generated clients take
 * numbers and booleans.
 */
export function parameterSchemaOf(
  schema: z.ZodType,
  place: 'path' | 'query',
  shared: SharedSchemas,
): unknown {
  const written = schemaOf(schema, 'input', shared);
  if (place === 'path' || typeof written !== 'object' || written === null) return written;
  const {
    type: _type,
    pattern,
    enum: values,
    ...rest
  } = written as Readonly<Record<string, unknown>>;
  if (
    Array.isArray(values) &&
    values.length === 2 &&
    values.includes('true') &&
    values.includes('false')
  )
    return { type: 'boolean', ...rest };
  const moreDigits = /^\^\(0\|\[1-9\]\\d\{0,(\d{1,2})\}\)\$$/.exec(String(pattern))?.[1];
  if (moreDigits === undefined) return written;
  return { type: 'integer', minimum: 0, maximum: 10 ** (Number(moreDigits) + 1) - 1, ...rest };
}

/** The bounds of every integer of the language: nothing a caller could run into. */
function isSafeBound(name: string, member: unknown): boolean {
  return (
    (name === 'minimum' && member === Number.MIN_SAFE_INTEGER) ||
    (name === 'maximum' && member === Number.MAX_SAFE_INTEGER)
  );
}

/**
 * The same schema with its references pointing into the document, and without the names that were
 * only for us.
 */
function relocated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => name !== 'id' || typeof member !== 'string')
      .filter(([name, member]) => !isSafeBound(name, member))
      .map(([name, member]) => [
        name,
        name === '$ref'
          ? String(member).replace('#/$defs/', '#/components/schemas/')
          : relocated(member),
      ]),
  );
}
