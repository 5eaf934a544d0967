import { z } from 'zod';
import type { MarketTime } from '../ports/market-time.ts';

const clocks = z.registry<{ readonly clock: 'market' }>();

/**
 * A moment that is kept by the market clock. It goes out as wall time, like every other
 * (`inWallTime`).
 */
export const marketTimeOut = z
  .int()
  .meta({ description: 'Epoch milliseconds of the wall clock.' })
  .register(clocks, { clock: 'market' });

type Convert = (value: unknown, time: MarketTime) => unknown;

const converts = new WeakMap<z.ZodType, { readonly convert: Convert | null }>();

/**
 * Returns an answer of a schema with the moments that are kept by the market clock written as
 * wall time.
 */
export function inWallTime<Schema extends z.ZodType>(
  schema: Schema,
  value: z.input<Schema>,
  time: MarketTime,
): z.input<Schema> {
  const convert = convertOf(schema);
  // it changes numbers, and nothing of the shape
  return convert === null ? value : (convert(value, time) as z.input<Schema>);
}

/** What becomes of a value of the schema; null where it holds no such moment. */
function convertOf(schema: z.ZodType): Convert | null {
  const known = converts.get(schema);
  if (known !== undefined) return known.convert;
  const convert = made(schema);
  converts.set(schema, { convert });
  return convert;
}

function made(schema: z.ZodType): Convert | null {
  if (clocks.get(schema)?.clock === 'market')
    return (value, time) => (typeof value === 'number' ? time.toWallMs(value) : value);
  if (schema instanceof z.ZodObject)
    return ofFields(
      Object.entries(schema.shape).map(([name, field]) => [name, convertOf(classic(field))]),
    );
  if (schema instanceof z.ZodArray) return ofList(convertOf(classic(schema.element)));
  if (schema instanceof z.ZodRecord) return ofValues(convertOf(classic(schema.valueType)));
  if (
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault
  )
    return convertOf(classic(schema.unwrap()));
  return schema instanceof z.ZodUnion
    ? ofOptions(schema.options.map((option) => classic(option)))
    : null;
}

/** Every schema here is made by `z`, whose own types say less. */
function classic(schema: z.core.$ZodType): z.ZodType {
  return schema as z.ZodType;
}

function ofFields(fields: readonly (readonly [string, Convert | null])[]): Convert | null {
  const changed = fields.flatMap(([name, convert]) =>
    convert === null ? [] : [[name, convert] as const],
  );
  if (changed.length === 0) return null;
  return (value, time) => {
    if (!isRecord(value)) return value;
    return {
      ...value,
      ...Object.fromEntries(
        changed
          .filter(([name]) => name in value)
          .map(([name, convert]) => [name, convert(value[name], time)]),
      ),
    };
  };
}

function ofList(convert: Convert | null): Convert | null {
  return convert === null
    ? null
    : (value, time) => (Array.isArray(value) ? value.map((each) => convert(each, time)) : value);
}

function ofValues(convert: Convert | null): Convert | null {
  if (convert === null) return null;
  return (value, time) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, convert(each, time)]))
      : value;
}

/** One of several shapes is that of the first it fits. */
function ofOptions(options: readonly z.ZodType[]): Convert | null {
  if (options.every((option) => convertOf(option) === null)) return null;
  return (value, time) => {
    const option = options.find((each) => each.safeParse(value).success);
    return option === undefined ? value : (convertOf(option)?.(value, time) ?? value);
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
