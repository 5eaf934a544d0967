import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { problemOf } from '../problem.ts';

/** Why one of several things asked for in one call is missing. */
export const faultOut = z
  .object({
    code: z.string().meta({ description: 'As the code of a problem.' }),
    detail: z.string(),
    retryable: z.boolean().meta({ description: 'True where the same may be asked again later.' }),
  })
  .meta({ id: 'Fault' });

/** Writes an error as callers see it beside what succeeded. */
export function viewFault(error: unknown): z.input<typeof faultOut> {
  const { code, title, detail } = problemOf(error, '');
  return {
    code,
    detail: detail ?? title,
    retryable: error instanceof AppError ? error.retryable : true,
  };
}
