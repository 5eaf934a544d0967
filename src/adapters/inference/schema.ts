import { z } from 'zod';

/** Envelope of every answer (feeds.md section 1.1). */
const envelope = z.object({ status: z.boolean() });

/** A page of topics. */
export const topicsAnswer = envelope.extend({
  data: z.object({
    topics: z
      .array(
        z.object({
          topic_id: z.int().positive(),
          topic_name: z.string().max(500),
          is_active: z.boolean().nullable(),
        }),
      )
      .max(1_000),
    continuation_token: z.string().max(2_000).nullish(),
  }),
});

/** A signed inference. Normalised values are decimal text; the time is in seconds. */
export const inferenceAnswer = envelope.extend({
  data: z.object({
    inference_data: z.object({
      network_inference_normalized: z.string().max(100),
      confidence_interval_percentiles_normalized: z.array(z.string().max(20)).length(5),
      confidence_interval_values_normalized: z.array(z.string().max(100)).length(5),
      topic_id: z.string().max(20),
      timestamp: z.int().positive(),
    }),
  }),
});

/** An inference as it travels. */
export type WireInference = z.output<typeof inferenceAnswer>['data']['inference_data'];
