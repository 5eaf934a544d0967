import { z } from 'zod';
import type { Call, Reply } from '../../../wire/http-server.ts';

/** An error in the venue's words (venue_b.md section 13). */
export function refused(
  status: number,
  code: string,
  msg: string,
  more: Readonly<Record<string, unknown>> = {},
): Extract<Reply, { kind: 'json' }> {
  return { kind: 'json', status, body: { code, msg, ...more } };
}

/**
 * Runs a route with its query read, or refuses it as the venue does: 400 with what could not be
 * read.
 */
export function withQuery<Shape extends z.ZodType>(
  shape: Shape,
  run: (query: z.output<Shape>, call: Call) => Reply,
): (call: Call) => Reply {
  return (call) => {
    const read = shape.safeParse(Object.fromEntries(call.query));
    if (read.success) return run(read.data, call);
    const [issue] = read.error.issues;
    return refused(
      400,
      'invalid_query',
      `Failed to deserialize query string: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`,
    );
  };
}

/** Runs a route with its body read, or refuses it. */
export function withBody<Shape extends z.ZodType>(
  shape: Shape,
  run: (body: z.output<Shape>) => Reply,
): (call: Call) => Reply {
  return ({ body }) => {
    const read = shape.safeParse(parse(body));
    if (read.success) return run(read.data);
    const [issue] = read.error.issues;
    return refused(
      400,
      'invalid_body',
      `Failed to deserialize the JSON body: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`,
    );
  };
}

/** A whole number of a query, from 0 to what its type holds. */
export function integer(maximum: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'invalid digit found in string')
    .transform(Number)
    .refine((value) => value <= maximum, 'number too large to fit in target type');
}

/** A flag of a query. */
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** A list of a query, separated by commas. */
export const list = z.string().transform((text) => text.split(',').filter((part) => part !== ''));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
