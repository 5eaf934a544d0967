import { z } from 'zod';

/** A verification, and what a check of one says (twilio@6.2.0; identity.md section 1.4). */
export const verificationSchema = z.object({
  sid: z.string().regex(/^VE[0-9a-fA-F]{32}$/),
  to: z.string(),
  status: z.enum([
    'pending',
    'approved',
    'canceled',
    'max_attempts_reached',
    'deleted',
    'failed',
    'expired',
  ]),
  valid: z.boolean(),
});

/** A verification as the service tells of it. */
export type Verification = z.output<typeof verificationSchema>;

/** A refusal: `code` is the service's own number for it. */
export const refusalSchema = z.object({ code: z.int(), message: z.string() });
