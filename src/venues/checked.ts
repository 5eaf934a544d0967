import type { z } from 'zod';
import { AppError } from '../domain/errors.ts';

/** Reads an answer by its schema. Errors: `venue_protocol`, which names where it differs. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const place = issue === undefined ? '' : ` at ${issue.path.join('.')}: ${issue.message}`;
  throw new AppError('venue_protocol', `unexpected format of ${what}${place}`.slice(0, 300));
}
