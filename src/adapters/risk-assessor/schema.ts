import { z } from 'zod';

/** What is read of a chat completion: the first choice's text, or that it was refused. */
export const completionSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
});

/** The only thing an assessor may say. Anything more, or anything else, is nonsense. */
export const verdictSchema = z.strictObject({
  verdict: z.enum(['allow', 'block']),
  reason: z.string().min(1).max(2_000),
});

/** The same for the model, as strict JSON schema. */
export const VERDICT_JSON_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['verdict', 'reason'],
  properties: {
    verdict: { type: 'string', enum: ['allow', 'block'] },
    reason: { type: 'string', description: 'One sentence.' },
  },
} as const;
