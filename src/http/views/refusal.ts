import { z } from 'zod';
import type { Refusal } from '../../services/refusal.ts';

/** Why something would not be done, in answers. */
export const refusalOut = z.object({
  code: z.string().meta({ description: 'As in the table of errors.' }),
  detail: z.string(),
  retryable: z.boolean(),
});

/** Writes a refusal as callers see it. */
export function viewRefusal(refusal: Refusal | null): z.input<typeof refusalOut> | null {
  return (
    refusal && {
      code: refusal.code,
      detail: refusal.message,
      retryable: refusal.isRetryable,
    }
  );
}
